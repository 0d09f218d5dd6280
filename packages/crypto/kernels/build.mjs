/*
 * Assembles the WASM kernels and writes them as TypeScript: `node packages/crypto/kernels/build.mjs`.
 * A test holds the written module equal to what this makes.
 *
 * AES by vector permutes, after Mike Hamburg, "Accelerating AES with Vector Permute Instructions"
 * (CHES 2009): no table in memory is ever indexed by a secret, so the kernels take constant time.
 */
import { writeFileSync } from 'node:fs';
import { assembleCcmKernel } from './ccm-kernel.mjs';
import { assembleChachaKernel } from './chacha-kernel.mjs';

function moduleSource(name, bytes) {
  const base64 = Buffer.from(bytes).toString('base64');
  return `/* Made by packages/crypto/kernels/build.mjs. */\nexport const ${name}: string =\n  '${base64}';\n`;
}

/** The generated modules, by the name of their file in `src/kernel`. */
export function moduleSources() {
  return {
    'ccm-module.gen.ts': moduleSource('ccmModuleBase64', assembleCcmKernel()),
    'chacha-module.gen.ts': moduleSource('chachaModuleBase64', assembleChachaKernel()),
  };
}

if (process.argv[1]?.endsWith('build.mjs')) {
  for (const [file, source] of Object.entries(moduleSources())) {
    writeFileSync(new URL(`../src/kernel/${file}`, import.meta.url), source);
  }
}
