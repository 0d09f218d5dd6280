import { constants } from 'node:os';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls `cleanUp` when somebody ends the demo, and ends it. Returns what takes that back. */
export function onInterrupt(cleanUp: () => void): () => void {
  const listeners = signals.map((signal) => {
    const listener = (): void => {
      cleanUp();
      process.exit(128 + constants.signals[signal]);
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}
