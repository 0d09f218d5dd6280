import { dataHeaderBytes } from '../packet/data-chunk.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/** What is known of a TSN. */
export const acked = 1;
export const abandoned = 2;
/** To be sent again; not in flight. */
export const lost = 4;

/** Bytes on the wire of a DATA chunk: what counts against cwnd and the peer's window. */
export function wireBytes(userBytes: number): number {
  return userBytes === 0 ? 0 : dataHeaderBytes + ((userBytes + 3) & ~3);
}

/**
 * The TSNs from the first unacknowledged to the last sent, in a ring of columns indexed by TSN.
 * TSNs count up from 0 for the initial one. `acked` runs are linked so that walking over a gap
 * block costs the TSNs that are new in it, not those that earlier SACKs have named.
 */
export class OutstandingData {
  /** The highest TSN acknowledged with all before it. */
  cumulativeTsnAck = -1;
  nextTsn = 0;
  flightSize = 0;

  #mask = 63;
  #state: Uint8Array = new Uint8Array(64);
  #misses: Uint8Array = new Uint8Array(64);
  #transmissions: Uint16Array = new Uint16Array(64);
  #length: Uint16Array = new Uint16Array(64);
  #offset: Uint32Array = new Uint32Array(64);
  /** How far the next TSN that is not acknowledged may be: 0 where this one is not. */
  #skipAcked: Uint32Array = new Uint32Array(64);
  /** The same for TSNs that need no miss indications any more. */
  #skipCounted: Uint32Array = new Uint32Array(64);
  #message: (OutgoingMessage | undefined)[] = new Array<OutgoingMessage | undefined>(64).fill(undefined);

  get isEmpty(): boolean {
    return this.cumulativeTsnAck === this.nextTsn - 1;
  }

  state(tsn: number): number {
    return this.#state[tsn & this.#mask]!;
  }

  transmissions(tsn: number): number {
    return this.#transmissions[tsn & this.#mask]!;
  }

  length(tsn: number): number {
    return this.#length[tsn & this.#mask]!;
  }

  offset(tsn: number): number {
    return this.#offset[tsn & this.#mask]!;
  }

  message(tsn: number): OutgoingMessage {
    return this.#message[tsn & this.#mask]!;
  }

