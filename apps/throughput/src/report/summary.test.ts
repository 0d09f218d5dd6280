import { expect, test } from 'vitest';
import { cpuDrop, summarize } from './summary.ts';
import { sampleResults } from './testing/sample-results.ts';

test('an engine is summed up by the medians of its runs, with the spread', () => {
  const [reference] = summarize(sampleResults()[0]!);
  expect(reference).toMatchObject({
    engine: 'reference',
    mib: 32,
    mbPerS: 21,
    sender: { cpuSecondsPerGb: 32, sealNsPerRecord: 3200, bytesPerRecord: 320 },
    receiver: { cpuSecondsPerGb: 22, openNsPerRecord: 2200, bytesPerRecord: 220 },
    sha256Ok: true,
    load: { mbPerS: 14, senderCpuPercent: 62, receiverCpuPercent: 51 },
  });
  expect(reference!.mbPerSSpreadPercent).toBeCloseTo(100 * (2 / 21));
  expect(reference!.cpuSpreadPercent).toBeCloseTo(100 * (8 / 54));
});

test('the CPU drop is that of auto against reference, both sides summed in the total', () => {
  const drop = cpuDrop(summarize(sampleResults()[0]!))!;
  expect(drop.sender).toBeCloseTo(100 * (1 - 13 / 32));
  expect(drop.receiver).toBeCloseTo(100 * (1 - 9 / 22));
  expect(drop.total).toBeCloseTo(100 * (1 - 22 / 54));
});

test('there is no drop where one of the two engines was not measured', () => {
  const [ccm] = sampleResults();
  for (const missing of ['reference', 'auto']) {
    const engines = ccm!.engines.filter(({ engine }) => engine !== missing);
    expect(cpuDrop(summarize({ ...ccm!, engines }))).toBeUndefined();
  }
});

test('one wrong hash makes the engine wrong', () => {
  const [ccm] = sampleResults();
  const engines = ccm!.engines.map((result) => ({ ...result, runs: [{ ...result.runs[0]!, sha256Ok: false }, ...result.runs] }));
  expect(summarize({ ...ccm!, engines }).map(({ sha256Ok }) => sha256Ok)).toEqual([false, false, false]);
});
