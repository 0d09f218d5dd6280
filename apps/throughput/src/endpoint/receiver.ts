import { createHash, type Hash } from 'node:crypto';
import type { Channel } from '@millrace/datachannel/server';
import type { Mark } from './marks.ts';
import type { LoadReport, Transfer } from './protocol.ts';
import type { Sink } from './sink.ts';
import { sliceBytes } from './slice.ts';
import { Stopwatch } from './stopwatch.ts';

export interface ReceiverListener {
  report(report: Transfer | LoadReport): void;
  /** The transfer can't go on. */
  failed(error: Error): void;
}

/** The receiving end: it does what the sender's marks say, and reports what it measured. */
export class Receiver {
  /** Payload that has arrived since the beginning. */
  receivedBytes = 0;
  readonly #channel: Channel;
  readonly #sink: Sink;
  readonly #listener: ReceiverListener;
  /** Written once, so that the operating system gives its pages now and not in the measured interval. */
  readonly #slice: Uint8Array = new Uint8Array(sliceBytes).fill(1);
  #filled = 0;
  #mode: 'idle' | 'slice' | 'load' = 'idle';
  #hash: Hash = createHash('sha256');
  #transfer: Stopwatch = new Stopwatch();
  #transferBytes = 0;
  #load: Stopwatch = new Stopwatch();
  #loadBytes = 0;

  constructor(channel: Channel, sink: Sink, listener: ReceiverListener) {
    this.#channel = channel;
    this.#sink = sink;
    this.#listener = listener;
    channel.on('message', (data) => {
      if (typeof data === 'string') this.#handleMark(data as Mark);
      else this.#handleData(data);
    });
    channel.on('close', (error) => listener.failed(error ?? new Error('the sender closed the channel')));
  }

  #handleData(data: Uint8Array): void {
    this.receivedBytes += data.length;
    if (this.#mode === 'load') this.#loadBytes += data.length;
    if (this.#mode !== 'slice') return;
    if (this.#filled + data.length > this.#slice.length) {
      this.#listener.failed(new Error('more arrived than a slice holds'));
      return;
    }
    this.#slice.set(data, this.#filled);
    this.#filled += data.length;
  }

  #handleMark(mark: Mark): void {
    switch (mark) {
      case 'sync':
        this.#channel.send('synced' satisfies Mark);
        return;
      case 'slice-begin':
        this.#mode = 'slice';
        this.#filled = 0;
        this.#transfer.start();
        return;
      case 'slice-end':
        this.#transfer.stop();
        this.#mode = 'idle';
        this.#channel.send('slice-taken' satisfies Mark);
        return;
      case 'slice-settle':
        this.#settleSlice().catch((error: Error) => this.#listener.failed(error));
        return;
      case 'transfer-end':
        this.#endTransfer();
        return;
      case 'load-begin':
        this.#mode = 'load';
        this.#loadBytes = 0;
        this.#load = new Stopwatch();
        this.#load.start();
        return;
      case 'load-end':
        this.#load.stop();
        this.#mode = 'idle';
        this.#listener.report({ type: 'sameLoad', bytes: this.#loadBytes, ...this.#load.read() });
        return;
      default:
        this.#listener.failed(new Error(`the sender said "${mark}", which is not known`));
    }
  }

  /** Hashing holds up the event loop, so it waits for the sender to say that its clock stands. */
  async #settleSlice(): Promise<void> {
    const arrived = this.#slice.subarray(0, this.#filled);
    this.#transferBytes += arrived.length;
    this.#hash.update(arrived);
    await this.#sink.write(arrived);
    this.#channel.send('slice-ready' satisfies Mark);
  }

  #endTransfer(): void {
    const bytes = this.#transferBytes;
    const sha256 = this.#hash.digest('hex');
    this.#listener.report({ type: 'fullSpeed', bytes, sha256, ...this.#transfer.read() });
    this.#hash = createHash('sha256');
    this.#transfer = new Stopwatch();
    this.#transferBytes = 0;
  }
}
