import { expect, test } from 'vitest';
import { parseOptions, type Options } from '../cli/options.ts';
import { readEnvironment } from './environment.ts';
import { formatJson } from './json.ts';
import { sampleResults } from './testing/sample-results.ts';

function options(...args: string[]): Options {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

test('the JSON has the documented keys, and its drop follows from its own figures', () => {
  const report = JSON.parse(formatJson(sampleResults(), options('--json'), readEnvironment()));
  expect(report.runs).toHaveLength(5);
  for (const run of report.runs) {
    expect(run).toMatchObject({
      suite: expect.stringMatching(/^TLS_/),
      engine: expect.any(String),
      mib: expect.any(Number),
      mbPerS: expect.any(Number),
      sender: { cpuSecondsPerGb: expect.any(Number), sealNsPerRecord: expect.any(Number), bytesPerRecord: expect.any(Number) },
      receiver: { cpuSecondsPerGb: expect.any(Number), openNsPerRecord: expect.any(Number), bytesPerRecord: expect.any(Number) },
      sha256Ok: true,
    });
  }
  expect(report.sameLoad).toHaveLength(5);
  for (const load of report.sameLoad) {
    expect(load).toEqual({
      suite: expect.stringMatching(/^TLS_/),
      engine: expect.any(String),
      mbPerS: expect.any(Number),
      senderCpuPercent: expect.any(Number),
      receiverCpuPercent: expect.any(Number),
    });
  }
  const ccm = (engine: string) =>
    report.runs.find((run: { suite: string; engine: string }) => run.suite.endsWith('_CCM') && run.engine === engine);
  for (const side of ['sender', 'receiver'] as const) {
    const drop = 100 * (1 - ccm('auto')[side].cpuSecondsPerGb / ccm('reference')[side].cpuSecondsPerGb);
    expect(report.cpuDropPercent[side]).toBeCloseTo(drop, 3);
  }
  const both = (engine: string) => ccm(engine).sender.cpuSecondsPerGb + ccm(engine).receiver.cpuSecondsPerGb;
  expect(report.cpuDropPercent.total).toBeCloseTo(100 * (1 - both('auto') / both('reference')), 3);
  expect(report).toMatchObject({ messageSize: 16_384, datagramBytes: 1200, machine: { node: process.versions.node } });
});

test('without CCM the drop is null, never that of another suite', () => {
  const report = JSON.parse(formatJson(sampleResults().slice(1), options('--json'), readEnvironment()));
  expect(report.cpuDropPercent).toEqual({ sender: null, receiver: null, total: null });
  expect(report.cpuDropPercentBySuite['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'].total).toBe(50);
});

test('a wrong hash is said', () => {
  const [ccm] = sampleResults();
  const engines = ccm!.engines.map((result) => ({ ...result, runs: result.runs.map((run) => ({ ...run, sha256Ok: false })) }));
  const report = JSON.parse(formatJson([{ ...ccm!, engines }], options('--json'), readEnvironment()));
  expect(report.runs.map(({ sha256Ok }: { sha256Ok: boolean }) => sha256Ok)).toEqual([false, false, false]);
});
