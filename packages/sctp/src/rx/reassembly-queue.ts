import { copyOf } from '@millrace/core';
import { dataFlag, dataHeaderBytes, dataPpid, dataSsn, dataStreamId } from '../packet/data-chunk.ts';
import { FragmentStore } from './fragment-store.ts';
import { IncomingStream } from './incoming-stream.ts';
import { type MessageKey, OpenMessage } from './open-message.ts';

/** Takes a whole message; its array has an ArrayBuffer of its own. */
export type DeliverMessage = (streamId: number, ppid: number, data: Uint8Array) => void;

/** Why the association has to end: fragments or an order of messages that can't be, or a message above the limit. */
export type ReassemblyFault = 'violation' | 'out-of-order' | 'too-large';

/** What each ordered message that waits costs beside its bytes. */
const waitingOverheadBytes = 64;

/** The most that is allocated for a message of which only the first fragment has come. */
const maxGuessBytes = 1 << 20;

/** A reset of incoming streams that waits for TSNs still missing (RFC 6525 section 5.2.2, deferred). */
export interface DeferredReset {
  readonly lastAssignedTsn: number;
  /** Empty for all streams. */
  readonly streamIds: readonly number[];
}

interface HeldMessage extends MessageKey {
  readonly data: Uint8Array;
}

/**
 * Makes messages out of fragments and delivers them in the order that their streams ask for.
 * Fragments have unwrapped TSNs; without interleaving those of one message follow each other, so
 * at most one message is open in sequence, and the rest is in the store.
 */
export class ReassemblyQueue {
  readonly #deliver: DeliverMessage;
  readonly #maxMessageBytes: number;
  readonly #streams = new Map<number, IncomingStream>();
  readonly #store: FragmentStore = new FragmentStore();
  #open: OpenMessage | undefined;
  #waitingBytes = 0;
  #deferred: DeferredReset | undefined;
  #held: HeldMessage[] = [];

  constructor(deliver: DeliverMessage, maxMessageBytes: number) {
    this.#deliver = deliver;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Bytes of what can't be delivered yet, apart from the message that is open in sequence. */
  get storedBytes(): number {
    return this.#store.bytes + this.#waitingBytes;
  }

  /** Bytes of whole messages that wait for their turn. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  get openBytes(): number {
    return this.#open?.length ?? 0;
  }

  /**
   * Takes the DATA chunk at `at`, whose TSN is new and the next in sequence. The stored ones that
   * follow it have to be fetched with `handleSequence`. The fault where the peer broke the rules.
   */
  handleNext(tsn: number, data: Uint8Array, at: number, length: number): ReassemblyFault | undefined {
    const flags = data[at + 1]!;
    const open = this.#open;
    if ((flags & dataFlag.begin) !== 0 || open === undefined) {
      const key = readKey(data, at);
      const begin = (flags & dataFlag.begin) !== 0;
      return this.#sequence(tsn, key, begin, (flags & dataFlag.end) !== 0, data, at + dataHeaderBytes, at + length);
    }
    // The common case: one more fragment of a long message, taken without garbage.
    const unordered = (flags & dataFlag.unordered) !== 0;
    if (!open.matches(dataStreamId(data, at), dataSsn(data, at), unordered)) return 'violation';
    return this.#append(open, tsn, (flags & dataFlag.end) !== 0, data, at + dataHeaderBytes, at + length);
  }

  /** Takes a DATA chunk beyond a gap. The fault where the peer broke the rules. */
  handleApart(tsn: number, data: Uint8Array, at: number, length: number): ReassemblyFault | undefined {
    const flags = data[at + 1]!;
    const key = readKey(data, at);
    const whole = this.#store.add(tsn, {
      ...key,
      begin: (flags & dataFlag.begin) !== 0,
      end: (flags & dataFlag.end) !== 0,
      bytes: copyOf(data, at + dataHeaderBytes, at + length),
      runStart: tsn,
      runEnd: tsn,
    });
    if (!whole) return undefined;
    const message = this.#store.takeMessage(tsn);
    if (message.length > this.#maxMessageBytes) return 'too-large';
    this.#complete(tsn, key.streamId, key.ssn, key.ppid, key.unordered, message);
    return undefined;
  }

