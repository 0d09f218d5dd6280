/**
 * A passive timer: it holds a deadline, nothing runs by itself. Its owner asks `expired(now)` in
 * `handleTimeout` and reports `deadline` through `pollTimeout`.
 */
export class Timer {
  /** ms on the caller's clock; `Infinity` while it is stopped. */
  deadline: number = Number.POSITIVE_INFINITY;

  get running(): boolean {
    return this.deadline !== Number.POSITIVE_INFINITY;
  }

  start(now: number, durationMs: number): void {
    this.deadline = now + durationMs;
  }

  stop(): void {
    this.deadline = Number.POSITIVE_INFINITY;
  }

  /** True once when the deadline has passed; the timer is stopped then. */
  expired(now: number): boolean {
    if (now < this.deadline) return false;
    this.deadline = Number.POSITIVE_INFINITY;
    return true;
  }
}

/** A timer whose duration doubles with every expiry, up to a cap. */
export class BackoffTimer {
  readonly #timer: Timer = new Timer();
  /** How often it has expired since `reset`. */
  expirations = 0;

  get deadline(): number {
    return this.#timer.deadline;
  }

  get running(): boolean {
    return this.#timer.running;
  }

  /** Starts with `baseMs * 2^expirations`, at most `maxMs`. */
  start(now: number, baseMs: number, maxMs: number): void {
    this.#timer.start(now, Math.min(maxMs, baseMs * 2 ** this.expirations));
  }

  stop(): void {
    this.#timer.stop();
  }

  /** Stops and forgets the back-off. */
  reset(): void {
    this.#timer.stop();
    this.expirations = 0;
  }

  /** True once when the deadline has passed; counts the expiry and stops. */
  expired(now: number): boolean {
    if (!this.#timer.expired(now)) return false;
    this.expirations++;
    return true;
  }
}
