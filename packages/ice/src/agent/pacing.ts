/** So many checks go at once before the pace counts: most connections need no more. */
const burst = 5;

/**
 * The pace of new checks, Ta of RFC 8445 section 14. A short burst is let through first; over any
 * longer time there is at most one check per Ta.
 */
export class Pacing {
  readonly #paceMs: number;
  /** When the next check would be due without a burst. */
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(paceMs: number) {
    this.#paceMs = paceMs;
  }

  get nextAt(): number {
    return this.#dueAt - (burst - 1) * this.#paceMs;
  }

  sent(now: number): void {
    this.#dueAt = Math.max(now, this.#dueAt) + this.#paceMs;
  }
}
