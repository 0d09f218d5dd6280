import type { Arena } from '@millrace/core';
import { type KernelMemory, kernelsOver, sharedKernels } from '../kernel/kernel-memory.ts';
import { maxLanes } from '../kernel/memory-layout.ts';
import type { RecordCipher, RecordQueue, RecordQueueStats, RecordSink } from '../record.ts';
import { isLaneCipher, type LaneCipher } from './lane-cipher.ts';

/**
 * The record queue of a driver: it collects the jobs of many connections and does them in `flush`,
 * in the order in which they came. Pending jobs sit in arrays that grow to the largest batch and
 * are used again, so a job allocates nothing.
 *
 * @param arena where most records stand: made by `createRecordArena`, kernels take them without a copy.
 */
export function createRecordQueue(arena?: Arena): RecordQueue {
  return new BatchedRecordQueue(arena);
}

/** A batch of one: every job is done by the call that brings it. */
export function createImmediateRecordQueue(): RecordQueue {
  return new ImmediateRecordQueue();
}

class Counters implements RecordQueueStats {
  sealed = 0;
  opened = 0;
  rejected = 0;
  flushes = 0;
  batches = 0;
  batchedRecords = 0;

  get recordsPerFlush(): number {
    return this.flushes === 0 ? 0 : (this.sealed + this.opened + this.rejected) / this.flushes;
  }
}

/** What came of a job that was protected in a batch, ahead of its turn. */
const waiting = 0;
const authenticJob = 1;
const forgedJob = 2;

class BatchedRecordQueue implements RecordQueue {
  readonly stats: Counters = new Counters();
  readonly #kernels: KernelMemory | undefined;
  readonly #ciphers: (RecordCipher | undefined)[] = [];
  readonly #data: (Uint8Array | undefined)[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The sink of a job that opens; `undefined` marks one that seals. */
  readonly #sinks: (RecordSink | undefined)[] = [];
  readonly #results: number[] = [];
  /** Jobs taken since the queue was last empty, and how many of them are done. */
  #taken = 0;
  #done = 0;

  constructor(arena: Arena | undefined) {
    this.#kernels = (arena && kernelsOver(arena.data)) ?? sharedKernels();
  }

  get pending(): number {
    return this.#taken - this.#done;
  }

  seal(cipher: RecordCipher, data: Uint8Array, start: number, end: number): void {
    this.#push(cipher, data, start, end, undefined);
  }

  open(cipher: RecordCipher, data: Uint8Array, start: number, end: number, sink: RecordSink): void {
    this.#push(cipher, data, start, end, sink);
  }

  flush(): void {
    if (this.#done === this.#taken) return;
    this.stats.flushes++;
    // A sink may queue jobs and even flush: both loops then walk the same cursor, in order.
    while (this.#done < this.#taken) {
      if (this.#results[this.#done] === waiting) this.#protectBatch(this.#done);
      const job = this.#done++;
      const result = this.#results[job]!;
      const cipher = this.#ciphers[job]!;
      const data = this.#data[job]!;
      const start = this.#starts[job]!;
      const end = this.#ends[job]!;
      const sink = this.#sinks[job];
      this.#ciphers[job] = undefined;
      this.#data[job] = undefined;
      this.#sinks[job] = undefined;
      if (this.#done === this.#taken) {
        this.#done = 0;
        this.#taken = 0;
      }
      if (sink === undefined) {
        if (result === waiting) cipher.sealRecord(data, start, end);
        this.stats.sealed++;
      } else {
        const authentic = result === waiting ? cipher.openRecord(data, start, end) : result === authenticJob;
        if (authentic) this.stats.opened++;
        else this.stats.rejected++;
        sink.recordOpened(data, start, end, authentic);
      }
    }
  }

  #push(cipher: RecordCipher, data: Uint8Array, start: number, end: number, sink: RecordSink | undefined): void {
    const job = this.#taken++;
    this.#ciphers[job] = cipher;
    this.#data[job] = data;
    this.#starts[job] = start;
    this.#ends[job] = end;
    this.#sinks[job] = sink;
    this.#results[job] = waiting;
  }

  /**
   * Protects the job and those after it in one call of a kernel, as far as they are fit for it. What
   * the sinks see stays the same: each is called in its job's turn. Two jobs on the same bytes, such
   * as a record that came twice into one slot, never share a batch.
   */
  #protectBatch(first: number): void {
    const kernels = this.#kernels;
    const expected = Math.min(maxLanes, this.#taken - first);
    if (kernels === undefined || expected < 2) return;
    let count = 0;
    while (count < expected && this.#prepare(kernels, first, count, expected)) count++;
    if (count === 0) return;
    kernels.places.assignLanes(count);
    for (let place = 0; place < count; place++) this.#cipherAt(first + place).stage(kernels, place, this.#opens(first + place));
    kernels.lanes.run(count);
    for (let place = 0; place < count; place++) {
      const job = first + place;
      const cipher = this.#cipherAt(job);
      const authentic = cipher.finish(kernels, place, this.#data[job]!, this.#starts[job]!, this.#ends[job]!, this.#opens(job));
      this.#results[job] = authentic ? authenticJob : forgedJob;
    }
    if (count === 1) return;
    this.stats.batches++;
    this.stats.batchedRecords += count;
  }

  #prepare(kernels: KernelMemory, first: number, place: number, expected: number): boolean {
    const job = first + place;
    const cipher = this.#ciphers[job]!;
    if (!isLaneCipher(cipher)) return false;
    const data = this.#data[job]!;
    const start = this.#starts[job]!;
    const end = this.#ends[job]!;
    for (let other = first; other < job; other++) {
      const before = this.#data[other]!;
      if (before !== data && before.buffer !== data.buffer) continue;
      const shift = data.byteOffset - before.byteOffset;
      if (start + shift < this.#ends[other]! && this.#starts[other]! < end + shift) return false;
    }
    return cipher.prepare(kernels, place, expected, data, start, end, this.#opens(job));
  }

  #cipherAt(job: number): LaneCipher {
    return this.#ciphers[job] as LaneCipher;
  }

  #opens(job: number): boolean {
    return this.#sinks[job] !== undefined;
  }
}

class ImmediateRecordQueue implements RecordQueue {
  readonly stats: Counters = new Counters();
  readonly pending = 0;

  seal(cipher: RecordCipher, data: Uint8Array, start: number, end: number): void {
    cipher.sealRecord(data, start, end);
    this.stats.sealed++;
    this.stats.flushes++;
  }

  open(cipher: RecordCipher, data: Uint8Array, start: number, end: number, sink: RecordSink): void {
    const authentic = cipher.openRecord(data, start, end);
    if (authentic) this.stats.opened++;
    else this.stats.rejected++;
    this.stats.flushes++;
    sink.recordOpened(data, start, end, authentic);
  }

  flush(): void {
    // Nothing ever waits here.
  }
}
