import { randomUint32, seededRandom } from '@millrace/core';
import { expect, test } from 'vitest';
import { ReplayWindow } from './replay-window.ts';

function accept(window: ReplayWindow, sequenceNumber: number): boolean {
  if (!window.check(sequenceNumber)) return false;
  window.commit(sequenceNumber);
  return true;
}

test('TLS-2: the window takes each number once, and none older than 64', () => {
  const window = new ReplayWindow();
  expect([0, 0, 5, 3, 5, 68, 4, 5, 69, 5, 6, 37, 36, 37].map((n) => accept(window, n))).toEqual([
    true,
    false,
    true,
    true,
    false,
    true,
    false,
    false,
    true,
    false,
    true,
    true,
    true,
    false,
  ]);
});

test('numbers up to 2^48 and jumps of any size are told apart', () => {
  const window = new ReplayWindow();
  const top = 2 ** 48 - 1;
  expect([0, 2 ** 31, 2 ** 32, top - 63, top, top - 63, top - 64].map((n) => accept(window, n))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test.each([1, 2, 3])('it agrees with a set of all numbers, seed %i', (seed) => {
  const random = seededRandom(seed);
  const window = new ReplayWindow();
  const seen = new Set<number>();
  let highest = -1;
  for (let i = 0; i < 5000; i++) {
    const spread = randomUint32(random) % 10 === 0 ? 200 : 40;
    const number = Math.max(0, highest - 70 + (randomUint32(random) % (70 + spread)));
    const expected = !seen.has(number) && number > highest - 64;
    expect(accept(window, number)).toBe(expected);
    if (expected) seen.add(number);
    highest = Math.max(highest, expected ? number : -1);
  }
});
