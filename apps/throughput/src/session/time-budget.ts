/** Bounds of one measured interval in ms: shorter ones say little, longer ones win little. */
const shortestMs = 500;
const longestMs = 1500;

/**
 * Shares out the time that is left, so that the whole ends in it: every pair of processes is
 * measured twice (full speed, same load), and spends the rest on starting, warming up and checking.
 */
export class TimeBudget {
  readonly #endsAt: number;
  #pairsLeft: number;
  /** What a pair spends besides the measured intervals: a guess, until one was seen. */
  #overheadMs = 3300;

  constructor(now: number, totalMs: number, pairs: number) {
    this.#endsAt = now + totalMs;
    this.#pairsLeft = pairs;
  }

  /** How long each interval of the coming pairs may be, in ms. */
  intervalMs(now: number): number {
    const perPairMs = (this.#endsAt - now) / Math.max(1, this.#pairsLeft);
    return Math.min(longestMs, Math.max(shortestMs, (perPairMs - this.#overheadMs) / 2));
  }

  /** Whether so many pairs, measured as shortly as can be, end in time. */
  fits(now: number, pairs: number): boolean {
    return now + pairs * (this.#overheadMs + 2 * shortestMs) <= this.#endsAt;
  }

  /** Takes note that `pairs` were measured with `intervalMs`, in `elapsedMs` all together. */
  spend(pairs: number, intervalMs: number, elapsedMs: number): void {
    this.#pairsLeft -= pairs;
    this.#overheadMs = elapsedMs / pairs - 2 * intervalMs;
  }
}
