import { parseArgs } from 'node:util';

/** A flag: its default and what it means. A number must be above 0, a list must hold known words. */
export type Flag =
  | { readonly type: 'number'; readonly default: number; readonly help: string }
  | { readonly type: 'list'; readonly default: readonly string[]; readonly known: readonly string[]; readonly help: string };

export type Flags<T extends Record<string, Flag>> = {
  readonly [K in keyof T]: T[K]['type'] extends 'number' ? number : readonly string[];
} & { readonly json: boolean };

/**
 * Reads the flags of a benchmark. `--help` prints them and ends with 0; a wrong flag ends with 2 and
 * says what is allowed.
 */
export function parseFlags<T extends Record<string, Flag>>(name: string, flags: T): Flags<T> {
  const options: Record<string, { type: 'string' | 'boolean' }> = { json: { type: 'boolean' }, help: { type: 'boolean' } };
  for (const flag of Object.keys(flags)) options[flag] = { type: 'string' };
  try {
    const { values } = parseArgs({ options, strict: true });
    if (values['help'] === true) {
      process.stdout.write(formatHelp(name, flags));
      process.exit(0);
    }
    const read = Object.entries(flags).map(([flag, spec]) => [flag, readFlag(flag, spec, values[flag] as string | undefined)]);
    return { ...Object.fromEntries(read), json: values['json'] === true } as Flags<T>;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${formatHelp(name, flags)}`);
    process.exit(2);
  }
}

function readFlag(name: string, flag: Flag, text: string | undefined): number | readonly string[] {
  if (text === undefined) return flag.default;
  if (flag.type === 'number') {
    const value = Number(text);
    if (!(value > 0) || !Number.isFinite(value)) throw new Error(`--${name} takes a number above 0, not '${text}'.`);
    return value;
  }
  const words = text.split(',');
  const unknown = words.find((word) => !flag.known.includes(word));
  if (unknown !== undefined) throw new Error(`--${name} takes ${flag.known.join(', ')} (several with commas), not '${unknown}'.`);
  return words;
}

function formatHelp(name: string, flags: Record<string, Flag>): string {
  const lines = Object.entries(flags).map(
    ([flag, { help, default: otherwise }]) => `  --${flag.padEnd(16)} ${help} (default ${String(otherwise)})`,
  );
  return `npm run ${name} -- [flags]\n${lines.join('\n')}\n  --${'json'.padEnd(16)} print JSON alone on stdout\n`;
}
