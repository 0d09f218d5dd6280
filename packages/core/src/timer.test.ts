import { expect, test } from 'vitest';
import { BackoffTimer, Timer } from './timer.ts';

test('a timer expires once, at its deadline and not before', () => {
  const timer = new Timer();
  expect(timer.deadline).toBe(Number.POSITIVE_INFINITY);
  timer.start(100, 50);
  expect(timer.running).toBe(true);
  expect(timer.expired(149.9)).toBe(false);
  expect(timer.expired(150)).toBe(true);
  expect(timer.expired(1000)).toBe(false);
  expect(timer.running).toBe(false);
});

test('a back-off doubles up to its cap and is forgotten on reset', () => {
  const timer = new BackoffTimer();
  const waits: number[] = [];
  let now = 0;
  for (let i = 0; i < 5; i++) {
    timer.start(now, 100, 500);
    waits.push(timer.deadline - now);
    now = timer.deadline;
    expect(timer.expired(now)).toBe(true);
  }
  expect(waits).toEqual([100, 200, 400, 500, 500]);
  timer.reset();
  timer.start(now, 100, 500);
  expect(timer.deadline - now).toBe(100);
});

test('a back-off far past its cap stays finite', () => {
  const timer = new BackoffTimer();
  timer.expirations = 5000;
  timer.start(0, 100, 60_000);
  expect(timer.deadline).toBe(60_000);
});
