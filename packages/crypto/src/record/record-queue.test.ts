import { randomBytes, seededRandom } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import {
  createImmediateRecordQueue,
  createRecordCipher,
  createRecordQueue,
  type RecordCipher,
  type RecordQueue,
} from '../node/index.ts';

const key = randomBytes(seededRandom(1), 16);
const iv = randomBytes(seededRandom(2), 4);
const create = (): RecordCipher => createRecordCipher({ algorithm: 'AES-128-CCM', key, iv });

function unsealed(sequenceNumber: number, size: number): Uint8Array {
  const data = new Uint8Array(13 + 8 + size + 16);
  data.set([23, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, sequenceNumber >>> 8, sequenceNumber, (size + 24) >>> 8, size + 24]);
  data.fill(sequenceNumber, 21, 21 + size);
  return data;
}

function drive(queue: RecordQueue, flush: boolean): { order: string[]; records: Uint8Array[] } {
  const seal = create();
  const open = create();
  const order: string[] = [];
  const records = [10, 0, 700, 33, 1200].map((size, i) => unsealed(i, size));
  for (const record of records) queue.seal(seal, record, 0, record.length);
  if (flush) queue.flush();
  const sealed = records.map((record) => record.slice());
  const forged = records[2]!.slice();
  forged[40]! ^= 1;
  const sink = {
    recordOpened: (data: Uint8Array, _start: number, end: number, authentic: boolean) =>
      void order.push(`${data[10]} ${authentic} ${end} ${data[21]}`),
  };
  for (const record of [...sealed, forged]) queue.open(open, record, 0, record.length, sink);
  if (flush) queue.flush();
  return { order, records };
}

describe('record queue', () => {
  test('does jobs in order and counts them', () => {
    const queue = createRecordQueue();
    const { order } = drive(queue, true);
    expect(order).toEqual([
      '0 true 47 0',
      expect.stringMatching(/^1 true 37 /),
      '2 true 737 2',
      '3 true 70 3',
      '4 true 1237 4',
      '2 false 737 0',
    ]);
    expect(queue.stats).toMatchObject({ sealed: 5, opened: 5, rejected: 1, flushes: 2 });
    expect(queue.pending).toBe(0);
  });

  test('leaves the bytes alone until the flush', () => {
    const queue = createRecordQueue();
    const record = unsealed(1, 20);
    const before = record.slice();
    queue.seal(create(), record, 0, record.length);
    expect(queue.pending).toBe(1);
    expect(record).toEqual(before);
    queue.flush();
    expect(record).not.toEqual(before);
    queue.flush();
    expect(queue.stats.flushes).toBe(1);
  });

  test('gives the same bytes and results as a queue that works at once', () => {
    const batched = drive(createRecordQueue(), true);
    const immediate = drive(createImmediateRecordQueue(), false);
    expect(immediate.order).toEqual(batched.order);
    expect(immediate.records).toEqual(batched.records);
  });

  test('a sink may queue jobs and flush, which are then done in order', () => {
    const queue = createRecordQueue();
    const open = create();
    const order: number[] = [];
    const records = [1, 2, 3, 4].map((number) => unsealed(number, 16));
    for (const record of records) create().sealRecord(record, 0, record.length);
    const push = (i: number): void => queue.open(open, records[i]!, 0, records[i]!.length, sink);
    const sink = {
      recordOpened(data: Uint8Array, _start: number, _end: number, authentic: boolean): void {
        expect(authentic).toBe(true);
        order.push(data[10]!);
        if (data[10] === 1) {
          push(2);
          queue.flush();
          order.push(0);
        }
        if (data[10] === 3) push(3);
      },
    };
    push(0);
    push(1);
    queue.flush();
    expect(order).toEqual([1, 2, 3, 4, 0]);
    expect(queue.pending).toBe(0);
  });

  test('a sink that throws does not lose the jobs after it', () => {
    const queue = createRecordQueue();
    const open = create();
    const seen: number[] = [];
    for (const number of [1, 2, 3]) {
      const record = unsealed(number, 16);
      create().sealRecord(record, 0, record.length);
      queue.open(open, record, 0, record.length, {
        recordOpened(data) {
          seen.push(data[10]!);
          if (data[10] === 1) throw new Error('of the application');
        },
      });
    }
    expect(() => queue.flush()).toThrow('of the application');
    expect(queue.pending).toBe(2);
    queue.flush();
    expect(seen).toEqual([1, 2, 3]);
  });

  test('an immediate queue never holds a job', () => {
    const queue = createImmediateRecordQueue();
    drive(queue, false);
    queue.flush();
    expect(queue.pending).toBe(0);
    expect(queue.stats).toMatchObject({ sealed: 5, opened: 5, rejected: 1, flushes: 11 });
  });
});
