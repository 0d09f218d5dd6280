import type { CongestionControl } from './congestion-control.ts';
import { firstPackets, growInSlowStart, minPackets, windowAfterIdle } from './window-rules.ts';

/** Congestion control of RFC 9260 section 7.2, growing by the bytes that are acknowledged. */
export class NewReno implements CongestionControl {
  readonly #mtu: number;
  cwnd: number;
  ssthresh: number = Number.POSITIVE_INFINITY;
  #partialBytesAcked = 0;

  constructor(maxPacketBytes: number) {
    this.#mtu = maxPacketBytes;
    this.cwnd = firstPackets * maxPacketBytes;
  }

  handleAcked(_now: number, bytes: number, flightBefore: number): void {
    // RFC 9260 section 7.2.1: the window grows only while it is what limits the sender.
    const utilized = flightBefore + this.#mtu > this.cwnd;
    if (this.cwnd < this.ssthresh) {
      if (utilized) this.cwnd = growInSlowStart(this.cwnd, this.ssthresh, bytes, this.#mtu);
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

  /** RFC 9260 section 7.2.2. */
  handleAllAcked(): void {
    this.#partialBytesAcked = 0;
  }

  handleFastRetransmit(): void {
    this.ssthresh = Math.max(this.cwnd / 2, minPackets * this.#mtu);
    this.cwnd = this.ssthresh;
    this.#partialBytesAcked = 0;
  }

  /** A repeated time-out says nothing new about where the path was full (RFC 5681 section 3.1). */
  handleTimeout(isRepeated: boolean): void {
    if (!isRepeated) this.ssthresh = Math.max(this.cwnd / 2, minPackets * this.#mtu);
    this.cwnd = this.#mtu;
    this.#partialBytesAcked = 0;
  }

  handleIdle(idleRtos: number): void {
    this.cwnd = windowAfterIdle(this.cwnd, idleRtos, this.#mtu);
  }
}
