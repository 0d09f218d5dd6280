import { expect, test } from 'vitest';
import { help } from './help.ts';
import { enginesFor, parseOptions, type Options } from './options.ts';
import { suiteByShortName } from '../suites.ts';

function options(...args: string[]): Options {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

test('without flags: CCM with three engines, GCM with two, 1200 bytes, there and back', () => {
  const o = options();
  expect(o).toMatchObject({ mib: undefined, messageSize: 16_384, datagramBytes: 1200, passes: 2, loadPercent: 70, json: false });
  expect(o.mustFit).toBe(true);
  expect(o.suites.map(({ short }) => short)).toEqual(['ccm', 'gcm']);
  expect(o.suites.map((suite) => enginesFor(suite, o))).toEqual([
    ['reference', 'single-buffer', 'auto'],
    ['reference', 'auto'],
  ]);
});

test('every flag is taken, with a space or an equals sign', () => {
  const o = options(
    ...'--mib 64 --message-size=1024 --datagram-bytes 4000'.split(' '),
    ...'--suite gcm,ccm8 --engine=auto --passes 3 --load-percent 50 --json'.split(' '),
  );
  expect(o).toMatchObject({ mib: 64, messageSize: 1024, datagramBytes: 4000, passes: 3, loadPercent: 50, json: true });
  expect(o.suites.map(({ short }) => short)).toEqual(['gcm', 'ccm8']);
  expect(enginesFor(suiteByShortName('gcm'), o)).toEqual(['auto']);
});

test('who says how much or how often gets it, however long it takes', () => {
  expect(options('--mib', '4').mustFit).toBe(false);
  expect(options('--passes', '2').mustFit).toBe(false);
});

test('a file is sent once, with CCM and the best engine unless something else is asked for', () => {
  const o = options('--file', 'a', '--out', 'b');
  expect(o.file).toEqual({ path: 'a', out: 'b' });
  expect(o.suites.map(({ short }) => short)).toEqual(['ccm']);
  expect(o.engines).toEqual(['auto']);
  expect(options('--file', 'a', '--out', 'b', '--suite', 'gcm', '--engine', 'reference').engines).toEqual(['reference']);
});

test.each([
  [['--mib', '0'], '--mib takes a whole number from 1 to 1048576, not 0.'],
  [['--mib', '1.5'], '--mib takes a whole number'],
  [['--mib', '--json'], '--mib takes a whole number'],
  [['--mib'], '--mib needs a value'],
  [['--mib='], '--mib needs a value'],
  [['--message-size', '262145'], '--message-size takes a whole number from 1 to 262144, not 262145.'],
  [['--datagram-bytes', '511'], '--datagram-bytes takes a whole number from 512 to 16384, not 511.'],
  [['--datagram-bytes', '16385'], '--datagram-bytes takes a whole number from 512 to 16384'],
  [['--suite', 'rc4'], '--suite takes ccm, ccm8, gcm, chacha20, or several with commas between, not "rc4".'],
  [['--engine', 'auto,fast'], '--engine takes reference, single-buffer, auto, or several with commas between, not "fast".'],
  [['--passes', '-1'], '--passes takes a whole number from 1 to 100'],
  [['--load-percent', '101'], '--load-percent takes a whole number from 1 to 100'],
  [['--json=yes'], '--json takes no value'],
  [['--speed', '3'], 'There is no flag --speed. Flags: --mib, --message-size,'],
  [['-x'], 'There is no flag -x.'],
  [['fast'], '"fast" is not a flag.'],
  [['--file', 'a'], '--file needs --out PATH'],
  [['--out', 'a'], '--out needs --file PATH'],
  [['--file', 'a', '--out', 'b', '--mib', '4'], '--mib does not go with --file'],
  [['--file', 'a', '--out', 'b', '--suite', 'ccm,gcm'], '--file is sent with one --suite'],
  [['--file', 'a', '--out', 'b', '--engine', 'auto,reference'], '--file is sent with one --engine'],
])('%j is refused in words', (args, words) => {
  const parsed = parseOptions(args);
  expect(parsed.kind).toBe('refused');
  expect(parsed.kind === 'refused' && parsed.reason).toContain(words);
});

test('help is given whatever else stands there, and names every flag', () => {
  expect(parseOptions(['--json', '--help'])).toEqual({ kind: 'help' });
  expect(parseOptions(['-h'])).toEqual({ kind: 'help' });
  const unknown = parseOptions(['--no-such']);
  const flags = unknown.kind === 'refused' ? unknown.reason.match(/--[a-z-]+(?=[,.])/g)! : [];
  expect(flags.length).toBeGreaterThan(10);
  for (const flag of flags.filter((name) => name !== '--no-such')) expect(help).toContain(flag);
});
