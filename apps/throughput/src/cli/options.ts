import { parseArgs, type ParseArgsConfig } from 'node:util';
import { engines as allEngines, type DemoEngine } from '../engines.ts';
import { suites as allSuites, suiteByShortName, type Suite } from '../suites.ts';

export interface Options {
  /** MiB per full-speed run; `undefined`: as much as goes in the time that there is. */
  readonly mib: number | undefined;
  readonly messageSize: number;
  readonly datagramBytes: number;
  readonly suites: readonly Suite[];
  /** As asked for; `undefined`: what `enginesFor` says. */
  readonly engines: readonly DemoEngine[] | undefined;
  readonly passes: number;
  /** Neither length nor number of the runs was asked for: passes that would take too long are left out. */
  readonly mustFit: boolean;
  readonly loadPercent: number;
  readonly json: boolean;
  readonly file: { readonly path: string; readonly out: string } | undefined;
}

export type ParsedArguments =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help' }
  /** A sentence that names the flag and what is allowed. */
  | { readonly kind: 'refused'; readonly reason: string };

export const defaults = { messageSize: 16_384, datagramBytes: 1200, passes: 2, loadPercent: 70 } as const;

/** A datagram holds one record, and a record at most 2^14 bytes of payload (RFC 5246 section 6.2.1). */
export const maxDatagramBytes = 16_384;

const flags = {
  mib: { type: 'string' },
  'message-size': { type: 'string' },
  'datagram-bytes': { type: 'string' },
  suite: { type: 'string' },
  engine: { type: 'string' },
  passes: { type: 'string' },
  'load-percent': { type: 'string' },
  file: { type: 'string' },
  out: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

type Flag = keyof typeof flags;

/** Reads the command line. Never throws: what is wrong comes back as a sentence. */
export function parseOptions(args: readonly string[]): ParsedArguments {
  try {
    const given = readFlags(args);
    if (given.has('help')) return { kind: 'help' };
    return { kind: 'run', options: readOptions(given) };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

/** The engines that a suite is measured with. */
export function enginesFor(suite: Suite, options: Pick<Options, 'engines'>): readonly DemoEngine[] {
  return options.engines ?? (suite.short.startsWith('ccm') ? allEngines : ['reference', 'auto']);
}

class Refusal extends Error {}

function readFlags(args: readonly string[]): Map<Flag, string> {
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<Flag, string>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw new Refusal(`"${token.value}" is not a flag. ${known()}`);
    if (!Object.hasOwn(flags, token.name)) throw new Refusal(`There is no flag ${token.rawName}. ${known()}`);
    const flag = token.name as Flag;
    if (flags[flag].type === 'boolean' && token.value !== undefined) throw new Refusal(`--${flag} takes no value.`);
    if (flags[flag].type === 'string' && !token.value) throw new Refusal(`--${flag} needs a value; --help says which.`);
    given.set(flag, token.value ?? '');
  }
  return given;
}

function known(): string {
  return `Flags: ${Object.keys(flags)
    .map((flag) => `--${flag}`)
    .join(', ')}.`;
}

function readOptions(given: ReadonlyMap<Flag, string>): Options {
  const mib = given.has('mib') ? integer(given, 'mib', 0, 1, 1_048_576) : undefined;
  const file = readFile(given);
  const chosenSuites = list(given, 'suite', ['ccm', 'ccm8', 'gcm', 'chacha20'] as const)?.map(suiteByShortName);
  const chosenEngines = list(given, 'engine', allEngines);
  if (file !== undefined) {
    const useless = (['mib', 'passes', 'load-percent'] as const).find((flag) => given.has(flag));
    if (useless !== undefined) throw new Refusal(`--${useless} does not go with --file, which is sent once.`);
    if ((chosenSuites?.length ?? 1) > 1) throw new Refusal('--file is sent with one --suite.');
    if ((chosenEngines?.length ?? 1) > 1) throw new Refusal('--file is sent with one --engine.');
  }
  return {
    mib,
    messageSize: integer(given, 'message-size', defaults.messageSize, 1, 262_144),
    datagramBytes: integer(given, 'datagram-bytes', defaults.datagramBytes, 512, maxDatagramBytes),
    suites: chosenSuites ?? allSuites.filter(({ short }) => short === 'ccm' || (short === 'gcm' && file === undefined)),
    engines: chosenEngines ?? (file === undefined ? undefined : ['auto']),
    passes: integer(given, 'passes', defaults.passes, 1, 100),
    mustFit: mib === undefined && !given.has('passes'),
    loadPercent: integer(given, 'load-percent', defaults.loadPercent, 1, 100),
    json: given.has('json'),
    file,
  };
}

function readFile(given: ReadonlyMap<Flag, string>): Options['file'] {
  const path = given.get('file');
  const out = given.get('out');
  if (path === undefined && out === undefined) return undefined;
  if (path === undefined) throw new Refusal('--out needs --file PATH, the file to send.');
  if (out === undefined) throw new Refusal('--file needs --out PATH, where the file goes.');
  return { path, out };
}

function integer(given: ReadonlyMap<Flag, string>, flag: Flag, otherwise: number, min: number, max: number): number {
  const text = given.get(flag);
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Refusal(`--${flag} takes a whole number from ${min} to ${max}, not ${text}.`);
  }
  return value;
}

function list<T extends string>(given: ReadonlyMap<Flag, string>, flag: Flag, allowed: readonly T[]): T[] | undefined {
  const text = given.get(flag);
  if (text === undefined) return undefined;
  const chosen = [...new Set(text.split(','))];
  const wrong = chosen.find((value) => !(allowed as readonly string[]).includes(value));
  if (wrong !== undefined) {
    throw new Refusal(`--${flag} takes ${allowed.join(', ')}, or several with commas between, not "${wrong}".`);
  }
  return chosen as T[];
}
