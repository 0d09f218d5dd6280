import { expect, test } from 'vitest';
import { dropPercent, median, spreadPercent } from './statistics.ts';

test('the median is the middle value, whatever the order', () => {
  expect(median([10, 2, 33])).toBe(10);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([7])).toBe(7);
  expect(median([])).toBeNaN();
});

test('the median leaves its input as it was', () => {
  const values = [3, 1, 2];
  median(values);
  expect(values).toEqual([3, 1, 2]);
});

test('spread and drop are in percent', () => {
  expect(spreadPercent([9, 11])).toBe(20);
  expect(spreadPercent([5])).toBeNaN();
  expect(dropPercent(10, 4)).toBeCloseTo(60);
  expect(dropPercent(10, 12)).toBeCloseTo(-20);
});
