import { createCipheriv } from 'node:crypto';
import { randomUint32, seededRandom, writeUint48 } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { hexOf } from '../../test/cases/read-vector.ts';
import { createRecordArena, type KernelMemory, kernelsOver } from './kernel-memory.ts';
import { KeystreamWindow } from './keystream-window.ts';
import { readInt32 } from './read-int32.ts';

const key: Uint8Array = new Uint8Array(16).fill(7);
const salt = [9, 8, 7, 6];

function createMemory(): KernelMemory {
  return kernelsOver(createRecordArena({ slotBytes: 64, slots: 1 }).data)!;
}

const memory: KernelMemory = createMemory();

function nonceOf(sequenceNumber: number): Uint8Array {
  const nonce = Uint8Array.of(...salt, 0, 1, 0, 0, 0, 0, 0, 0);
  writeUint48(nonce, 6, sequenceNumber);
  return nonce;
}

function oracle(nonce: Uint8Array, blocks: number): string {
  const input = new Uint8Array(16 * blocks);
  for (let block = 0; block < blocks; block++) {
    input[16 * block] = 2;
    input.set(nonce, 16 * block + 1);
    input.set([block >>> 16, block >>> 8, block], 16 * block + 13);
  }
  return hexOf(createCipheriv('aes-128-ecb', key, null).update(input));
}

/** Looks records up as a cipher does, and counts the blocks that were made ahead and those for a record alone. */
class Subject {
  readonly window: KeystreamWindow;
  made = 0;
  single = 0;

  constructor() {
    const cipher = createCipheriv('aes-128-ecb', key, null);
    this.window = new KeystreamWindow((kernels, at, blocks) => {
      this.made += blocks;
      kernels.bytes.set(cipher.update(kernels.bytes.subarray(at, at + 16 * blocks)), at);
    });
  }

  /** Returns how many blocks were made for it. */
  look(nonce: Uint8Array, blocks: number, authentic = true, kernels: KernelMemory = memory): number {
    const before = this.made + this.single;
    const [n0, n1, n2] = [readInt32(nonce, 0), readInt32(nonce, 4), readInt32(nonce, 8)];
    let at = this.window.find(kernels, n0, n1, n2, blocks);
    if (at === -1 && this.window.isNext(kernels, n0, n1, n2)) at = this.window.advance(kernels, n0, n1, n2, blocks);
    if (at === -1) this.single += blocks;
    else expect(hexOf(kernels.bytes.subarray(at, at + 16 * blocks))).toBe(oracle(nonce, blocks));
    if (authentic) this.window.confirm(n0, n1, n2, blocks);
    return this.made + this.single - before;
  }
}

