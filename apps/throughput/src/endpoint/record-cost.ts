import type { Arena } from '@millrace/core';
import { createRecordArena, createRecordCipher, createRecordQueue, type RecordCipher, type RecordQueue } from '@millrace/crypto';
import type { DemoEngine } from '../engines.ts';
import { median } from '../statistics.ts';
import type { Suite } from '../suites.ts';
import type { RecordCostReport, Role } from './protocol.ts';

/** Records that are protected by one flush: about what a driver's turn has. */
const batchRecords = 32;
const countedBatches = 128;
const headerBytes = 13;

export interface RecordCostOptions {
  /** The sender seals, the receiver opens. */
  readonly role: Role;
  readonly suite: Suite;
  readonly engine: DemoEngine;
  /** Bytes of a whole record. */
  readonly datagramBytes: number;
  readonly durationMs: number;
}

/**
 * The cost of protecting full records with nothing around it: the record queue over an arena, as in
 * the transfer. Time is the median over batches. Bytes are what is left to the collector, on V8's
 * heap and in array buffers outside of it; memory that an engine gives back at once is not counted.
 */
export function costRecords(options: RecordCostOptions, collect: (() => void) | undefined): RecordCostReport {
  const bench = new RecordBench(options);
  const times: number[] = [];
  const until = performance.now() + options.durationMs;
  while (performance.now() < until || times.length < 16) times.push(bench.timeBatch());
  collect?.();
  const bytesPerRecord = bench.countBytes();
  bench.destroy();
  return { type: 'recordCost', nsPerRecord: median(times), bytesPerRecord };
}

class RecordBench {
  readonly #opens: boolean;
  readonly #recordBytes: number;
  readonly #queue: RecordQueue;
  readonly #arena: Arena;
  readonly #starts: readonly number[];
  readonly #sealing: RecordCipher;
  readonly #opening: RecordCipher;
  readonly #sink: { recordOpened(data: Uint8Array, start: number, end: number, authentic: boolean): void };
  #sequenceNumber = 0;
  #rejected = 0;

  constructor(options: RecordCostOptions) {
    const { suite, engine } = options;
    this.#opens = options.role === 'receiver';
    this.#recordBytes = options.datagramBytes;
    const slotBytes = Math.ceil((this.#recordBytes + 64) / 16) * 16;
    this.#arena = createRecordArena({ slotBytes, slots: batchRecords, payloadSkew: 11 });
    this.#starts = Array.from({ length: batchRecords }, () => this.#arena.take());
    this.#queue = createRecordQueue(this.#arena);
    const secrets = { key: new Uint8Array(suite.keyBytes).fill(7), iv: new Uint8Array(suite.saltBytes).fill(9) };
    this.#sealing = createRecordCipher({ algorithm: suite.algorithm, engine, ...secrets });
    this.#opening = createRecordCipher({ algorithm: suite.algorithm, engine, ...secrets });
    this.#sink = {
      recordOpened: (_data, _start, _end, authentic) => {
        if (!authentic) this.#rejected++;
      },
    };
  }

  /** ns per record of one batch. */
  timeBatch(): number {
    this.#prepare();
    const begin = process.hrtime.bigint();
    this.#protect();
    return Number(process.hrtime.bigint() - begin) / batchRecords;
  }

  /** Bytes per record over many batches; what looking at the heap allocates itself is taken off. */
  countBytes(): number {
    const counted = usualGrowth(
      () => this.#prepare(),
      () => this.#protect(),
    );
    const looking = usualGrowth(
      () => this.#prepare(),
      () => {},
    );
    return Math.max(0, counted - looking) / batchRecords;
  }

  destroy(): void {
    this.#sealing.destroy();
    this.#opening.destroy();
    if (this.#rejected > 0) throw new Error(`${this.#rejected} records of the cost measurement did not open`);
  }

  /** What comes before the part that is measured: headers, and sealing where opening is measured. */
  #prepare(): void {
    for (const start of this.#starts) this.#writeHeader(start);
    if (this.#opens) this.#seal();
  }

  #protect(): void {
    if (this.#opens) this.#open();
    else this.#seal();
  }

  #seal(): void {
    for (const start of this.#starts) this.#queue.seal(this.#sealing, this.#arena.data, start, start + this.#recordBytes);
    this.#queue.flush();
  }

  #open(): void {
    for (const start of this.#starts) {
      this.#queue.open(this.#opening, this.#arena.data, start, start + this.#recordBytes, this.#sink);
    }
    this.#queue.flush();
  }

  /** Application data, DTLS 1.2, epoch 1 (RFC 6347 section 4.1). */
  #writeHeader(start: number): void {
    const { data } = this.#arena;
    const fragmentBytes = this.#recordBytes - headerBytes;
    const sequenceNumber = this.#sequenceNumber++;
    data.set([23, 0xfe, 0xfd, 0, 1, 0, 0], start);
    data[start + 7] = sequenceNumber >>> 24;
    data[start + 8] = sequenceNumber >>> 16;
    data[start + 9] = sequenceNumber >>> 8;
    data[start + 10] = sequenceNumber;
    data[start + 11] = fragmentBytes >>> 8;
    data[start + 12] = fragmentBytes;
  }
}

/**
 * By how many bytes memory grows in `act`. V8 grows its heap in steps, so there the mean is right,
 * without the times in which a collection fell. Array buffers are freed at any time by a thread of
 * the collector's own, so there it is the median.
 */
function usualGrowth(prepare: () => void, act: () => void): number {
  const heap: number[] = [];
  const buffers: number[] = [];
  for (let i = 0; i < countedBatches; i++) {
    prepare();
    const before = process.memoryUsage();
    act();
    const after = process.memoryUsage();
    if (after.heapUsed >= before.heapUsed) heap.push(after.heapUsed - before.heapUsed);
    buffers.push(after.arrayBuffers - before.arrayBuffers);
  }
  return heap.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, heap.length) + median(buffers);
}
