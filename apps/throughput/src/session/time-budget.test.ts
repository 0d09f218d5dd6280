import { expect, test } from 'vitest';
import { TimeBudget } from './time-budget.ts';

/** Plays the passes of a suite plan with a fixed cost per pair; the time at which all is done. */
function play(totalMs: number, passes: readonly number[], overheadMs: number): { endMs: number; intervals: number[] } {
  const pairs = passes.reduce((sum, count) => sum + count, 0);
  const budget = new TimeBudget(0, totalMs, pairs);
  const intervals: number[] = [];
  let now = 0;
  for (const count of passes) {
    const intervalMs = budget.intervalMs(now);
    const elapsedMs = count * (overheadMs + 2 * intervalMs);
    now += elapsedMs;
    budget.spend(count, intervalMs, elapsedMs);
    intervals.push(intervalMs);
  }
  return { endMs: now, intervals };
}

test.each([2500, 3300, 3700])('the default plan ends in time where a pair costs %i ms besides', (overheadMs) => {
  const { endMs, intervals } = play(51_000, [3, 3, 2, 2], overheadMs);
  expect(endMs).toBeLessThanOrEqual(51_000);
  expect(Math.min(...intervals)).toBeGreaterThanOrEqual(500);
});

test('a short plan measures no longer than is of use, and a slow machine no shorter than says something', () => {
  expect(play(51_000, [1, 1], 3000).intervals).toEqual([1500, 1500]);
  expect(play(51_000, [3, 3, 2, 2], 9000).intervals.at(-1)).toBe(500);
});

test('a pass that can not end in time does not fit, by what the passes before it took', () => {
  const budget = new TimeBudget(0, 51_000, 10);
  expect(budget.fits(0, 10)).toBe(true);
  expect(budget.fits(40_000, 3)).toBe(false);
  budget.spend(3, 500, 3 * 7000);
  expect(budget.fits(21_000, 3)).toBe(true);
  expect(budget.fits(35_000, 3)).toBe(false);
});
