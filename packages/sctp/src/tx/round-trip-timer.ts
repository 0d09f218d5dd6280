import type { Rto } from './rto.ts';

/** Measures the round trip with one TSN at a time, at most once per round trip (RFC 9260 section 6.3.1 rule C4). */
export class RoundTripTimer {
  readonly #rto: Rto;
  /** -1 for none. */
  #tsn = -1;
  #sentAt = 0;

  constructor(rto: Rto) {
    this.#rto = rto;
  }

  handleSent(now: number, tsn: number): void {
    if (this.#tsn >= 0) return;
    this.#tsn = tsn;
    this.#sentAt = now;
  }

  /** Karn's rule: nobody knows which of the two is acknowledged (RFC 9260 section 6.3.1 rule C5). */
  handleRetransmission(tsn: number): void {
    if (tsn === this.#tsn) this.#tsn = -1;
  }

  handleAck(now: number, tsn: number): void {
    if (tsn !== this.#tsn) return;
    this.#rto.handleRtt(now - this.#sentAt);
    this.#tsn = -1;
  }

  stop(): void {
    this.#tsn = -1;
  }
}
