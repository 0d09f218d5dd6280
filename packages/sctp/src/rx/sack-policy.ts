import { Ring, Timer } from '@millrace/core';

/** RFC 9260 section 6.2: no later than this. */
const sackDelayMs = 200;
/** While the peer may be in slow start, every second packet has its own SACK. */
const slowStartPackets = 200;
const packetsPerSackInSlowStart = 2;
const packetsPerSack = 8;
const idleMs = 1000;
/** SACKs owed to packets of one turn at most; more are merged. */
const maxOwed = 64;

/**
 * When to acknowledge. A turn is what arrives between two drains, and its packets may share a SACK;
 * but senders that grow by a packet per SACK (browsers do) would crawl, so within a turn every
 * second packet is owed one while the peer may be in slow start (the first 200 packets, and after
 * a gap or a second of idleness), later every eighth. The SACKs that a turn owes differ in how
 * far they look: each is the highest TSN at its time, and says what is known up to there.
 */
export class SackPolicy {
  readonly #timer: Timer = new Timer();
  readonly #owed: Ring<number> = new Ring<number>();
  /** Packets with DATA since the last SACK that was owed or sent. */
  #packets = 0;
  #slowStartLeft: number = slowStartPackets;
  #lastPacketAt: number = Number.NEGATIVE_INFINITY;
  #gap = false;
  #now = false;

  get deadline(): number {
    return this.#timer.deadline;
  }

  handleGap(): void {
    this.#gap = true;
  }

  handleDuplicate(): void {
    this.#now = true;
  }

  /** The I bit, a window that has opened, the first packet of all: the next drain sends one. */
  request(): void {
    this.#now = true;
  }

  /** A packet with DATA has been taken; `highestTsn` as it stands after it, `gaps` whether any TSN is missing. */
  handlePacket(now: number, highestTsn: number, gaps: boolean): void {
    if (now - this.#lastPacketAt > idleMs || this.#gap) this.#slowStartLeft = slowStartPackets;
    // RFC 9260 section 5.1 note: what comes first is acknowledged at once.
    if (this.#lastPacketAt === Number.NEGATIVE_INFINITY || this.#gap || gaps) this.#now = true;
    this.#gap = false;
    this.#lastPacketAt = now;
    this.#packets++;
    if (this.#slowStartLeft > 0) this.#slowStartLeft--;
    if (this.#packets >= (this.#slowStartLeft > 0 ? packetsPerSackInSlowStart : packetsPerSack)) {
      // While something is missing every packet would have one; the last of a turn tells it all,
      // and as many as these keep the count of miss indications going.
      if (this.#owed.length < maxOwed) this.#owed.push(highestTsn);
      this.#packets = 0;
      this.#now = true;
    }
    if (!this.#timer.running) this.#timer.start(now, sackDelayMs);
  }

  handleTimeout(now: number): void {
    if (this.#timer.expired(now)) this.#now = true;
  }

  /** Whether this drain sends a SACK. */
  get due(): boolean {
    // RFC 9260 section 6.2: at least every second packet, when the turn is over.
    return this.#now || this.#packets >= packetsPerSackInSlowStart;
  }

  /** Whether something has come that is not acknowledged yet. */
  get pending(): boolean {
    return this.#packets > 0;
  }

  /** The TSN up to which the next SACK looks; Infinity for the last one, which tells everything. */
  takeHorizon(): number {
    const horizon = this.#owed.shift();
    if (horizon !== undefined && this.#owed.length > 0) return horizon;
    this.handleSent();
    return Number.POSITIVE_INFINITY;
  }

  /** A SACK that tells everything has gone out. */
  handleSent(): void {
    this.#owed.clear();
    this.#packets = 0;
    this.#now = false;
    this.#timer.stop();
  }
}