describe('keystream window', () => {
  test('grows with use, from single records to 32 in one call', () => {
    const subject = new Subject();
    const calls: number[] = [];
    for (let i = 0; i < 192; i++) {
      const made = subject.look(nonceOf(1024 + i), 5);
      if (made > 0) calls.push(made / 5);
    }
    expect(calls.slice(0, 3)).toEqual([1, 2, 4]);
    expect(calls.slice(-3)).toEqual([32, 32, 32]);
    expect(calls.every((records, i) => i === 0 || records <= 2 * calls[i - 1]!)).toBe(true);
    subject.window.release();
  });

  test('any sequence number works, also where its low part carries over', () => {
    for (const base of [0, 250, 2 ** 31 - 50, 2 ** 32 - 40, 2 ** 48 - 100]) {
      const subject = new Subject();
      let calls = 0;
      for (let i = 0; i < 100; i++) if (subject.look(nonceOf(base + i), 3) > 0) calls++;
      expect(calls, `from ${base}`).toBeLessThan(14);
      subject.window.release();
    }
  });

  test('forged sequence numbers cost their own record and never refill the window (seed 4)', () => {
    const subject = new Subject();
    const random = seededRandom(4);
    for (let i = 0; i < 100; i++) subject.look(nonceOf(i), 20);
    let genuine = 0;
    for (let i = 100; i < 400; i++) {
      for (let forged = 0; forged < 5; forged++) {
        const near = randomUint32(random) % 3 === 0;
        const number = near ? i + 40 + (randomUint32(random) % 200) : randomUint32(random);
        const { made } = subject;
        subject.look(nonceOf(number), 20, false);
        expect(subject.made).toBe(made);
      }
      genuine += subject.look(nonceOf(i), 20);
    }
    expect(genuine).toBeLessThan(20 * 340);
    subject.window.release();
  });

  test('a forgery of the next record makes at most one window, which the next record uses', () => {
    const subject = new Subject();
    for (let i = 0; i < 64; i++) subject.look(nonceOf(i), 4);
    const before = subject.made;
    for (let i = 64; i < 264; i++) {
      for (let forged = 0; forged < 10; forged++) subject.look(nonceOf(i + (forged % 3)), 4, false);
      subject.look(nonceOf(i), 4);
    }
    expect(subject.made - before).toBeLessThan(4 * (200 + 32));
    subject.window.release();
  });

  test('a forgery longer than the records of the window leaves it where it is', () => {
    const subject = new Subject();
    for (let i = 0; i < 70; i++) subject.look(nonceOf(i), 4);
    const { made } = subject;
    for (let i = 70; i < 74; i++) expect(subject.look(nonceOf(i), 60, false)).toBe(60);
    expect(subject.made).toBe(made);
    subject.window.release();
  });

  test('scattered nonces never make more than their own keystream (seed 5)', () => {
    const subject = new Subject();
    const random = seededRandom(5);
    for (let i = 0; i < 200; i++) {
      const nonce = nonceOf(0);
      for (let k = 4; k < 12; k++) nonce[k] = randomUint32(random);
      expect(subject.look(nonce, 7)).toBe(7);
    }
    expect(memory.pool.isHeld).toBe(false);
  });

  test('reordered and lost records are served from the window (seed 6)', () => {
    const subject = new Subject();
    const random = seededRandom(6);
    const numbers = Array.from({ length: 600 }, (_, i) => i).filter(() => randomUint32(random) % 20 !== 0);
    for (let i = 0; i + 3 < numbers.length; i += 2) {
      const other = i + (randomUint32(random) % 3);
      [numbers[i], numbers[other]] = [numbers[other]!, numbers[i]!];
    }
    let calls = 0;
    for (const number of numbers) if (subject.look(nonceOf(number), 6) > 0) calls++;
    expect(calls).toBeLessThan(90);
    subject.window.release();
  });

  test('is made for the size of the records that are sent', () => {
    const subject = new Subject();
    const during = (from: number, to: number, blocks: number): number => {
      const before = subject.made + subject.single;
      for (let i = from; i < to; i++) subject.look(nonceOf(i), blocks);
      return subject.made + subject.single - before;
    };
    during(0, 300, 76);
    expect(during(300, 400, 4)).toBeLessThan(32 * 77 + 4 * 140);
    expect(during(400, 600, 76)).toBeLessThan(76 * 250);
    subject.window.release();
  });

  test('a rare long record among short ones does not make the window long', () => {
    const subject = new Subject();
    for (let i = 0; i < 640; i++) subject.look(nonceOf(i), i % 32 === 0 ? 76 : 3);
    expect(subject.made + subject.single).toBeLessThan((640 * 76) / 4);
    subject.window.release();
  });

  test('what it holds is wiped when released, and it starts anew', () => {
    const subject = new Subject();
    for (let i = 0; i < 60; i++) subject.look(nonceOf(i), 10);
    const [n0, n1] = [readInt32(nonceOf(0), 0), readInt32(nonceOf(0), 4)];
    const at = subject.window.find(memory, n0, n1, 59, 10);
    expect(at).not.toBe(-1);
    subject.window.release();
    expect(memory.bytes.subarray(at, at + 160).every((byte) => byte === 0)).toBe(true);
    expect(subject.window.find(memory, n0, n1, 59, 10)).toBe(-1);
    expect(memory.pool.isHeld).toBe(false);
    expect(subject.look(nonceOf(60), 10)).toBe(10 * 2);
    subject.window.release();
  });

  test('is released when it was idle between two sweeps, and not before', () => {
    const subject = new Subject();
    for (let i = 0; i < 60; i++) subject.look(nonceOf(i), 10);
    memory.pool.releaseIdle();
    expect(memory.pool.isHeld).toBe(true);
    subject.look(nonceOf(60), 10);
    memory.pool.releaseIdle();
    expect(memory.pool.isHeld).toBe(true);
    memory.pool.releaseIdle();
    expect(memory.pool.isHeld).toBe(false);
  });

  test('follows its cipher into another memory', () => {
    const subject = new Subject();
    const other = createMemory();
    for (let i = 0; i < 60; i++) subject.look(nonceOf(i), 10);
    for (let i = 60; i < 160; i++) subject.look(nonceOf(i), 10, true, other);
    expect(memory.pool.isHeld).toBe(false);
    expect(subject.made + subject.single).toBeLessThan(10 * (160 + 100));
    subject.window.release();
  });

  test('does without where the pool has nothing left', () => {
    const other = createMemory();
    for (let i = 0; i < 2000 && other.pool.take(16, { releaseIdle() {} }) !== -1; i++);
    const subject = new Subject();
    for (let i = 0; i < 50; i++) expect(subject.look(nonceOf(i), 10, true, other)).toBe(10);
  });
});
