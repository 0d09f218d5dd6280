import { expect, test } from 'vitest';
import { parseOptions, type Options } from '../cli/options.ts';
import { readEnvironment } from './environment.ts';
import { formatHeading } from './heading.ts';
import { formatReport } from './report.ts';
import type { Style } from './style.ts';
import { sampleResults } from './testing/sample-results.ts';

const plain: Style = (_, text) => text;

function options(...args: string[]): Options {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

test('the heading names machine, Node, suites, engines, message and datagram size', () => {
  const environment = readEnvironment();
  const heading = formatHeading(environment, options('--message-size', '20000', '--datagram-bytes', '1400'), plain);
  for (const words of [
    environment.cpu,
    process.versions.node,
    'TLS_ECDHE_ECDSA_WITH_AES_128_CCM; reference, single-buffer, auto',
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256; reference, auto',
    '20000 bytes',
    'held to 1400 bytes of UDP payload',
    'warm-up of 2 s; each engine twice, forwards and backwards in turn',
  ]) {
    expect(heading).toContain(words);
  }
});

test('a load that an engine did not keep is no same load, and the table says so', () => {
  const [ccm] = sampleResults();
  const [first, ...others] = ccm!.engines;
  const short = { ...first!, loads: first!.loads.map((load) => ({ ...load, mbPerS: 0.9 * load.mbPerS })) };
  const report = formatReport([{ ...ccm!, engines: [short, ...others] }], options(), plain);
  expect(report).toContain('paced to 14.0 MB/s; not all kept it, so their CPU is not that of the same load');
});

test('the report has every figure of every engine, and fits a terminal of 88 columns', () => {
  const report = formatReport(sampleResults(), options(), plain);
  const lines = report.split('\n');
  const row = (name: string, after = 0): string[] =>
    lines
      .find((line, i) => i >= after && line.trimStart().startsWith(name))!
      .trim()
      .split(/ {2,}/);
  expect(row('MB/s')).toEqual(['MB/s', '21.0', '25.0', '41.0', '+95 %']);
  expect(row('CPU s/GB, sender')).toEqual(['CPU s/GB, sender', '32.0', '24.0', '13.0', '-59 %']);
  expect(row('CPU s/GB, receiver')).toEqual(['CPU s/GB, receiver', '22.0', '20.0', '9.00', '-59 %']);
  expect(row('CPU s/GB, both')).toEqual(['CPU s/GB, both', '54.0', '44.0', '22.0', '-59 %']);
  expect(row('records per flush, sender')).toEqual(['records per flush, sender', '12.0', '12.0', '12.0']);
  expect(row('records per flush, receiver')).toEqual(['records per flush, receiver', '7.50', '7.50', '7.50']);
  expect(row('seal, µs')).toEqual(['seal, µs', '3.20', '2.40', '1.30', '-59 %']);
  expect(row('open, µs')).toEqual(['open, µs', '2.20', '2.00', '0.90', '-59 %']);
  expect(row('allocated by seal')).toEqual(['allocated by seal, bytes', '320', '240', '130', '-59 %']);
  expect(row('CPU, sender')).toEqual(['CPU, sender', '62.0 %', '50.0 %', '32.0 %', '-48 %']);
  expect(row('spread of the runs')).toEqual(['spread of the runs', '9.52 %', '8.00 %', '4.88 %']);
  expect(row('same load')).toEqual(['same load, every engine paced to 14.0 MB/s']);
  const gcm = lines.findIndex((line) => line.startsWith('AES-128-GCM'));
  expect(row('CPU s/GB, both', gcm)).toEqual(['CPU s/GB, both', '40.0', '20.0', '-50 %']);
  expect(report).toContain('CPU drop with AES-128-CCM');
  expect(report).toContain('sender 59.4 %, receiver 59.1 %, both together 59.3 %');
  expect(report).toContain('Browsers offer no AES-CCM suite');
  expect(report).toContain('SHA-256 is right in all 8 transfers; hashing was outside the measured time.');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(120);
  for (const line of lines.filter((text) => /^ {2}\S.* \d/.test(text))) expect(line.length).toBeLessThanOrEqual(88);
});

test('an engine that took more CPU is not shown as a drop', () => {
  const [ccm] = sampleResults();
  const [reference, , auto] = ccm!.engines;
  const engines = [
    { ...reference!, engine: 'auto' as const },
    { ...auto!, engine: 'reference' as const },
  ];
  const report = formatReport([{ ...ccm!, engines }], options(), plain);
  expect(report).toContain('sender -146.2 %');
  expect(report).toContain('auto took more CPU than reference here');
});

test('one engine alone is shown without comparisons', () => {
  const [ccm] = sampleResults();
  const report = formatReport([{ ...ccm!, engines: ccm!.engines.slice(2) }], options(), plain);
  expect(report).not.toContain('change');
  expect(report).not.toContain('CPU drop');
  expect(report).not.toContain('Browsers');
});

test('a wrong hash stands in the report with suite and engine', () => {
  const [ccm] = sampleResults();
  const [reference, ...others] = ccm!.engines;
  const wrong = { ...reference!, runs: [{ ...reference!.runs[0]!, sha256Ok: false }] };
  const report = formatReport([{ ...ccm!, engines: [wrong, ...others] }], options(), plain);
  expect(report).toContain('SHA-256 differs: AES-128-CCM reference');
});

test('a file that was sent is named with its size, and one that arrived wrong is not said to be there', () => {
  const [ccm] = sampleResults();
  const sent = (sha256Ok: boolean): string => {
    const engines = [{ engine: 'auto' as const, runs: [{ ...ccm!.engines[2]!.runs[0]!, sha256Ok }], loads: [] }];
    return formatReport([{ ...ccm!, engines, loadBytesPerSecond: undefined }], options('--file', 'a', '--out', '/b'), plain);
  };
  expect(sent(true)).toContain('SHA-256 of what arrived is that of what was sent; hashing was outside the measured time.');
  expect(sent(true)).toContain('32.0 MiB went to /b.');
  expect(sent(true)).not.toContain('same load');
  expect(sent(false)).toContain('/b was not written.');
});

test('passes that were left out are said', () => {
  const report = formatReport(sampleResults(), options(), plain);
  expect(report).toContain('AES-128-GCM: 1 of 2 passes');
  expect(report).not.toContain('AES-128-CCM: ');
  expect(formatReport(sampleResults(), options('--passes', '1'), plain)).not.toContain('passes');
});
