import { BackoffTimer, Ring, unwrap32, wrap32 } from '@millrace/core';
import type { PacketWriter } from '../packet/packet-writer.ts';
import { gapAckBlockCount, gapAckBlockEnd, gapAckBlockStart, sackARwnd, sackCumulativeTsnAck } from '../packet/sack-chunk.ts';
import type { TransmitCounters } from '../stats.ts';
import { type CongestionControl, type CongestionControlName, createCongestionControl } from './congestion-control.ts';
import { ForwardTsnSender } from './forward-tsn-sender.ts';
import { fragmentLength, writeFragment } from './fragment-writer.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { abandoned, acked, lost, OutstandingData, wireBytes } from './outstanding-data.ts';
import { RoundTripTimer } from './round-trip-timer.ts';
import type { Rto } from './rto.ts';
import type { SendQueue } from './send-queue.ts';
import { TsnHeap } from './tsn-heap.ts';

export interface TransmitOptions {
  readonly maxPacketBytes: number;
  readonly congestionControl: CongestionControlName;
  readonly initialTsn: number;
  /** The peer takes FORWARD-TSN; without it everything is reliable (RFC 3758 section 3.3.2). */
  readonly partialReliability: boolean;
}

/** Later transmissions acknowledged before a missing one counts as lost (RFC 9260 section 7.2.4). */
const lossThreshold = 3;

/**
 * Decides which fragment goes next: lost ones first, then new ones cut from the send queue, as far
 * as the congestion window and the peer's window let it; and learns from SACKs and from T3-rtx.
 */
export class RetransmissionQueue {
  readonly #sendQueue: SendQueue;
  readonly #rto: Rto;
  readonly #counters: TransmitCounters;
  readonly #options: TransmitOptions;
  readonly #outstanding: OutstandingData = new OutstandingData();
  readonly #congestion: CongestionControl;
  readonly #t3Rtx: BackoffTimer = new BackoffTimer();
  readonly #lost: TsnHeap = new TsnHeap();
  /** Fragments sent again, in that order: (TSN, the next new TSN at that time). */
  readonly #resent: Ring<number> = new Ring<number>();
  readonly #forwardTsn: ForwardTsnSender;
  readonly #roundTrip: RoundTripTimer;
  #aRwnd = 0;
  /** One packet of marked fragments goes out whatever the window says (RFC 9260 section 7.2.4 rule 3). */
  #fastRetransmitDue = false;
  /** Fast recovery lasts until this TSN is acknowledged; -1 outside. */
  #recoveryEnd = -1;
  #highestAcked = -1;
  #lastSentAt: number = Number.POSITIVE_INFINITY;

  constructor(sendQueue: SendQueue, rto: Rto, counters: TransmitCounters, options: TransmitOptions) {
    this.#sendQueue = sendQueue;
    this.#rto = rto;
    this.#counters = counters;
    this.#options = options;
    this.#congestion = createCongestionControl(options.congestionControl, options.maxPacketBytes);
    this.#roundTrip = new RoundTripTimer(rto);
    this.#forwardTsn = new ForwardTsnSender(this.#outstanding, options.initialTsn);
  }

  get cwnd(): number {
    return this.#congestion.cwnd;
  }

  get flightSize(): number {
    return this.#outstanding.flightSize;
  }

