import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the demo as `npm run demo` does. */
function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['scripts/launch.mjs', 'demo', ...args], { cwd: root, env: { ...process.env, ...env } });
}

function finish(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

const demo = (args: readonly string[], env?: Record<string, string>): Promise<Outcome> => finish(start(args, env));

interface Result {
  readonly runs: readonly Record<string, unknown>[];
  readonly sameLoad: readonly Record<string, unknown>[];
  readonly cpuDropPercent: Record<string, unknown>;
}

const positive: unknown = expect.toSatisfy((value: unknown) => typeof value === 'number' && value > 0, 'a number above 0');
const notNegative: unknown = expect.toSatisfy(
  (value: unknown) => typeof value === 'number' && value >= 0,
  'a number of at least 0',
);
const number: unknown = expect.any(Number);

describe('a small run with --json', () => {
  let outcome: Outcome;
  let result: Result;
  beforeAll(async () => {
    outcome = await demo(['--json', '--mib', '2', '--engine', 'reference,auto']);
    result = JSON.parse(outcome.stdout) as Result;
  });

  test('ends with 0 and prints JSON alone', () => {
    expect(outcome.code, outcome.stderr).toBe(0);
    expect(outcome.stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  test('reports every run with the keys that it promises, and equal hashes', () => {
    expect(result.runs.length).toBeGreaterThan(0);
    for (const run of result.runs) {
      expect(run).toMatchObject({
        suite: expect.any(String),
        engine: expect.stringMatching(/^(reference|auto)$/),
        mib: positive,
        mbPerS: positive,
        sender: { cpuSecondsPerGb: positive, sealNsPerRecord: positive, bytesPerRecord: notNegative },
        receiver: { cpuSecondsPerGb: positive, openNsPerRecord: positive, bytesPerRecord: notNegative },
        sha256Ok: true,
      });
    }
  });

  test('reports CPU at the same load, and the drop', () => {
    expect(result.sameLoad.length).toBeGreaterThan(0);
    for (const load of result.sameLoad) {
      expect(load).toMatchObject({
        engine: expect.any(String),
        mbPerS: positive,
        senderCpuPercent: positive,
        receiverCpuPercent: positive,
      });
    }
    expect(result.cpuDropPercent).toMatchObject({ sender: number, receiver: number, total: number });
  });
});

test('--json before the two dashes, which npm keeps, is honored', async () => {
  const { code, stdout, stderr } = await demo(['--mib', '1', '--engine', 'auto', '--suite', 'ccm'], { npm_config_json: 'true' });
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toHaveProperty('runs');
});

test('a file arrives as it was sent', async () => {
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, i) => (i * 31) >>> 3);
  const [from, to] = [join(folder, 'in'), join(folder, 'out')];
  writeFileSync(from, bytes);
  const { code, stderr } = await demo(['--file', from, '--out', to]);
  expect(code, stderr).toBe(0);
  expect(readFileSync(to).equals(bytes)).toBe(true);
});

test('without a terminal it prints plain lines and names machine, suite and sizes', async () => {
  const { code, stdout, stderr } = await demo(['--mib', '1', '--engine', 'auto', '--suite', 'ccm'], { FORCE_COLOR: '0' });
  expect(code, stderr).toBe(0);
  // No cursor movement, no colors.
  expect(stdout.includes('\u001B')).toBe(false);
  for (const word of [process.versions.node, '1200', 'CCM']) expect(stdout).toContain(word);
});

test.for([
  [['--suite', 'rc4'], /ccm.*gcm/],
  [['--engine', 'fast'], /reference.*auto/],
  [['--mib', 'x'], /mib/],
  [['--nonsense'], /--help|nonsense/],
] as const)('the wrong flag %s ends with 2 and says what is allowed', async ([args, allowed]) => {
  const { code, stdout, stderr } = await demo(args);
  expect(code).toBe(2);
  expect(stderr).toMatch(allowed);
  expect(stdout).toBe('');
});

test('a file that cannot be written is a failed transfer', async () => {
  const from = join(folder, 'source');
  writeFileSync(from, 'text');
  const { code, stderr } = await demo(['--file', from, '--out', join(folder, 'missing', 'out')]);
  expect([1, 2]).toContain(code);
  expect(stderr).not.toBe('');
});

test('an interrupt ends all processes', async () => {
  const child = start(['--mib', '2000', '--engine', 'auto', '--suite', 'ccm']);
  const outcome = finish(child);
  await new Promise<void>((done) => child.stdout!.once('data', () => done()));
  const family = descendants(child.pid!);
  expect(family.length).toBeGreaterThan(0);
  child.kill('SIGINT');
  expect((await outcome).code).not.toBe(0);
  await expect.poll(() => family.filter(isAlive), { timeout: 10_000 }).toEqual([]);
});

/** The ids of the processes below one, from /proc; the process itself where there is no /proc. */
function descendants(pid: number): number[] {
  let children: string;
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    return [pid];
  }
  return children
    .split(' ')
    .filter((child) => child !== '')
    .flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
