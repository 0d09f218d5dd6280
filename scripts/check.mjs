import { styleText } from 'node:util';
import { checkPackages } from './check-packages.mjs';
import { tools } from './paths.mjs';
import { runChild } from './run-child.mjs';

/**
 * What `npm run check` looks at, in the order of cost. Each step resolves with an exit code.
 * @type {Record<string, () => Promise<number>>}
 */
const steps = {
  format: () => runChild([tools.biome, 'format', '.']),
  lint: () => runChild([tools.oxlint, '--deny-warnings']),
  // The code that ships, then with the tests, then what it declares to programs without DOM and Node types.
  types: async () =>
    (await runChild([tools.tsc, '-b', 'tsconfig.json'])) ||
    (await runChild([tools.tsc, '-p', 'tsconfig.tests.json'])) ||
    runChild([tools.tsc, '-p', 'tsconfig.declarations.json']),
  rules: () => runChild([tools.vitest, 'run', '--project', 'rules']),
  packages: async () => checkPackages(),
};

/** Runs all steps, or those that are named, and says which failed. @param {string[]} names */
export async function check(names) {
  const unknown = names.find((name) => !Object.hasOwn(steps, name));
  if (unknown !== undefined) {
    process.stderr.write(`There is no check ${unknown}. There are: ${Object.keys(steps).join(', ')}.\n`);
    return 2;
  }
  const failed = [];
  for (const name of names.length > 0 ? names : Object.keys(steps)) {
    process.stdout.write(`\n${styleText('bold', name)}\n`);
    const code = (await steps[name]?.()) ?? 0;
    if (code > 128) return code;
    if (code !== 0) failed.push(name);
  }
  process.stdout.write(failed.length === 0 ? '\nAll checks passed\n' : `\nFailed: ${failed.join(', ')}\n`);
  return failed.length === 0 ? 0 : 1;
}
