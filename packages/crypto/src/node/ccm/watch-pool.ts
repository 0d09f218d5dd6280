import type { WatchPool } from '../../kernel/native-aes.ts';

/** A piece that is not used between two calls is released: after half a second to a second of idleness. */
const sweepMs = 500;

const timers = new WeakMap<object, NodeJS.Timeout>();

/** Sweeps a pool while something is held there. Keeps no process alive. */
export const watchPool: WatchPool = (pool) => {
  if (timers.has(pool)) return;
  const timer = setInterval(() => {
    pool.releaseIdle();
    if (pool.isHeld) return;
    clearInterval(timer);
    timers.delete(pool);
  }, sweepMs);
  timer.unref();
  timers.set(pool, timer);
};
