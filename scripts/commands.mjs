import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './check.mjs';
import { Failure } from './failure.mjs';
import { install } from './install.mjs';
import { root, tools } from './paths.mjs';
import { preflight } from './preflight.mjs';
import { runChild } from './run-child.mjs';

const libraries = ['./packages/*'];
const demo = ['@millrace/throughput...'];
const tests = ['./packages/*', './tests/*', '@millrace/throughput...'];
const bench = ['@millrace/bench...'];

/**
 * What each command installs (as pnpm filters) and does. `run` resolves with the exit code. The
 * others say themselves what their flags are.
 * @type {Record<string, { installs: readonly string[], usage?: string, run: (args: string[]) => Promise<number> }>}
 */
const commands = {
  build: { installs: [...libraries, ...demo], run: () => build('apps/throughput') },
  check: { installs: [...tests, ...bench], run: check },
  test: { installs: tests, run: (args) => vitest(args) },
  'test:interop': { installs: tests, run: testInterop },
  demo: { installs: demo, run: (args) => buildAndRun('apps/throughput', 'main.js', args) },
  'bench:udp': { installs: bench, run: (args) => buildAndRun('bench', 'udp/main.js', args) },
  'bench:ccm': { installs: bench, run: (args) => buildAndRun('bench', 'ccm/main.js', args) },
  'bench:reference': { installs: bench, run: (args) => buildAndRun('bench', 'reference/main.js', args) },
  fuzz: {
    installs: tests,
    usage: '--runs N: random cases per property (default 20000); --project NAME: one package; NAME…: files whose path has it',
    run: fuzz,
  },
  soak: { installs: tests, usage: '--minutes N: how long (default 10); --seed N: repeats a run', run: soak },
};

/**
 * Flags that people write before the two dashes, where npm takes them for its own.
 * @type {Record<string, readonly string[]>}
 */
const swallowed = {
  demo: ['mib', 'message_size', 'datagram_bytes', 'suite', 'engine', 'passes', 'load_percent', 'file', 'out'],
  'bench:udp': ['stacks', 'sizes', 'rounds', 'seconds', 'warm_up_seconds'],
  'bench:ccm': ['sizes', 'engines', 'aead', 'rounds'],
  'bench:reference': ['rounds'],
  fuzz: ['runs'],
  soak: ['minutes', 'seed'],
};

/** @param {string | undefined} name @param {string[]} args */
export async function runCommand(name = '', args) {
  try {
    const command = commands[name];
    if (command === undefined) {
      throw new Failure(`There is no command ${name || '(none given)'}. There are: ${Object.keys(commands).join(', ')}.`, 2);
    }
    const all = withSwallowedFlags(name, args);
    if (command.usage !== undefined && args.includes('--help')) {
      process.stdout.write(`npm run ${name} -- [flags]\n  ${command.usage.replaceAll('; ', '\n  ')}\n`);
      return;
    }
    await preflight();
    await install(command.installs);
    process.exitCode = await command.run(all);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  }
}

/**
 * `npm run demo --json` reaches us as npm_config_json: what is meant is plain, so it is honored. Of
 * other flags npm keeps the name and loses the value, so they are refused.
 *
 * @param {string} name @param {string[]} args
 */
function withSwallowedFlags(name, args) {
  const own = (/** @type {string} */ flag) => process.env[`npm_config_${flag}`];
  const taken = swallowed[name]?.find((flag) => own(flag) !== undefined);
  if (taken !== undefined) {
    const flag = `--${taken.replaceAll('_', '-')}`;
    throw new Failure(`npm took ${flag} for itself. Write two dashes before it: npm run ${name} -- ${flag} …`, 2);
  }
  const honorsJson = name === 'demo' || name.startsWith('bench:');
  return honorsJson && own('json') === 'true' && !args.includes('--json') ? [...args, '--json'] : args;
}

/** @param {string} project */
async function build(project) {
  return runChild([tools.tsc, '-b', project], { quiet: true });
}

/** @param {string} folder @param {string} entry @param {string[]} args */
async function buildAndRun(folder, entry, args) {
  const code = await build(folder);
  if (code > 128) return code;
  if (code !== 0)
    throw new Failure('The build failed; the errors stand above. `git status` shows what differs from the commit.', 1);
  return runChild([join(root, folder, 'dist', entry), ...args]);
}

/** @param {string[]} args @param {Record<string, string>} env */
function vitest(args, env = {}) {
  return runChild([tools.vitest, 'run', ...args], { env });
}

/** @param {string[]} names */
async function testInterop(names) {
  const folder = join(root, 'tests', 'interop', 'src');
  const known = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => file.slice(0, -8))
    : [];
  const unknown = names.find((name) => !name.startsWith('-') && !known.some((file) => file.includes(name)));
  if (unknown !== undefined) throw new Failure(`There is no interop test ${unknown}. There are: ${known.join(', ')}.`, 2);
  return vitest(['--project', 'interop', ...names]);
}

/** All tests of the packages, with many more random cases each. @param {string[]} args */
function fuzz(args) {
  const { value: runs, rest } = takeNumber(args, '--runs', 20_000);
  const projects = ['core', 'crypto', 'dtls', 'sctp', 'ice', 'datachannel'].flatMap((name) => ['--project', name]);
  return vitest([...(rest.includes('--project') ? [] : projects), ...rest], {
    MILLRACE_FUZZ_RUNS: String(runs),
  });
}

/** @param {string[]} args */
function soak(args) {
  const { value: minutes, rest } = takeNumber(args, '--minutes', 10);
  const { value: seed, rest: others } = takeNumber(rest, '--seed', Date.now() % 1_000_000);
  if (others.length > 0) throw new Failure(`soak takes --minutes N and --seed N, not ${others[0]}.`, 2);
  return vitest(['--config', 'tests/soak.config.ts'], {
    MILLRACE_SOAK_MINUTES: String(minutes),
    MILLRACE_SOAK_SEED: String(seed),
  });
}

/** Takes `flag N` out of the arguments. @param {string[]} args @param {string} flag @param {number} otherwise */
function takeNumber(args, flag, otherwise) {
  const at = args.indexOf(flag);
  if (at < 0) return { value: otherwise, rest: args };
  const value = Number(args[at + 1]);
  if (args[at + 1] === undefined || !(value > 0))
    throw new Failure(`${flag} takes a number above 0, as in ${flag} ${otherwise}.`, 2);
  return { value, rest: args.toSpliced(at, 2) };
}
