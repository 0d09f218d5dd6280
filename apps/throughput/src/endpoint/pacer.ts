/** The most that is made up for after a delay, in ms worth of the rate. */
const burstMs = 50;

/** A token bucket: so many bytes per second, with time as the caller tells it. */
export class Pacer {
  readonly #bytesPerMs: number;
  readonly #burstBytes: number;
  #allowanceBytes = 0;
  #lastMs: number;

  /** @param largestBytes the most that is taken at once; the bucket holds at least that. */
  constructor(bytesPerSecond: number, largestBytes: number, now: number) {
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#burstBytes = Math.max(largestBytes, this.#bytesPerMs * burstMs);
    this.#lastMs = now;
  }

  /** Takes the bytes where the rate allows them now; false, and nothing taken, where it does not. */
  take(now: number, bytes: number): boolean {
    this.#allowanceBytes = Math.min(this.#burstBytes, this.#allowanceBytes + (now - this.#lastMs) * this.#bytesPerMs);
    this.#lastMs = now;
    if (this.#allowanceBytes < bytes) return false;
    this.#allowanceBytes -= bytes;
    return true;
  }

  /** How many ms after the last `take` these bytes will be allowed. */
  waitMs(bytes: number): number {
    return Math.max(0, bytes - this.#allowanceBytes) / this.#bytesPerMs;
  }
}
