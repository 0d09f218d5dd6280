import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';

/** The project's folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Tools are started as JavaScript files with this Node: no shell, no .cmd shims, on every platform. */
export const tools = {
  tsc: join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  vitest: join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  oxlint: join(root, 'node_modules', 'oxlint', 'bin', 'oxlint'),
  biome: join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'),
};

/** The JavaScript of npm: the one that started us, or the one that came with Node. */
export function npmCli() {
  const started = process.env.npm_execpath;
  if (started !== undefined && basename(started) === 'npm-cli.js' && existsSync(started)) return started;
  const beside = dirname(process.execPath);
  for (const modules of [join(beside, '..', 'lib', 'node_modules'), join(beside, 'node_modules'), '/usr/share/nodejs']) {
    const path = join(modules, 'npm', 'bin', 'npm-cli.js');
    if (existsSync(path)) return path;
  }
  throw new Failure(
    'npm was not found beside Node. Start the command with `npm run`, or install Node together with npm from https://nodejs.org.',
  );
}
