import { wrap32 } from '@millrace/core';
import { encodeForwardTsn, forwardTsnHeaderBytes } from '../packet/forward-tsn-chunk.ts';
import type { PacketWriter } from '../packet/packet-writer.ts';
import { abandoned, type OutstandingData } from './outstanding-data.ts';

/** Keeps the Advanced.Peer.Ack.Point and says when the peer has to hear of it (RFC 3758 section 3.5). */
export class ForwardTsnSender {
  readonly #outstanding: OutstandingData;
  readonly #initialTsn: number;
  #advancedPeerAckPoint = -1;
  #sentPoint = -1;
  #sentAt: number = Number.NEGATIVE_INFINITY;
  #due = false;

  constructor(outstanding: OutstandingData, initialTsn: number) {
    this.#outstanding = outstanding;
    this.#initialTsn = initialTsn;
  }

  /** Moves the point over what is abandoned (rules C1 and C2). */
  advance(): void {
    const o = this.#outstanding;
    let point = Math.max(this.#advancedPeerAckPoint, o.cumulativeTsnAck);
    while (point + 1 < o.nextTsn && (o.state(point + 1) & abandoned) !== 0) point++;
    this.#advancedPeerAckPoint = point;
    if (point > o.cumulativeTsnAck && point > this.#sentPoint) this.#due = true;
  }

  /** A SACK came (rule C3): what it does not reach is told again, but not more than once per round trip. */
  handleSack(now: number, rttMs: number): void {
    const cumulative = this.#outstanding.cumulativeTsnAck;
    if (this.#advancedPeerAckPoint <= cumulative) return;
    if (this.#sentPoint <= cumulative || now - this.#sentAt >= rttMs) this.#due = true;
  }

  /** T3-rtx ran out (rule F2 of section 3.5: a lost FORWARD-TSN is sent again). */
  repeat(): void {
    if (this.#advancedPeerAckPoint > this.#outstanding.cumulativeTsnAck) this.#due = true;
  }

  /** Writes the chunk where one is due and fits; true where it did. */
  write(now: number, writer: PacketWriter): boolean {
    if (!this.#due) return false;
    const o = this.#outstanding;
    if (this.#advancedPeerAckPoint <= o.cumulativeTsnAck) {
      this.#due = false;
      return false;
    }
    const room = Math.floor((writer.remaining - forwardTsnHeaderBytes) / 4);
    if (room < 1) return false;
    // Each stream once with its highest SSN, unordered messages not at all (rule C4, section 3.2).
    const skipped = new Map<number, number>();
    let point = o.cumulativeTsnAck;
    while (point < this.#advancedPeerAckPoint) {
      const message = o.message(point + 1);
      if (!message.unordered) {
        if (skipped.size === room && !skipped.has(message.stream.id)) break;
        skipped.set(message.stream.id, message.ssn);
      }
      point++;
    }
    const length = encodeForwardTsn(writer.data, writer.at, wrap32(this.#initialTsn + point), skipped);
    writer.advance(length);
    this.#sentPoint = point;
    this.#sentAt = now;
    // Streams that did not fit are told of when the peer has acknowledged this much.
    this.#due = false;
    return true;
  }
}