  /** Appends a fragment that is being sent. Returns its TSN. */
  add(message: OutgoingMessage, offset: number, length: number): number {
    const tsn = this.nextTsn++;
    if (tsn - this.cumulativeTsnAck > this.#mask) this.#grow();
    const i = tsn & this.#mask;
    this.#state[i] = 0;
    this.#misses[i] = 0;
    this.#transmissions[i] = 1;
    this.#length[i] = length;
    this.#offset[i] = offset;
    this.#skipAcked[i] = 0;
    this.#skipCounted[i] = 0;
    this.#message[i] = message;
    this.flightSize += wireBytes(length);
    return tsn;
  }

  /** A lost fragment is being sent again. */
  retransmit(tsn: number): void {
    const i = tsn & this.#mask;
    this.#state[i] = this.#state[i]! & ~lost;
    // Past the limit of any option; saturating keeps the comparison with it right.
    if (this.#transmissions[i]! < 0xffff) this.#transmissions[i] = this.#transmissions[i]! + 1;
    this.flightSize += wireBytes(this.#length[i]!);
  }

  /** Marks acknowledged. Returns the wire bytes that are newly so. */
  ack(tsn: number): number {
    const i = tsn & this.#mask;
    const state = this.#state[i]!;
    if ((state & acked) !== 0) return 0;
    const bytes = wireBytes(this.#length[i]!);
    if ((state & (lost | abandoned)) === 0) this.flightSize -= bytes;
    this.#state[i] = (state | acked) & ~lost;
    this.#skipAcked[i] = 1;
    this.#skipCounted[i] = 1;
    return (state & abandoned) === 0 ? bytes : 0;
  }

  /** Moves the cumulative ack to `tsn`, all up to which is acknowledged. */
  forget(tsn: number): void {
    for (let t = this.cumulativeTsnAck + 1; t <= tsn; t++) this.#message[t & this.#mask] = undefined;
    this.cumulativeTsnAck = tsn;
  }

  markLost(tsn: number): void {
    const i = tsn & this.#mask;
    const state = this.#state[i]!;
    if ((state & (lost | acked | abandoned)) !== 0) return;
    this.flightSize -= wireBytes(this.#length[i]!);
    this.#state[i] = state | lost;
    this.#skipCounted[i] = 1;
  }

  abandon(tsn: number): void {
    const i = tsn & this.#mask;
    const state = this.#state[i]!;
    if ((state & (lost | acked | abandoned)) === 0) this.flightSize -= wireBytes(this.#length[i]!);
    this.#state[i] = (state | abandoned) & ~lost;
    this.#skipCounted[i] = 1;
  }

  /**
   * The peer may have thrown away what it had acknowledged in gap blocks (RFC 9260 section 6.2
   * lets it): nothing above the cumulative ack counts as received any more, nor do misses.
   */
  renege(): void {
    for (let t = this.cumulativeTsnAck + 1; t < this.nextTsn; t++) {
      const i = t & this.#mask;
      const state = this.#state[i]!;
      if ((state & acked) !== 0) {
        this.#state[i] = state & ~acked;
        if ((state & abandoned) === 0) this.flightSize += wireBytes(this.#length[i]!);
      }
      this.#skipAcked[i] = 0;
    }
  }

  /** After a time-out: misses count from the beginning, for everything that is not acknowledged. */
  resetMisses(): void {
    for (let t = this.cumulativeTsnAck + 1; t < this.nextTsn; t++) {
      const i = t & this.#mask;
      this.#misses[i] = 0;
      this.#skipCounted[i] = (this.#state[i]! & (acked | abandoned)) === 0 ? 0 : 1;
    }
  }

  /** Adds a miss indication. Returns how many it has had. */
  miss(tsn: number): number {
    const i = tsn & this.#mask;
    const misses = this.#misses[i]! + 1;
    this.#misses[i] = misses;
    return misses;
  }

  /** The first TSN from `tsn` that is not acknowledged; `nextTsn` where there is none. */
  nextNotAcked(tsn: number): number {
    return this.#find(this.#skipAcked, tsn);
  }

  /** The first TSN from `tsn` that miss indications are counted for. */
  nextCounted(tsn: number): number {
    return this.#find(this.#skipCounted, tsn);
  }

  #find(skip: Uint32Array, tsn: number): number {
    const mask = this.#mask;
    const end = this.nextTsn;
    let found = tsn;
    while (found < end) {
      const step = skip[found & mask]!;
      if (step === 0) break;
      found += step;
    }
    // What has been walked over points to the end now, so that the next walk takes one step.
    for (let t = tsn; t < found; ) {
      const i = t & mask;
      const step = skip[i]!;
      skip[i] = found - t;
      t += step;
    }
    return found;
  }

  #grow(): void {
    const mask = 2 * this.#mask + 1;
    const state = new Uint8Array(mask + 1);
    const misses = new Uint8Array(mask + 1);
    const transmissions = new Uint16Array(mask + 1);
    const length = new Uint16Array(mask + 1);
    const offset = new Uint32Array(mask + 1);
    const skipAcked = new Uint32Array(mask + 1);
    const skipCounted = new Uint32Array(mask + 1);
    const message = new Array<OutgoingMessage | undefined>(mask + 1).fill(undefined);
    for (let t = this.cumulativeTsnAck + 1; t < this.nextTsn; t++) {
      const from = t & this.#mask;
      const to = t & mask;
      state[to] = this.#state[from]!;
      misses[to] = this.#misses[from]!;
      transmissions[to] = this.#transmissions[from]!;
      length[to] = this.#length[from]!;
      offset[to] = this.#offset[from]!;
      skipAcked[to] = this.#skipAcked[from]!;
      skipCounted[to] = this.#skipCounted[from]!;
      message[to] = this.#message[from];
    }
    this.#mask = mask;
    this.#state = state;
    this.#misses = misses;
    this.#transmissions = transmissions;
    this.#length = length;
    this.#offset = offset;
    this.#skipAcked = skipAcked;
    this.#skipCounted = skipCounted;
    this.#message = message;
  }
}
