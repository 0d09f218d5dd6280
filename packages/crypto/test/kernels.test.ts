import { randomBytes, seededRandom } from '@millrace/core';
import { createCipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expandKey, scheduleBytes } from '../src/kernel/expand-key.ts';
import { ccmModuleBase64 } from '../src/kernel/ccm-module.gen.ts';
import { chachaModuleBase64 } from '../src/kernel/chacha-module.gen.ts';
import { allocate, compile, instantiate, type KernelExports } from '../src/kernel/instantiate.ts';

test('the modules in the sources are those that the assembler makes', async () => {
  const path = '../kernels/build.mjs';
  const { moduleSources } = (await import(path)) as { moduleSources(): Record<string, string> };
  for (const [file, source] of Object.entries(moduleSources())) {
    const written = readFileSync(new URL(`../src/kernel/${file}`, import.meta.url), 'utf8');
    expect(written === source, `${file}: run node packages/crypto/kernels/build.mjs`).toBe(true);
  }
});

test.each(['ccm', 'chacha'])('in the %s module a marked swizzle stands nowhere but where the assembler put one', async (name) => {
  const path = `../kernels/${name}-kernel.mjs`;
  const { countSwizzles } = (await import(path)) as { countSwizzles(): { marked: number; emitted: number } };
  const { marked, emitted } = countSwizzles();
  expect(emitted).toBeGreaterThan(10);
  expect(marked).toBe(emitted);
});

function load(module: string): { kernel: KernelExports; bytes: Uint8Array } {
  const memory = allocate(65_536)!;
  return { kernel: instantiate(compile(module)!, memory), bytes: new Uint8Array(memory.buffer) };
}

test.each([16, 32] as const)('the block function with a key of %d bytes is AES', (keyBytes) => {
  const { kernel, bytes: memory } = load(ccmModuleBase64);
  const ecb = kernel[keyBytes === 16 ? 'ecb' : 'ecbL'] as (key: number, at: number, groups: number) => void;
  const random = seededRandom(keyBytes);
  for (let i = 0; i < 50; i++) {
    const key = randomBytes(random, keyBytes);
    const blocks = randomBytes(random, 256);
    expandKey(key, memory, 4096);
    memory.set(blocks, 8192);
    ecb(4096, 8192, 4);
    const expected = createCipheriv(`aes-${keyBytes * 8}-ecb`, key, null).update(blocks);
    expect(Buffer.from(memory.subarray(8192, 8192 + 256)).equals(expected)).toBe(true);
  }
  expect(scheduleBytes(keyBytes)).toBeLessThanOrEqual(256);
});

test.each([
  // RFC 8439 appendix A.3, vectors 5 to 9: sums around 2^130 - 5 and 2^128.
  ['02', '00', 'ff'.repeat(16), '03'],
  ['02', 'ff'.repeat(16), '02', '03'],
  ['01', '00', `${'ff'.repeat(16)}f0${'ff'.repeat(15)}11`, '05'],
  ['01', '00', `${'ff'.repeat(16)}fb${'fe'.repeat(15)}${'01'.repeat(16)}`, '00'],
  ['02', '00', `fd${'ff'.repeat(15)}`, `fa${'ff'.repeat(15)}`],
])('Poly1305 wraps where the RFC says: r %s, s %s, text %s', (r, s, text, tag) => {
  const { kernel, bytes } = load(chachaModuleBase64);
  const { polyInit, polyBlocks, polyTag } = kernel as unknown as Record<string, (at: number, blocks?: number) => void>;
  bytes.set(Buffer.from(r, 'hex'), 4096);
  bytes.set(Buffer.from(s, 'hex'), 4112);
  bytes.set(Buffer.from(text, 'hex'), 8192);
  polyInit!(4096);
  polyBlocks!(8192, Math.ceil(text.length / 32));
  polyTag!(1024);
  expect(Buffer.from(bytes.subarray(1024, 1040)).toString('hex')).toBe(tag.padEnd(32, '0'));
});
