import { randomUint32, seededRandom } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { KeystreamPool, maxPieceBytes, orderOf, type PoolUser } from './keystream-pool.ts';
import { arenaAt, poolAt, poolBytes } from './memory-layout.ts';

const bytes: Uint8Array = new Uint8Array(arenaAt);
const nobody: PoolUser = { releaseIdle() {} };
const maxOrder: number = Math.log2(maxPieceBytes);

describe('keystream pool', () => {
  test('a piece is the smallest power of two that holds what is asked', () => {
    expect([1, 256, 257, 4096, 4097, maxPieceBytes].map(orderOf)).toEqual([8, 8, 9, 12, 13, maxOrder]);
    expect(orderOf(maxPieceBytes + 1)).toBe(maxOrder + 1);
  });

  test('pieces never overlap or leave the pool, are wiped, and all merge again (seed 8)', () => {
    const pool = new KeystreamPool(bytes);
    const random = seededRandom(8);
    const held: { at: number; order: number; mark: number }[] = [];
    for (let i = 1; i < 20_000; i++) {
      if (randomUint32(random) % 5 < 3) {
        const order = 8 + (randomUint32(random) % (maxOrder - 7));
        const at = pool.take(order, nobody);
        if (at === -1) continue;
        expect(at >= poolAt && at + 2 ** order <= poolAt + poolBytes).toBe(true);
        const mark = 1 + (i % 255);
        held.push({ at, order, mark });
        bytes[at] = mark;
        bytes[at + 2 ** order - 1] = mark;
      } else if (held.length > 0) {
        const [piece] = held.splice(randomUint32(random) % held.length, 1);
        const { at, order, mark } = piece!;
        expect([bytes[at], bytes[at + 2 ** order - 1]]).toEqual([mark, mark]);
        pool.give(at, order, nobody);
        expect([bytes[at], bytes[at + 2 ** order - 1]]).toEqual([0, 0]);
      }
    }
    for (const { at, order } of held) pool.give(at, order, nobody);
    for (let i = 0; i < poolBytes / maxPieceBytes; i++) expect(pool.take(maxOrder, nobody)).not.toBe(-1);
    for (let order = 8; order <= maxOrder; order++) expect(pool.take(order, nobody)).toBe(-1);
  });

  test('sweeps those who hold something, and nobody else', () => {
    const pool = new KeystreamPool(bytes);
    let swept = 0;
    const user: PoolUser = { releaseIdle: () => swept++ };
    expect(pool.isHeld).toBe(false);
    const at = pool.take(8, user);
    expect(pool.isHeld).toBe(true);
    pool.releaseIdle();
    pool.give(at, 8, user);
    expect(pool.isHeld).toBe(false);
    pool.releaseIdle();
    expect(swept).toBe(1);
  });
});
