import { expect, test } from 'vitest';
import { engines } from '../engines.ts';
import { suites } from '../suites.ts';
import { costRecords } from './record-cost.ts';

const cases = suites.flatMap((suite) =>
  engines.flatMap((engine) => (['sender', 'receiver'] as const).map((role) => ({ suite, engine, role }))),
);

test.each(cases)('records of $suite.short with $engine cost the $role something', ({ suite, engine, role }) => {
  const { nsPerRecord, bytesPerRecord } = costRecords({ suite, engine, role, datagramBytes: 1200, durationMs: 1 }, undefined);
  expect(nsPerRecord).toBeGreaterThan(0);
  expect(bytesPerRecord).toBeGreaterThanOrEqual(0);
});

test('the largest record that the demo sends is opened too', () => {
  const options = { suite: suites[0]!, engine: 'auto', role: 'receiver', datagramBytes: 16_384, durationMs: 1 } as const;
  expect(costRecords(options, undefined).nsPerRecord).toBeGreaterThan(0);
});
