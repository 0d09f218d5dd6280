import { expect, test } from 'vitest';
import { formatHex } from './bytes.ts';
import { randomBytes, randomUint32, randomUnit, seededRandom } from './random.ts';

test('a seed always gives the same bytes, another seed gives others', () => {
  expect(formatHex(randomBytes(seededRandom(42), 32))).toBe(formatHex(randomBytes(seededRandom(42), 32)));
  expect(formatHex(randomBytes(seededRandom(42), 32))).not.toBe(formatHex(randomBytes(seededRandom(43), 32)));
});

test('only the range asked for is overwritten', () => {
  const target = new Uint8Array(12);
  seededRandom(1).fill(target, 3, 9);
  expect([...target.subarray(0, 3), ...target.subarray(9)]).toEqual([0, 0, 0, 0, 0, 0]);
  expect(target.subarray(3, 9).some((byte) => byte !== 0)).toBe(true);
});

test('values spread over their whole range', () => {
  const random = seededRandom(7);
  const buckets = new Array<number>(16).fill(0);
  for (let i = 0; i < 16_000; i++) {
    buckets[randomUint32(random) >>> 28]!++;
    const unit = randomUnit(random);
    expect(unit >= 0 && unit < 1).toBe(true);
  }
  for (const count of buckets) expect(count).toBeGreaterThan(800);
});
