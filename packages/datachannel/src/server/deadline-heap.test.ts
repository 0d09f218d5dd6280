import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeadlineHeap, type Scheduled } from './deadline-heap.ts';

test('every item comes up at its earliest time or before, and once', () => {
  const step = fc.record({ item: fc.nat({ max: 5 }), at: fc.nat({ max: 50 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const heap = new DeadlineHeap<Scheduled>();
      const items = Array.from({ length: 6 }, () => ({ scheduledAt: Number.POSITIVE_INFINITY }));
      const earliest = new Map<Scheduled, number>();
      for (const { item, at } of steps) {
        heap.schedule(items[item]!, at);
        earliest.set(items[item]!, Math.min(at, earliest.get(items[item]!) ?? at));
      }
      const expected = [...earliest.values()].toSorted((a, b) => a - b);
      expect(heap.nextAt).toBe(expected[0] ?? Number.POSITIVE_INFINITY);
      const came: number[] = [];
      for (let now = 0; now <= 50; now++) {
        for (let item = heap.pop(now); item !== undefined; item = heap.pop(now)) {
          came.push(now);
          expect(earliest.get(item)).toBe(now);
          earliest.delete(item);
        }
      }
      expect(came).toEqual(expected);
      expect(heap.nextAt).toBe(Number.POSITIVE_INFINITY);
    }),
  );
});

test('an item whose time is taken back does not come up', () => {
  const heap = new DeadlineHeap<Scheduled>();
  const gone = { scheduledAt: Number.POSITIVE_INFINITY };
  const kept = { scheduledAt: Number.POSITIVE_INFINITY };
  heap.schedule(gone, 1);
  heap.schedule(kept, 2);
  gone.scheduledAt = Number.POSITIVE_INFINITY;
  expect(heap.nextAt).toBe(2);
  expect(heap.pop(5)).toBe(kept);
  expect(heap.pop(5)).toBeUndefined();
});
