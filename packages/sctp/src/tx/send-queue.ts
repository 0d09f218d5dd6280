import type { EventQueue } from '../event-queue.ts';
import type { SendOptions } from '../types.ts';
import type { OutgoingMessage } from './outgoing-message.ts';
import { OutgoingStream } from './outgoing-stream.ts';
import { StreamScheduler } from './stream-scheduler.ts';

/**
 * The messages that wait to be sent, stream by stream, and the count of bytes that `send` took and
 * that are neither acknowledged nor abandoned. It outlives the connection: messages may be queued
 * before there is one.
 */
export class SendQueue {
  readonly #events: EventQueue;
  readonly #highWaterBytes: number;
  readonly #lowWaterBytes: number;
  readonly #streams = new Map<number, OutgoingStream>();
  readonly #scheduler = new StreamScheduler();
  #bufferedBytes = 0;
  #waitingMessages = 0;
  #drainWanted = false;
  /** Streams to be reset whose queue has come so far, in that order. */
  #readyForReset: number[] = [];
  /** Messages given up before or during transmission. */
  abandonedMessages = 0;

  constructor(events: EventQueue, highWaterBytes: number, lowWaterBytes: number) {
    this.#events = events;
    this.#highWaterBytes = highWaterBytes;
    this.#lowWaterBytes = lowWaterBytes;
  }

  /** Takes a message; false where the queue is above its high-water mark now. */
  add(now: number, streamId: number, ppid: number, data: Uint8Array, options: SendOptions): boolean {
    const stream = this.#stream(streamId);
    stream.queue.push({
      stream,
      ppid,
      data,
      unordered: options.unordered ?? false,
      maxRetransmits: options.maxRetransmits ?? Number.POSITIVE_INFINITY,
      expiresAt: options.lifetimeMs === undefined ? Number.POSITIVE_INFINITY : now + options.lifetimeMs,
      ssn: -1,
      cutBytes: 0,
      firstTsn: -1,
      lastTsn: -1,
      abandoned: false,
    });
    stream.bufferedBytes += data.length;
    this.#bufferedBytes += data.length;
    this.#waitingMessages++;
    this.#scheduler.add(stream);
    if (this.#bufferedBytes < this.#highWaterBytes) return true;
    this.#drainWanted = true;
    return false;
  }

  /** Whether messages wait, whatever holds them up. */
  get isEmpty(): boolean {
    return this.#waitingMessages === 0;
  }

  streamIds(): number[] {
    return [...this.#streams.keys()];
  }

  bufferedBytes(streamId: number | undefined): number {
    return streamId === undefined ? this.#bufferedBytes : (this.#streams.get(streamId)?.bufferedBytes ?? 0);
  }

  setLowThreshold(streamId: number, bytes: number): void {
    this.#stream(streamId).lowThreshold = bytes;
  }

  /** The message to cut the next fragment from. */
  current(): OutgoingMessage | undefined {
    return this.#scheduler.current()?.queue.front();
  }

  /** `message`, the current one, has been cut to its end, or is given up: the next one has its turn. */
  finishCurrent(message: OutgoingMessage): void {
    const stream = message.stream;
    stream.queue.shift();
    this.#waitingMessages--;
    if (stream.resetting && --stream.beforeReset === 0) this.#readyForReset.push(stream.id);
    this.#scheduler.rotate();
  }

  /** The current message has expired before its first fragment: nobody but this end ever knew of it. */
  dropCurrent(message: OutgoingMessage): void {
    message.abandoned = true;
    this.abandonedMessages++;
    this.finishCurrent(message);
    this.release(message, message.data.length);
  }

  /** `bytes` of the message are acknowledged or abandoned. */
  release(message: OutgoingMessage, bytes: number): void {
    const stream = message.stream;
    const before = stream.bufferedBytes;
    stream.bufferedBytes = before - bytes;
    this.#bufferedBytes -= bytes;
    if (before > stream.lowThreshold && stream.bufferedBytes <= stream.lowThreshold) {
      this.#events.push({ type: 'buffered-low', streamId: stream.id });
    }
    if (this.#drainWanted && this.#bufferedBytes <= this.#lowWaterBytes) {
      this.#drainWanted = false;
      this.#events.push({ type: 'drain' });
    }
  }

  /** Later messages of these streams wait until `endReset`. */
  beginReset(streamIds: readonly number[]): void {
    for (const id of streamIds) {
      const stream = this.#stream(id);
      stream.resetting = true;
      stream.beforeReset = stream.queue.length;
      if (stream.beforeReset === 0) this.#readyForReset.push(id);
    }
  }

  /** Takes at most `max` streams whose messages from before their reset have all got their TSNs. */
  takeReadyForReset(max: number): number[] {
    return this.#readyForReset.splice(0, max);
  }

  /** The reset is over: numbers start from 0 where it was performed, waiting messages go on. */
  endReset(streamIds: readonly number[], performed: boolean): void {
    for (const id of streamIds) {
      const stream = this.#streams.get(id);
      if (stream === undefined) continue;
      stream.resetting = false;
      stream.beforeReset = 0;
      if (performed) stream.nextSsn = 0;
      this.#scheduler.add(stream);
      if (performed && stream.bufferedBytes === 0 && stream.lowThreshold === 0) this.#streams.delete(id);
    }
  }

  /** Drops the streams that the peer does not have; their numbers. */
  dropStreamsFrom(streamCount: number): number[] {
    const dropped: number[] = [];
    for (const [id, stream] of this.#streams) {
      if (id < streamCount) continue;
      if (stream.queue.length > 0) dropped.push(id);
      for (let message = stream.queue.shift(); message !== undefined; message = stream.queue.shift()) {
        message.abandoned = true;
        this.abandonedMessages++;
        this.#waitingMessages--;
        // What has been cut is released by its acknowledgement.
        this.release(message, message.data.length - message.cutBytes);
      }
      if (stream.resetting && stream.beforeReset > 0) this.#readyForReset.push(id);
      this.#streams.delete(id);
    }
    return dropped;
  }

  /** The peer has restarted: numbers begin again. */
  handleRestart(): void {
    this.#readyForReset = [];
    for (const stream of this.#streams.values()) {
      stream.nextSsn = 0;
      stream.resetting = false;
      stream.beforeReset = 0;
      this.#scheduler.add(stream);
    }
  }

  /** The association has ended; nothing is kept. */
  clear(): void {
    this.#streams.clear();
    this.#scheduler.clear();
    this.#readyForReset = [];
    this.#bufferedBytes = 0;
    this.#waitingMessages = 0;
    this.#drainWanted = false;
  }

  #stream(id: number): OutgoingStream {
    let stream = this.#streams.get(id);
    if (stream === undefined) {
      stream = new OutgoingStream(id);
      this.#streams.set(id, stream);
    }
    return stream;
  }
}
