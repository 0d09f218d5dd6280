import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unwrap32, wrap32 } from './serial.ts';

test('a number survives its way over the wire while the other end is within half the space', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      (near, step) => {
        return unwrap32(wrap32(near + step), near) === near + step;
      },
    ),
  );
});

test('the wrap keeps numbers ascending', () => {
  expect(unwrap32(0, 0xffff_ffff)).toBe(0x1_0000_0000);
  expect(unwrap32(0xffff_ffff, 0x1_0000_0000)).toBe(0xffff_ffff);
});
