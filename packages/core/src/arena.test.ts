import { expect, test } from 'vitest';
import { createArena } from './arena.ts';
import { InternalError } from './errors.ts';

test('slots are apart, aligned and inside the buffer', () => {
  const arena = createArena(new ArrayBuffer(4096), { offset: 64, slotBytes: 100, payloadSkew: 11, slots: 8 });
  const offsets = Array.from({ length: 8 }, () => arena.take()).toSorted((a, b) => a - b);
  expect(offsets[0]).toBe(64 + 11);
  for (let i = 1; i < 8; i++) expect(offsets[i]! - offsets[i - 1]!).toBeGreaterThanOrEqual(100);
  for (const offset of offsets) expect(offset % 16).toBe(11);
  expect(offsets[7]! + 100).toBeLessThanOrEqual(4096);
});

test('a used-up arena says so, and a slot that comes back is given out again', () => {
  const arena = createArena(new ArrayBuffer(64), { slotBytes: 16, slots: 2 });
  const first = arena.take();
  arena.take();
  expect(arena.take()).toBe(-1);
  expect(arena.free).toBe(0);
  arena.give(first);
  expect(arena.take()).toBe(first);
});

test('giving back what was not taken is a bug', () => {
  const arena = createArena(new ArrayBuffer(64), { slotBytes: 16, slots: 2 });
  const offset = arena.take();
  arena.give(offset);
  expect(() => arena.give(offset)).toThrow(InternalError);
  expect(() => arena.give(offset + 1)).toThrow(InternalError);
});

test.each([
  [{ slotBytes: 16, slots: 5 }],
  [{ slotBytes: 0, slots: 1 }],
  [{ slotBytes: 16, slots: 0 }],
  [{ slotBytes: 16, slots: 1, offset: 8 }],
  [{ slotBytes: 16, slots: 1, payloadSkew: 16 }],
])('options that do not fit are refused: %j', (options) => {
  expect(() => createArena(new ArrayBuffer(64), options)).toThrow(RangeError);
});
