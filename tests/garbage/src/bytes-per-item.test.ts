import { expect, test } from 'vitest';
import { bytesPerItem } from './bytes-per-item.ts';

let kept: unknown;

test('counts nothing where nothing is allocated', () => {
  let sum = 0;
  const numbers = new Uint32Array(1000).fill(3);
  const bytes = bytesPerItem(1000, () => {
    for (const number of numbers) sum = (sum + number) | 0;
  });
  kept = sum;
  expect(bytes).toBeLessThan(1);
});

test('counts objects on the heap and array buffers outside of it', () => {
  const objects = bytesPerItem(100, () => {
    for (let i = 0; i < 100; i++) kept = { a: i, b: kept === undefined };
  });
  expect(objects).toBeGreaterThan(20);
  expect(objects).toBeLessThan(100);
  const buffers = bytesPerItem(10, () => {
    for (let i = 0; i < 10; i++) kept = new Uint8Array(1200);
  });
  expect(buffers).toBeGreaterThan(1200);
  expect(buffers).toBeLessThan(1600);
});
