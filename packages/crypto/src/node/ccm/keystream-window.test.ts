import { createCipheriv } from 'node:crypto';
import { randomBytes, randomUint32, seededRandom, writeUint48 } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { hexOf } from '../../../test/cases/read-vector.ts';
import { KeystreamWindow } from './keystream-window.ts';

const key = randomBytes(seededRandom(1), 16);

function nonceOf(sequenceNumber: number): Uint8Array {
  const nonce = Uint8Array.of(9, 8, 7, 6, 0, 1, 0, 0, 0, 0, 0, 0);
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

function create(): { window: KeystreamWindow; look(nonce: Uint8Array, blocks: number, authentic?: boolean): number } {
  const window = new KeystreamWindow('aes-128-ecb', key);
  return {
    window,
    /** Looks a nonce up and checks the keystream. Returns how many blocks were made for it. */
    look(nonce, blocks, authentic = true) {
      const before = window.madeBlocks;
      const { bytes } = window.find(nonce, blocks);
      expect(hexOf(bytes.subarray(window.offset, window.offset + 16 * blocks))).toBe(oracle(nonce, blocks));
      if (authentic) window.confirm(blocks);
      return window.madeBlocks - before;
    },
  };
}

describe('keystream window', () => {
  test('grows with use, from single records to 32 in one call', () => {
    const { look } = create();
    const calls: number[] = [];
    for (let i = 0; i < 191; i++) {
      const made = look(nonceOf(1024 + i), 5);
      if (made > 0) calls.push(made / 5);
    }
    expect(calls).toEqual([1, 2, 4, 8, 16, 32, 32, 32, 32, 32]);
  });

  test('any sequence number works, also where its low part carries over', () => {
    for (const base of [0, 250, 2 ** 32 - 40, 2 ** 48 - 100]) {
      const { look } = create();
      let calls = 0;
      for (let i = 0; i < 100; i++) if (look(nonceOf(base + i), 3) > 0) calls++;
      expect(calls, `from ${base}`).toBeLessThan(14);
    }
  });

  test('forged sequence numbers cost their own record and do not move the window', () => {
    const { look } = create();
    const random = seededRandom(4);
    for (let i = 0; i < 100; i++) look(nonceOf(i), 20);
    let genuine = 0;
    for (let i = 100; i < 400; i++) {
      for (let forged = 0; forged < 5; forged++) {
        const near = randomUint32(random) % 3 === 0;
        const number = near ? i + 40 + (randomUint32(random) % 200) : randomUint32(random);
        expect(look(nonceOf(number), 20, false)).toBe(20);
      }
      genuine += look(nonceOf(i), 20);
    }
    expect(genuine).toBeLessThan(20 * 340);
  });

  test('a forgery of the next record makes at most one window, which the next record uses', () => {
    const { look } = create();
    for (let i = 0; i < 64; i++) look(nonceOf(i), 4);
    let made = 0;
    for (let i = 64; i < 264; i++) {
      for (let forged = 0; forged < 10; forged++) made += look(nonceOf(i + (forged % 3)), 4, false);
      made += look(nonceOf(i), 4);
    }
    // Ahead of a window's end there are two forgeries beyond it, ten times a record.
    expect(made).toBeLessThan(4 * (200 + 32 + 7 * 2 * 10));
  });

  test('random nonces never make more than their own keystream', () => {
    const { look } = create();
    const random = seededRandom(5);
    for (let i = 0; i < 200; i++) {
      const nonce = nonceOf(0);
      nonce.set(randomBytes(random, 8), 4);
      expect(look(nonce, 7)).toBe(7);
    }
  });

  test('reordered and lost records are served from the window', () => {
    const { look } = create();
    const random = seededRandom(6);
    const numbers = Array.from({ length: 600 }, (_, i) => i).filter(() => randomUint32(random) % 20 !== 0);
    for (let i = 0; i + 3 < numbers.length; i += 2) {
      const other = i + (randomUint32(random) % 3);
      [numbers[i], numbers[other]] = [numbers[other]!, numbers[i]!];
    }
    let calls = 0;
    for (const number of numbers) if (look(nonceOf(number), 6) > 0) calls++;
    expect(calls).toBeLessThan(90);
  });

  test('is made for the size of the records that are sent', () => {
    const { window, look } = create();
    for (let i = 0; i < 300; i++) look(nonceOf(i), 76);
    const full = window.madeBlocks;
    for (let i = 300; i < 400; i++) look(nonceOf(i), 4);
    expect(window.madeBlocks - full).toBeLessThan(32 * 77 + 4 * 140);
    const short = window.madeBlocks;
    for (let i = 400; i < 600; i++) look(nonceOf(i), 76);
    expect(window.madeBlocks - short).toBeLessThan(76 * 250);
  });

  test('a rare long record among short ones does not make the window long', () => {
    const { window, look } = create();
    for (let i = 0; i < 640; i++) look(nonceOf(i), i % 32 === 0 ? 76 : 3);
    expect(window.madeBlocks).toBeLessThan((640 * 76) / 4);
  });

  test('holds at most 40 KiB, whatever the size of the records', () => {
    const { window, look } = create();
    for (let i = 0; i < 40; i++) look(nonceOf(i), 1025);
    expect(window.find(nonceOf(40), 1025).bytes.length).toBeLessThanOrEqual(2560 * 16);
  });
});