  /** What the peer's window leaves; what is in flight is on its way into it (RFC 9260 section 6.2.1). */
  get remoteWindowBytes(): number {
    return Math.max(0, this.#aRwnd - this.#outstanding.flightSize);
  }

  /** Nothing waits and nothing is outstanding. */
  get isDone(): boolean {
    return this.#outstanding.isEmpty && this.#sendQueue.isEmpty;
  }

  /** On the wire, the TSN before the next new one. */
  get lastAssignedTsn(): number {
    return wrap32(this.#options.initialTsn + this.#outstanding.nextTsn - 1);
  }

  get deadline(): number {
    return this.#t3Rtx.deadline;
  }

  // -- what comes in --

  /** What went out behind the COOKIE ECHO could not be acknowledged until now. */
  handleEstablished(now: number): void {
    if (!this.#t3Rtx.running) return;
    this.#t3Rtx.reset();
    this.#startT3(now);
  }

  /** The a_rwnd of the peer's INIT or INIT ACK. */
  setRemoteWindow(aRwnd: number): void {
    this.#aRwnd = aRwnd;
  }

  /**
   * A SACK, checked before anything changes (RFC 9260 section 6.2.1). 'progress' where something
   * was acknowledged, 'alive' where it is a valid one, 'old', or 'invalid'.
   */
  handleSack(now: number, data: Uint8Array, at: number): 'progress' | 'alive' | 'old' | 'invalid' {
    const o = this.#outstanding;
    const cumulative = this.#unwrap(sackCumulativeTsnAck(data, at));
    const blocks = gapAckBlockCount(data, at);
    if (cumulative < o.cumulativeTsnAck) return 'old';
    if (cumulative >= o.nextTsn) return 'invalid';
    for (let b = 0; b < blocks; b++) {
      const start = gapAckBlockStart(data, at, b);
      const end = gapAckBlockEnd(data, at, b);
      if (start === 0 || end < start || cumulative + end >= o.nextTsn) return 'invalid';
    }
    this.#aRwnd = sackARwnd(data, at);
    const flightBefore = o.flightSize;
    const advanced = cumulative > o.cumulativeTsnAck;
    let bytes = this.#ackCumulative(now, cumulative);
    let highestNew = advanced ? cumulative : -1;
    let highest = cumulative;
    for (let b = 0; b < blocks; b++) {
      const end = cumulative + gapAckBlockEnd(data, at, b);
      if (end > highest) highest = end;
      for (let t = o.nextNotAcked(cumulative + gapAckBlockStart(data, at, b)); t <= end; t = o.nextNotAcked(t + 1)) {
        bytes += this.#ack(now, t);
        if (t > highestNew) highestNew = t;
      }
    }
    this.#settle(now, { advanced, bytes, flightBefore, highest, highestNew });
    return bytes > 0 || advanced ? 'progress' : 'alive';
  }

  /** The cumulative TSN ack of a SHUTDOWN (RFC 9260 section 9.2). False where it is invalid. */
  handleCumulativeAck(now: number, wireTsn: number): boolean {
    const o = this.#outstanding;
    const cumulative = this.#unwrap(wireTsn);
    if (cumulative >= o.nextTsn) return false;
    if (cumulative <= o.cumulativeTsnAck) return true;
    const flightBefore = o.flightSize;
    const bytes = this.#ackCumulative(now, cumulative);
    this.#settle(now, { advanced: true, bytes, flightBefore, highest: cumulative, highestNew: cumulative });
    return true;
  }

  /** All that is outstanding is known not to have arrived. */
  resend(): void {
    const o = this.#outstanding;
    for (let t = o.cumulativeTsnAck + 1; t < o.nextTsn; t++) {
      o.markLost(t);
      this.#lost.push(t);
    }
    o.resetMisses();
  }

  /** The peer has lost its state: what is outstanding or begun is given up. */
  discard(): void {
    const o = this.#outstanding;
    for (let t = o.cumulativeTsnAck + 1; t < o.nextTsn; t++) {
      const message = o.message(t);
      if ((o.state(t) & abandoned) === 0) this.#sendQueue.release(message, o.length(t));
      if (!message.abandoned) this.#sendQueue.abandonedMessages++;
      message.abandoned = true;
    }
    const begun = this.#sendQueue.current();
    if (begun === undefined || begun.cutBytes === 0) return;
    this.#sendQueue.finishCurrent(begun);
    this.#sendQueue.release(begun, begun.data.length - begun.cutBytes);
    if (!begun.abandoned) this.#sendQueue.abandonedMessages++;
    begun.abandoned = true;
  }

  /** True where T3-rtx has run out (RFC 9260 section 6.3.3). */
  handleTimeout(now: number): boolean {
    if (!this.#t3Rtx.expired(now)) return false;
    const o = this.#outstanding;
    this.#counters.timeouts++;
    this.#congestion.handleTimeout(this.#t3Rtx.expirations > 1);
    this.#recoveryEnd = -1;
    this.#fastRetransmitDue = false;
    this.#roundTrip.stop();
    // With nothing in flight, or no progress since the last time, gap blocks are not to be believed.
    if (o.flightSize === 0 || this.#t3Rtx.expirations > 1) o.renege();
    this.#lost.clear();
    this.#resent.clear();
    for (let t = o.nextNotAcked(o.cumulativeTsnAck + 1); t < o.nextTsn; t = o.nextNotAcked(t + 1)) {
      o.markLost(t);
      if ((o.state(t) & lost) === 0) continue;
      if (this.#isGivenUp(now, t)) this.#abandon(o.message(t));
      else this.#lost.push(t);
    }
    o.resetMisses();
    this.#forwardTsn.advance();
    this.#forwardTsn.repeat();
    this.#startT3(now);
    return true;
  }

  // -- what goes out --

  /** Whether `writeData` would find something to write; a guess on the generous side. */
  wantsToSend(): boolean {
    const open = this.#outstanding.flightSize < this.#congestion.cwnd;
    if (this.#lost.peek() >= 0) return open || this.#fastRetransmitDue;
    return open && !this.#sendQueue.isEmpty && this.#sendQueue.current() !== undefined;
  }

  /** Writes FORWARD-TSN where one is due. */
  writeForwardTsn(now: number, writer: PacketWriter): void {
    if (this.#forwardTsn.write(now, writer) && !this.#t3Rtx.running) this.#startT3(now);
  }

  /** Writes lost fragments, then new ones, until the packet is full or a window is. */
  writeData(now: number, writer: PacketWriter): void {
    const o = this.#outstanding;
    const before = writer.at;
    this.#handleIdle(now);
    // RFC 9260 section 6.1 rule B: below cwnd a whole packet may go, which may end above it.
    const open = o.flightSize < this.#congestion.cwnd;
    if (open || this.#fastRetransmitDue) this.#writeLost(now, writer);
    if (open && this.#lost.peek() < 0) this.#writeNew(now, writer);
    if (writer.at === before) return;
    this.#lastSentAt = now;
    if (!this.#t3Rtx.running) this.#startT3(now);
  }

  #writeLost(now: number, writer: PacketWriter): void {
    const o = this.#outstanding;
    for (let tsn = this.#lost.peek(); tsn >= 0; tsn = this.#lost.peek()) {
      if (tsn <= o.cumulativeTsnAck || (o.state(tsn) & lost) === 0) {
        this.#lost.pop();
        continue;
      }
      const message = o.message(tsn);
      if (now >= message.expiresAt && this.#options.partialReliability) {
        this.#abandon(message);
        this.#forwardTsn.advance();
        continue;
      }
      if (wireBytes(o.length(tsn)) > writer.remaining) break;
      this.#lost.pop();
      o.retransmit(tsn);
      this.#roundTrip.handleRetransmission(tsn);
      this.#resent.push(tsn);
      this.#resent.push(o.nextTsn);
      this.#counters.retransmittedChunks++;
      writeFragment(writer, message, wrap32(this.#options.initialTsn + tsn), o.offset(tsn), o.length(tsn), false);
      this.#fastRetransmitDue = false;
      // RFC 9260 section 7.2.4 rule 4 and 6.3.2 rule R1.
      if (tsn === o.cumulativeTsnAck + 1) this.#startT3(now);
    }
    if (this.#lost.peek() < 0) this.#fastRetransmitDue = false;
  }

  #writeNew(now: number, writer: PacketWriter): void {
    const o = this.#outstanding;
    const queue = this.#sendQueue;
    for (let message = queue.current(); message !== undefined; message = queue.current()) {
      if (now >= message.expiresAt && (message.cutBytes === 0 || this.#options.partialReliability)) {
        if (message.cutBytes === 0) queue.dropCurrent(message);
        else this.#abandon(message);
        this.#forwardTsn.advance();
        continue;
      }
      const length = fragmentLength(message.data.length - message.cutBytes, writer, this.#options.maxPacketBytes);
      if (length === 0) break;
      // RFC 9260 section 6.1 rule A: into a full window goes one chunk, alone, to ask whether it has opened.
      if (wireBytes(length) > this.#aRwnd - o.flightSize && o.flightSize > 0) break;
      if (message.ssn < 0) {
        message.ssn = message.unordered ? 0 : message.stream.nextSsn++ & 0xffff;
      }
      const offset = message.cutBytes;
      const tsn = o.add(message, offset, length);
      if (message.firstTsn < 0) message.firstTsn = tsn;
      message.lastTsn = tsn;
      message.cutBytes += length;
      if (message.cutBytes === message.data.length) queue.finishCurrent(message);
      this.#roundTrip.handleSent(now, tsn);
      // RFC 7053: nothing follows for now, so a delayed acknowledgement would only be waited for.
      const immediate = o.flightSize >= this.#congestion.cwnd || (offset > 0 && queue.isEmpty);
      writeFragment(writer, message, wrap32(this.#options.initialTsn + tsn), offset, length, immediate);
    }
  }

  // -- inside --

  #unwrap(wireTsn: number): number {
    return unwrap32(wireTsn - this.#options.initialTsn, this.#outstanding.cumulativeTsnAck);
  }

  #startT3(now: number): void {
    this.#t3Rtx.start(now, this.#rto.rtoMs, this.#rto.maxMs);
  }

  #ackCumulative(now: number, cumulative: number): number {
    const o = this.#outstanding;
    let bytes = 0;
    for (let t = o.cumulativeTsnAck + 1; t <= cumulative; t++) {
      bytes += this.#ack(now, t);
      // Not before: what only gap blocks have named, the peer may throw away, and it is sent again.
      if ((o.state(t) & abandoned) === 0) this.#sendQueue.release(o.message(t), o.length(t));
    }
    o.forget(cumulative);
    return bytes;
  }

  #ack(now: number, tsn: number): number {
    this.#roundTrip.handleAck(now, tsn);
    return this.#outstanding.ack(tsn);
  }

  /** The rest of a SACK, once it is known what it acknowledges. */
  #settle(
    now: number,
    sack: { advanced: boolean; bytes: number; flightBefore: number; highest: number; highestNew: number },
  ): void {
    const o = this.#outstanding;
    if (sack.highestNew > this.#highestAcked) this.#highestAcked = sack.highestNew;
    if (this.#recoveryEnd >= 0 && o.cumulativeTsnAck >= this.#recoveryEnd) this.#recoveryEnd = -1;
    const rttMs = this.#rto.srttMs ?? this.#rto.rtoMs;
    if (sack.advanced && this.#recoveryEnd < 0) this.#congestion.handleAcked(now, sack.bytes, sack.flightBefore, rttMs);
    // RFC 9260 section 7.2.4: in fast recovery, an advance counts a miss for all that is reported missing.
    const missesBelow = this.#recoveryEnd >= 0 && sack.advanced ? sack.highest : sack.highestNew;
    this.#findLost(now, missesBelow);
    this.#forwardTsn.advance();
    if (o.isEmpty) {
      this.#congestion.handleAllAcked();
      this.#t3Rtx.reset();
    } else if (sack.advanced) {
      // RFC 9260 section 6.3.2 rule R3.
      this.#t3Rtx.reset();
      this.#startT3(now);
    }
    this.#forwardTsn.handleSack(now, rttMs);
  }

  #findLost(now: number, missesBelow: number): void {
    const o = this.#outstanding;
    let found = false;
    for (let t = o.nextCounted(o.cumulativeTsnAck + 1); t < missesBelow; t = o.nextCounted(t + 1)) {
      if ((o.state(t) & lost) !== 0 || o.miss(t) < lossThreshold) continue;
      found = this.#lose(now, t) || found;
    }
    // What was sent again and is still missing when three later new TSNs have arrived is lost again.
    while (this.#resent.length > 0 && this.#resent.at(1)! + lossThreshold - 1 <= this.#highestAcked) {
      const tsn = this.#resent.shift()!;
      this.#resent.shift();
      if (tsn > o.cumulativeTsnAck && (o.state(tsn) & (acked | abandoned | lost)) === 0) found = this.#lose(now, tsn) || found;
    }
    if (!found || this.#recoveryEnd >= 0) return;
    // RFC 9260 section 7.2.4: once per window.
    this.#congestion.handleFastRetransmit();
    this.#recoveryEnd = o.nextTsn - 1;
    this.#fastRetransmitDue = true;
    this.#counters.fastRetransmits++;
  }

  #lose(now: number, tsn: number): boolean {
    const o = this.#outstanding;
    o.markLost(tsn);
    if (this.#isGivenUp(now, tsn)) this.#abandon(o.message(tsn));
    else this.#lost.push(tsn);
    return true;
  }

  /** Whether a lost fragment is not to be sent again (RFC 3758 section 4.1, RFC 7496 section 3.1). */
  #isGivenUp(now: number, tsn: number): boolean {
    if (!this.#options.partialReliability) return false;
    const message = this.#outstanding.message(tsn);
    return this.#outstanding.transmissions(tsn) > message.maxRetransmits || now >= message.expiresAt;
  }

  /** Gives up a message of which fragments were sent: all of it, or the receiver would wait for the rest. */
  #abandon(message: OutgoingMessage): void {
    if (message.abandoned) return;
    const o = this.#outstanding;
    message.abandoned = true;
    this.#sendQueue.abandonedMessages++;
    for (let t = Math.max(message.firstTsn, o.cumulativeTsnAck + 1); t <= message.lastTsn; t++) {
      o.abandon(t);
      this.#sendQueue.release(message, o.length(t));
    }
    const unsent = message.data.length - message.cutBytes;
    if (unsent === 0) return;
    // One more TSN stands for what was not cut: the fragments before may all be acknowledged, and
    // the receiver has to be told by a FORWARD-TSN past them that the message will not come.
    message.lastTsn = o.add(message, message.cutBytes, 0);
    o.abandon(message.lastTsn);
    this.#sendQueue.finishCurrent(message);
    this.#sendQueue.release(message, unsent);
  }

  #handleIdle(now: number): void {
    if (!this.#outstanding.isEmpty) return;
    const idleRtos = (now - this.#lastSentAt) / this.#rto.rtoMs;
    if (idleRtos < 1 || this.#sendQueue.isEmpty) return;
    this.#congestion.handleIdle(Math.floor(idleRtos));
  }
}
