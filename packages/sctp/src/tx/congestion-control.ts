/**
 * Congestion control of RFC 9260 section 7.2, growing by the bytes that are acknowledged. It knows
 * bytes and events; which chunks are in flight is not its business.
 *
 * Three departures: the first window is ten packets (RFC 6928); slow start grows by all bytes that
 * a SACK acknowledges rather than by one packet per SACK, because receivers share a SACK among
 * packets; and there is no Max.Burst, which would stall a sender whose SACKs are sparse.
 */
export class CongestionControl {
  readonly #mtu: number;
  /** Bytes that may be in flight. */
  cwnd: number;
  ssthresh: number = Number.POSITIVE_INFINITY;
  #partialBytesAcked = 0;

  constructor(maxPacketBytes: number) {
    this.#mtu = maxPacketBytes;
    this.cwnd = 10 * maxPacketBytes;
  }

  /**
   * A SACK advanced the cumulative TSN ack outside fast recovery and acknowledged `bytes`, with
   * `flightBefore` in flight before it.
   */
  handleAcked(bytes: number, flightBefore: number): void {
    // RFC 9260 section 7.2.1: the window grows only while it is what limits the sender.
    const utilized = flightBefore + this.#mtu > this.cwnd;
    if (this.cwnd < this.ssthresh) {
      if (utilized) this.cwnd = Math.min(this.cwnd + bytes, Math.max(this.ssthresh, this.cwnd + this.#mtu));
      return;
    }
    // RFC 9260 section 7.2.2.
    this.#partialBytesAcked += bytes;
    if (this.#partialBytesAcked >= this.cwnd) {
      if (utilized) {
        this.#partialBytesAcked -= this.cwnd;
        this.cwnd += this.#mtu;
      } else {
        this.#partialBytesAcked = this.cwnd;
      }
    }
  }

  /** RFC 9260 section 7.2.2: everything is acknowledged. */
  handleAllAcked(): void {
    this.#partialBytesAcked = 0;
  }

  /** RFC 9260 section 7.2.4, on entering fast recovery. */
  handleFastRetransmit(): void {
    this.ssthresh = Math.max(this.cwnd / 2, 4 * this.#mtu);
    this.cwnd = this.ssthresh;
    this.#partialBytesAcked = 0;
  }

  /** RFC 9260 section 7.2.3. A repeated time-out says nothing new about where the path was full (RFC 5681 section 3.1). */
  handleTimeout(isRepeated: boolean): void {
    if (!isRepeated) this.ssthresh = Math.max(this.cwnd / 2, 4 * this.#mtu);
    this.cwnd = this.#mtu;
    this.#partialBytesAcked = 0;
  }

  /** RFC 9260 section 7.2.1: the window decays once per RTO in which nothing was sent, but not below where it began. */
  handleIdle(idleRtos: number): void {
    const floor = Math.min(this.cwnd, 10 * this.#mtu);
    this.cwnd = Math.max(floor, this.cwnd / 2 ** Math.min(idleRtos, 30));
  }
}
