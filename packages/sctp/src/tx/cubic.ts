import type { CongestionControl } from './congestion-control.ts';
import { firstPackets, growInSlowStart, minPackets, windowAfterIdle } from './window-rules.ts';

/** RFC 9438 section 4.6: what is left of the window. */
const beta = 0.7;
/** RFC 9438 section 5.1, in packets per second cubed. */
const c = 0.4;
/** RFC 9438 section 4.3: so that the window of an additive increase has the same average as Reno's. */
const friendlyIncrease = (3 * (1 - beta)) / (1 + beta);

/**
 * CUBIC (RFC 9438): between two losses the window follows a cubic function of the time since the first,
 * flat around the window at which that came, so that it does not depend on the round trip how fast the
 * window comes back. Windows are counted in bytes; the RFC counts packets.
 */
export class Cubic implements CongestionControl {
  readonly #mtu: number;
  cwnd: number;
  #ssthresh: number = Number.POSITIVE_INFINITY;
  /** W_max: where the function is flat. */
  #maxWindow = 0;
  /** cwnd_prior: the window before the last loss. */
  #priorWindow = 0;
  /** Since when the window follows the function; `undefined` where it does not yet. */
  #epochAt: number | undefined;
  /** K: ms from there to W_max. */
  #flatMs = 0;
  /** W_est: the window that Reno would have. */
  #friendlyWindow = 0;
  #updatedAt = 0;
  #afterTimeout = false;

  constructor(maxPacketBytes: number) {
    this.#mtu = maxPacketBytes;
    this.cwnd = firstPackets * maxPacketBytes;
  }

  handleAcked(now: number, bytes: number, flightBefore: number, rttMs: number): void {
    const mtu = this.#mtu;
    const utilized = flightBefore + mtu > this.cwnd;
    if (this.cwnd < this.#ssthresh) {
      if (utilized) this.cwnd = growInSlowStart(this.cwnd, this.#ssthresh, bytes, mtu);
      return;
    }
    if (this.#epochAt === undefined) this.#beginEpoch(now);
    // RFC 9438 section 5.8: the time in which something else limits the sender does not count.
    if (!utilized) this.#epochAt! += now - this.#updatedAt;
    this.#updatedAt = now;
    if (!utilized) return;
    const elapsedMs = now - this.#epochAt!;
    const increase = this.#friendlyWindow < this.#priorWindow ? friendlyIncrease : 1;
    this.#friendlyWindow += (increase * mtu * bytes) / this.cwnd;
    if (this.#windowAt(elapsedMs) < this.#friendlyWindow) {
      this.cwnd = Math.max(this.cwnd, this.#friendlyWindow);
      return;
    }
    // RFC 9438 section 4.2: in a round trip as far as the function will be by then, and no further than half.
    const target = Math.min(Math.max(this.#windowAt(elapsedMs + rttMs), this.cwnd), 1.5 * this.cwnd);
    this.cwnd += ((target - this.cwnd) * Math.min(bytes, this.cwnd)) / this.cwnd;
  }

  handleAllAcked(): void {}

  handleFastRetransmit(): void {
    this.#reduce();
    this.cwnd = this.#ssthresh;
  }

  handleTimeout(isRepeated: boolean): void {
    // A repeated one says nothing new about where the path was full (RFC 5681 section 3.1).
    if (!isRepeated) this.#reduce();
    this.#epochAt = undefined;
    this.#afterTimeout = true;
    this.cwnd = this.#mtu;
  }

  handleIdle(idleRtos: number): void {
    this.cwnd = windowAfterIdle(this.cwnd, idleRtos, this.#mtu);
    this.#epochAt = undefined;
  }

  /** RFC 9438 sections 4.6 and 4.7. */
  #reduce(): void {
    const { cwnd } = this;
    // Fast convergence: a window that did not come back to where it was leaves room to a newcomer.
    this.#maxWindow = cwnd < this.#maxWindow ? (cwnd * (1 + beta)) / 2 : cwnd;
    this.#priorWindow = cwnd;
    this.#ssthresh = Math.max(beta * cwnd, minPackets * this.#mtu);
    this.#epochAt = undefined;
    this.#afterTimeout = false;
  }

  #beginEpoch(now: number): void {
    // RFC 9438 section 4.8: after a time-out the function begins where it is flat.
    if (this.#afterTimeout || this.cwnd > this.#maxWindow) this.#maxWindow = this.cwnd;
    this.#afterTimeout = false;
    this.#flatMs = 1000 * Math.cbrt((this.#maxWindow - this.cwnd) / this.#mtu / c);
    this.#friendlyWindow = this.cwnd;
    this.#epochAt = now;
    this.#updatedAt = now;
  }

  /** W_cubic (RFC 9438 section 4.2). */
  #windowAt(elapsedMs: number): number {
    const seconds = (elapsedMs - this.#flatMs) / 1000;
    return this.#maxWindow + c * seconds ** 3 * this.#mtu;
  }
}
