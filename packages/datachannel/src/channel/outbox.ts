import type { Ring } from '@millrace/core';
import type { Association } from 'sctp-js';
import { payloadPpid, ppids } from '../dcep/ppids.ts';
import { ChannelError } from '../errors.ts';
import type { Channel } from '../channel-types.ts';
import type { ChannelEvent } from './channel-event.ts';
import type { ChannelRecord } from './channel-record.ts';

export interface OutboxOptions {
  /** The caller's monotonic clock in ms: applications call channels when they like. */
  readonly now: () => number;
  /** Called when a channel wants the peer to be drained. */
  readonly wake: () => void;
  /** `send` answers false from here on, while messages wait for the association; it has its own. */
  readonly highWaterBytes: number;
}

/** DCEP goes ordered and reliable, whatever the channel is (RFC 8832 section 6). */
const dcepOptions = { unordered: false } as const;

/**
 * The way of messages from the channels to the association: before there is one they wait here;
 * later they wait there, and this keeps what back-pressure and `bufferedAmount` need.
 */
export class Outbox {
  /** The largest message that the peer takes, in bytes. */
  maxMessageSize: number = Number.POSITIVE_INFINITY;
  messagesSent = 0;
  messageBytesSent = 0;
  readonly #options: OutboxOptions;
  readonly #events: Ring<ChannelEvent>;
  #association: Association | undefined;
  #pendingBytes = 0;
  /** `send` has answered false, and the queue has not fallen since. */
  #blocked = false;
  readonly #drainWanted = new Set<ChannelRecord>();

  constructor(options: OutboxOptions, events: Ring<ChannelEvent>) {
    this.#options = options;
    this.#events = events;
  }

  attach(association: Association): void {
    this.#association = association;
  }

  /**
   * The association takes messages. It may have begun to end before that is told: what it received
   * until then comes first, and may ask for an answer.
   */
  get canSend(): boolean {
    const state = this.#association?.state;
    return state === 'established' || state === 'cookie-wait' || state === 'cookie-echoed';
  }

  /** What the application sees: a channel closes with its connection. */
  state(record: ChannelRecord): Channel['state'] {
    return record.state !== 'closed' && record.attached && !this.canSend ? 'closing' : record.state;
  }

  /** Takes a message of an application; the bytes are the channel's. */
  send(record: ChannelRecord, data: Uint8Array, isText: boolean): boolean {
    const closed = this.#closedError(record);
    if (closed !== undefined) throw closed;
    if (data.length > this.maxMessageSize) {
      throw new RangeError(`a message has ${data.length} bytes; the peer takes at most ${this.maxMessageSize}`);
    }
    this.messagesSent++;
    this.messageBytesSent += data.length;
    let isBelow: boolean;
    if (record.attached) {
      isBelow = this.#transmit(record, data, isText);
    } else {
      record.pending.push({ data, isText });
      record.pendingBytes += data.length;
      this.#pendingBytes += data.length;
      isBelow = this.#pendingBytes < this.#options.highWaterBytes;
    }
    if (!isBelow) {
      this.#blocked = true;
      this.#drainWanted.add(record);
    }
    this.#options.wake();
    return isBelow;
  }

  sendDcep(record: ChannelRecord, data: Uint8Array): void {
    if (!this.canSend) return;
    record.ledger.addOverhead(data.length, this.#association!.bufferedBytes(record.id));
    this.#association!.send(this.#options.now(), record.id, ppids.dcep, data, dcepOptions);
  }

  /**
   * Sends what waited for a stream. The error of the first message that the peer does not take; it
   * and what follows are given up.
   */
  sendPending(record: ChannelRecord): ChannelError | undefined {
    const { pending, pendingBytes } = record;
    record.pending = [];
    record.pendingBytes = 0;
    this.#pendingBytes -= pendingBytes;
    for (const { data, isText } of pending) {
      if (data.length > this.maxMessageSize) {
        const limits = `a queued message has ${data.length} bytes; the peer takes at most ${this.maxMessageSize}`;
        return new ChannelError('MESSAGE_TOO_LARGE', limits);
      }
      if (!this.#transmit(record, data, isText)) this.#blocked = true;
    }
    return undefined;
  }

  /** The queue is below the mark again, or may be: tells the channels that wait. */
  handleDrain(): void {
    this.#blocked = false;
    const records = [...this.#drainWanted];
    this.#drainWanted.clear();
    for (const record of records) this.#events.push({ type: 'channel-drain', channel: record.face });
  }

  /** The association has taken all that waited here: was that less than its mark, no `drain` will come of it. */
  handleAttached(): void {
    if (this.#blocked && this.#association!.bufferedBytes() < this.#options.highWaterBytes) this.handleDrain();
  }

  /** Resolves when `send` would answer true. */
  writable(record: ChannelRecord): Promise<void> {
    const closed = this.#closedError(record);
    if (closed !== undefined) return Promise.reject(closed);
    if (!this.#blocked) return Promise.resolve();
    this.#drainWanted.add(record);
    return record.waiters.wait();
  }

  /** Payload that is neither acknowledged nor abandoned. */
  bufferedBytes(record: ChannelRecord): number {
    if (record.state === 'closed') return record.finalBufferedBytes;
    if (!record.attached) return record.pendingBytes;
    return record.ledger.payloadBytes(this.#association!.bufferedBytes(record.id));
  }

  /** The channel is over; what it had queued is not ours any more. */
  forget(record: ChannelRecord): void {
    this.#drainWanted.delete(record);
    this.#pendingBytes -= record.pendingBytes;
    record.pending = [];
    record.pendingBytes = 0;
  }

  #closedError(record: ChannelRecord): ChannelError | undefined {
    const state = this.state(record);
    if (state !== 'closing' && state !== 'closed') return undefined;
    return new ChannelError('CHANNEL_CLOSED', `channel '${record.parameters.label}' is ${state}`);
  }

  #transmit(record: ChannelRecord, data: Uint8Array, isText: boolean): boolean {
    const association = this.#association!;
    let payload = data;
    if (data.length === 0) {
      // RFC 8831 section 6.6: SCTP carries no empty message; one byte stands for it.
      payload = new Uint8Array(1);
      record.ledger.addOverhead(1, association.bufferedBytes(record.id));
    } else {
      record.ledger.addPayload(data.length);
    }
    const options = record.confirmed ? record.sendOptions : record.earlySendOptions;
    return association.send(this.#options.now(), record.id, payloadPpid(isText, data.length), payload, options);
  }
}
