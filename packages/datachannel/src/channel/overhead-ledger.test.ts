import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OverheadLedger } from './overhead-ledger.ts';

test('what has not left is told apart into payload and overhead, wherever the border lies', () => {
  const entry = fc.record({ bytes: fc.integer({ min: 1, max: 20 }), isPayload: fc.boolean() });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.array(fc.nat({ max: 1000 }), { maxLength: 10 }), (entries, cuts) => {
      const ledger = new OverheadLedger();
      const kinds: boolean[] = [];
      for (const { bytes, isPayload } of entries) {
        if (isPayload) ledger.addPayload(bytes);
        else ledger.addOverhead(bytes, kinds.length);
        for (let i = 0; i < bytes; i++) kinds.push(isPayload);
      }
      for (const cut of cuts.toSorted((a, b) => a - b)) {
        const waiting = kinds.slice(cut);
        expect(ledger.payloadBytes(waiting.length)).toBe(waiting.filter(Boolean).length);
      }
    }),
  );
});

test('many runs are told apart in a time that does not grow with them', () => {
  const ledger = new OverheadLedger();
  let queued = 0;
  for (let i = 0; i < 200_000; i++) {
    ledger.addOverhead(1, queued);
    ledger.addPayload(1);
    queued += 2;
    expect(ledger.payloadBytes(queued) === i + 1).toBe(true);
  }
  expect(ledger.payloadBytes(3)).toBe(2);
});
