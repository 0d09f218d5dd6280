import { expect, test } from 'vitest';
import { Pacer } from './pacer.ts';

test('over any time the rate is kept, and never exceeded by more than a burst', () => {
  const pacer = new Pacer(1_000_000, 1000, 0);
  let bytes = 0;
  for (let now = 0; now <= 1000; now += 1.7) {
    while (pacer.take(now, 1000)) bytes += 1000;
    expect(bytes).toBeLessThanOrEqual(1000 * now);
  }
  expect(bytes).toBeGreaterThanOrEqual(997_000);
});

test('a long pause is not made up for', () => {
  const pacer = new Pacer(1_000_000, 1000, 0);
  let bytes = 0;
  while (pacer.take(10_000, 1000)) bytes += 1000;
  expect(bytes).toBe(50_000);
});

test('a message larger than a burst gets its turn', () => {
  const pacer = new Pacer(1_000_000, 200_000, 0);
  expect(pacer.take(100, 200_000)).toBe(false);
  expect(pacer.waitMs(200_000)).toBeCloseTo(100);
  expect(pacer.take(200, 200_000)).toBe(true);
});
