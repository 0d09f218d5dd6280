import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@millrace/datachannel/server';
import { drained } from './drained.ts';
import { MarkInbox, type Mark } from './marks.ts';
import { Pacer } from './pacer.ts';
import type { Limit, LoadReport, Transfer } from './protocol.ts';
import { sliceBytes } from './slice.ts';
import type { Source } from './source.ts';
import { Stopwatch } from './stopwatch.ts';

/** Node's timers are no finer than 1 ms; a paced sender awakes at most so often. */
const pacingQuantumMs = 2;

/** The sending end of a measurement, over a channel that is open. */
export class Sender {
  /** Payload given to the channel since the beginning. */
  sentBytes = 0;
  readonly #channel: Channel;
  readonly #marks: MarkInbox;
  readonly #source: Source;
  readonly #messageSize: number;
  readonly #slice: Uint8Array = new Uint8Array(sliceBytes);

  constructor(channel: Channel, source: Source, messageSize: number) {
    this.#channel = channel;
    this.#marks = new MarkInbox(channel);
    this.#source = source;
    this.#messageSize = messageSize;
  }

  /** Sends at full speed for so long; nothing of it is counted, so it may be zeros. */
  async warmUp(durationMs: number): Promise<void> {
    const until = performance.now() + durationMs;
    while (performance.now() < until) await this.#push(this.#slice, until);
    await this.#sync();
  }

  /** Sends up to the limit or the source's end as fast as it goes. */
  async fullSpeed(limit: Limit): Promise<Transfer> {
    const maxBytes = limit.bytes ?? Number.POSITIVE_INFINITY;
    const maxMs = limit.durationMs ?? Number.POSITIVE_INFINITY;
    const hash = createHash('sha256');
    const watch = new Stopwatch();
    let bytes = 0;
    for (;;) {
      const wanted = Math.min(this.#slice.length, maxBytes - bytes);
      const leftMs = maxMs - watch.read().elapsedMs;
      if (wanted <= 0 || leftMs <= 0) break;
      const filled = await this.#source.fill(this.#slice.subarray(0, wanted));
      if (filled === 0) break;
      watch.start();
      this.#mark('slice-begin');
      const sent = await this.#push(this.#slice.subarray(0, filled), performance.now() + leftMs);
      this.#mark('slice-end');
      await this.#marks.expect('slice-taken');
      watch.stop();
      this.#mark('slice-settle');
      hash.update(this.#slice.subarray(0, sent));
      bytes += sent;
      await this.#marks.expect('slice-ready');
      // The channel owns the slice until it is acknowledged.
      await drained(this.#channel);
    }
    this.#mark('transfer-end');
    return { type: 'fullSpeed', bytes, sha256: hash.digest('hex'), ...watch.read() };
  }

  /** Sends at a rate for `settleMs` and then, counted, for `durationMs`. */
  async sameLoad(bytesPerSecond: number, settleMs: number, durationMs: number): Promise<LoadReport> {
    const pacer = new Pacer(bytesPerSecond, this.#messageSize, performance.now());
    const watch = new Stopwatch();
    await this.#pushPaced(pacer, performance.now() + settleMs);
    watch.start();
    this.#mark('load-begin');
    const bytes = await this.#pushPaced(pacer, performance.now() + durationMs);
    this.#mark('load-end');
    watch.stop();
    await this.#sync();
    return { type: 'sameLoad', bytes, ...watch.read() };
  }

  /** Sends `data` in messages, as fast as the channel takes them; stops at a time. How much was sent. */
  async #push(data: Uint8Array, until: number): Promise<number> {
    let at = 0;
    while (at < data.length && performance.now() < until) {
      const end = Math.min(at + this.#messageSize, data.length);
      await this.#send(data.subarray(at, end));
      at = end;
    }
    return at;
  }

  /** Sends out of the slice, over and over: it stays as it is. */
  async #pushPaced(pacer: Pacer, until: number): Promise<number> {
    const size = this.#messageSize;
    let bytes = 0;
    for (let at = 0; performance.now() < until; ) {
      if (!pacer.take(performance.now(), size)) {
        await sleep(Math.max(pacingQuantumMs, pacer.waitMs(size)));
        continue;
      }
      if (at + size > this.#slice.length) at = 0;
      await this.#send(this.#slice.subarray(at, at + size));
      at += size;
      bytes += size;
    }
    return bytes;
  }

  async #send(message: Uint8Array): Promise<void> {
    this.sentBytes += message.length;
    if (!this.#channel.send(message)) await this.#channel.writable();
  }

  #mark(mark: Mark): void {
    this.#channel.send(mark);
  }

  async #sync(): Promise<void> {
    this.#mark('sync');
    await this.#marks.expect('synced');
    await drained(this.#channel);
  }
}
