import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ring } from './ring.ts';

test('a ring behaves as an array does, whatever the order of operations', () => {
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('push' as const), value: fc.nat() }),
    fc.record({ kind: fc.constant('unshift' as const), value: fc.nat() }),
    fc.record({ kind: fc.constant('shift' as const) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 100 }), fc.integer({ min: 1, max: 5 }), (operations, capacity) => {
      const ring = new Ring<number>(capacity);
      const model: number[] = [];
      for (const o of operations) {
        if (o.kind === 'shift') expect(ring.shift()).toBe(model.shift());
        else {
          ring[o.kind](o.value);
          model[o.kind](o.value);
        }
        expect(ring.length).toBe(model.length);
        expect(ring.front()).toBe(model[0]);
        expect(ring.back()).toBe(model.at(-1));
        expect(model.every((value, i) => ring.at(i) === value)).toBe(true);
        expect(ring.at(-1)).toBeUndefined();
        expect(ring.at(model.length)).toBeUndefined();
      }
    }),
  );
});

test('a cleared ring is empty and usable', () => {
  const ring = new Ring<number>(2);
  for (let i = 0; i < 10; i++) ring.push(i);
  ring.clear();
  expect(ring.shift()).toBeUndefined();
  ring.push(7);
  expect(ring.shift()).toBe(7);
});
