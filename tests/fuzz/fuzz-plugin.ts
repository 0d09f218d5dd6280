import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vitest/config';

const standIn = fileURLToPath(new URL('fast-check.ts', import.meta.url));

/** Gives every importer of fast-check the stand-in that runs more cases. */
export function fuzzPlugin(): Plugin {
  return {
    name: 'millrace-fuzz',
    enforce: 'pre',
    resolveId: (source, importer) => (source === 'fast-check' && importer !== standIn ? standIn : undefined),
  };
}
