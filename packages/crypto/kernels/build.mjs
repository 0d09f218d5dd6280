/*
 * Assembles the WASM kernels and writes them as TypeScript: `node packages/crypto/kernels/build.mjs`.
 * A test holds the written module equal to what this makes.
 *
 * AES by vector permutes, after Mike Hamburg, "Accelerating AES with Vector Permute Instructions"
 * (CHES 2009): no table in memory is ever indexed by a secret, so the kernels take constant time.
 */
import { writeFileSync } from 'node:fs';
import { assembleAesKernel } from './aes-kernel.mjs';

/** The source of the generated module. */
export function aesModuleSource() {
  const base64 = Buffer.from(assembleAesKernel()).toString('base64');
  return `/* Made by packages/crypto/kernels/build.mjs. */\nexport const aesModuleBase64: string =\n  '${base64}';\n`;
}

if (process.argv[1]?.endsWith('build.mjs')) {
  writeFileSync(new URL('../src/kernel/aes-module.gen.ts', import.meta.url), aesModuleSource());
}