  /** The cumulative TSN has moved: stored fragments in `[from, to]` are in sequence now. Fault as above. */
  handleSequence(from: number, to: number): ReassemblyFault | undefined {
    if (this.#store.size === 0) return undefined;
    for (let t = from; t <= to; t++) {
      const fragment = this.#store.take(t);
      if (fragment === undefined) continue;
      const { begin, end, bytes } = fragment;
      const fault = this.#sequence(t, fragment, begin, end, bytes, 0, bytes.length);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** The peer has given up the TSNs `[from, to]` (RFC 3758 section 3.6): fragments among them will never be whole. */
  handleForwardTsn(from: number, to: number): void {
    if (to < from) return;
    this.#open = undefined;
    this.#store.dropRange(from, to);
  }

  /** The stream's messages up to `ssn` will not come: what waits behind them is delivered. */
  skip(streamId: number, ssn: number): void {
    const stream = this.#stream(streamId);
    // What is behind has been delivered already; the 16 bits are compared as in RFC 1982.
    if (((ssn - stream.nextSsn) & 0xffff) >= 0x8000) return;
    // RFC 3758 section 3.6: those that are whole are delivered nevertheless, in their order.
    for (let skipped = stream.nextSsn; stream.waiting !== undefined && skipped !== ((ssn + 1) & 0xffff); ) {
      this.#deliverWaiting(streamId, stream, skipped);
      skipped = (skipped + 1) & 0xffff;
    }
    stream.nextSsn = (ssn + 1) & 0xffff;
    this.#deliverFollowing(streamId, stream);
  }

  /** Messages beyond the reset's last TSN wait until it is performed. */
  deferReset(reset: DeferredReset): void {
    this.#deferred = reset;
  }

  /** Starts the streams' numbers again. Returns the streams that had any: all known ones where none is named. */
  reset(streamIds: readonly number[]): readonly number[] {
    const ids = streamIds.length === 0 ? [...this.#streams.keys()] : streamIds;
    for (const id of ids) {
      const stream = this.#streams.get(id);
      if (stream?.waiting !== undefined) for (const message of stream.waiting.values()) this.#waitingBytes -= cost(message.data);
      this.#streams.delete(id);
    }
    this.#deferred = undefined;
    const held = this.#held;
    this.#held = [];
    for (const message of held) {
      this.#waitingBytes -= cost(message.data);
      this.#order(message.streamId, message.ssn, message.ppid, message.unordered, message.data);
    }
    return ids;
  }

  #sequence(
    tsn: number,
    key: MessageKey,
    begin: boolean,
    end: boolean,
    data: Uint8Array,
    start: number,
    stop: number,
  ): ReassemblyFault | undefined {
    let open = this.#open;
    if (begin) {
      // RFC 9260 section 6.9: a message's fragments have consecutive TSNs, so one can't begin inside another.
      if (open !== undefined) return 'violation';
      if (stop - start > this.#maxMessageBytes) return 'too-large';
      if (end) {
        this.#complete(tsn, key.streamId, key.ssn, key.ppid, key.unordered, copyOf(data, start, stop));
        return undefined;
      }
      open = new OpenMessage(key, Math.max(this.#stream(key.streamId).lastMessageBytes, 4 * (stop - start)));
      this.#open = open;
    } else {
      // The rest of a message that was given up (FORWARD-TSN went into its middle).
      if (open === undefined) return undefined;
      if (!open.matches(key.streamId, key.ssn, key.unordered)) return 'violation';
    }
    return this.#append(open, tsn, end, data, start, stop);
  }

  #append(
    open: OpenMessage,
    tsn: number,
    end: boolean,
    data: Uint8Array,
    start: number,
    stop: number,
  ): ReassemblyFault | undefined {
    if (open.length + (stop - start) > this.#maxMessageBytes) return 'too-large';
    open.append(data, start, stop);
    if (!end) return undefined;
    this.#open = undefined;
    const message = open.finish();
    this.#stream(open.streamId).lastMessageBytes = Math.min(message.length, maxGuessBytes);
    this.#complete(tsn, open.streamId, open.ssn, open.ppid, open.unordered, message);
    return undefined;
  }

  #complete(tsn: number, streamId: number, ssn: number, ppid: number, unordered: boolean, data: Uint8Array): void {
    const reset = this.#deferred;
    if (reset !== undefined && tsn > reset.lastAssignedTsn) {
      if (reset.streamIds.length === 0 || reset.streamIds.includes(streamId)) {
        this.#held.push({ streamId, ssn, ppid, unordered, data });
        this.#waitingBytes += cost(data);
        return;
      }
    }
    this.#order(streamId, ssn, ppid, unordered, data);
  }

  #order(streamId: number, ssn: number, ppid: number, unordered: boolean, data: Uint8Array): void {
    if (unordered) {
      this.#deliver(streamId, ppid, data);
      return;
    }
    const stream = this.#stream(streamId);
    if (ssn === stream.nextSsn) {
      stream.nextSsn = (ssn + 1) & 0xffff;
      this.#deliver(streamId, ppid, data);
      this.#deliverFollowing(streamId, stream);
      return;
    }
    // An SSN from the past under a new TSN is a sender's fault: there is no place for it in the order.
    if (((ssn - stream.nextSsn) & 0xffff) >= 0x8000) return;
    stream.waiting ??= new Map();
    if (stream.waiting.has(ssn)) return;
    stream.waiting.set(ssn, { ppid, data });
    this.#waitingBytes += cost(data);
  }

  #deliverFollowing(streamId: number, stream: IncomingStream): void {
    while (stream.waiting !== undefined && this.#deliverWaiting(streamId, stream, stream.nextSsn)) {
      stream.nextSsn = (stream.nextSsn + 1) & 0xffff;
    }
  }

  #deliverWaiting(streamId: number, stream: IncomingStream, ssn: number): boolean {
    const message = stream.waiting?.get(ssn);
    if (message === undefined) return false;
    stream.waiting!.delete(ssn);
    if (stream.waiting!.size === 0) stream.waiting = undefined;
    this.#waitingBytes -= cost(message.data);
    this.#deliver(streamId, message.ppid, message.data);
    return true;
  }

  #stream(id: number): IncomingStream {
    let stream = this.#streams.get(id);
    if (stream === undefined) {
      stream = new IncomingStream();
      this.#streams.set(id, stream);
    }
    return stream;
  }
}

function cost(data: Uint8Array): number {
  return data.length + waitingOverheadBytes;
}

function readKey(data: Uint8Array, at: number): MessageKey {
  return {
    streamId: dataStreamId(data, at),
    ssn: dataSsn(data, at),
    ppid: dataPpid(data, at),
    unordered: (data[at + 1]! & dataFlag.unordered) !== 0,
  };
}
