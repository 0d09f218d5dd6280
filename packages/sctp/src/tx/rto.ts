/** The retransmission time-out of RFC 9260 section 6.3.1. All values are ms. */
export class Rto {
  readonly #minMs: number;
  readonly #maxMs: number;
  #srttMs: number | undefined;
  #rttvarMs = 0;
  #rtoMs: number;

  constructor(options: { readonly initialMs: number; readonly minMs: number; readonly maxMs: number }) {
    this.#minMs = options.minMs;
    this.#maxMs = options.maxMs;
    this.#rtoMs = options.initialMs;
  }

  get rtoMs(): number {
    return this.#rtoMs;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  get srttMs(): number | undefined {
    return this.#srttMs;
  }

  /** Takes a measurement; the caller obeys Karn's rule (never of something sent twice). */
  handleRtt(rttMs: number): void {
    const rtt = Math.max(0, rttMs);
    if (this.#srttMs === undefined) {
      this.#srttMs = rtt;
      this.#rttvarMs = rtt / 2;
    } else {
      this.#rttvarMs = 0.75 * this.#rttvarMs + 0.25 * Math.abs(this.#srttMs - rtt);
      this.#srttMs = 0.875 * this.#srttMs + 0.125 * rtt;
    }
    // The clock's granularity stands in for a variance of zero (rule G1).
    const rto = this.#srttMs + 4 * Math.max(this.#rttvarMs, 0.25);
    this.#rtoMs = Math.min(this.#maxMs, Math.max(this.#minMs, rto));
  }
}
