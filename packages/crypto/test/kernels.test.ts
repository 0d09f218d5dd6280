import { randomBytes, seededRandom } from '@millrace/core';
import { createCipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { expandKey, scheduleBytes } from '../src/kernel/expand-key.ts';
import { aesModuleBase64 } from '../src/kernel/aes-module.gen.ts';
import { instantiate } from '../src/kernel/instantiate.ts';

test('the module in the sources is the one that the assembler makes', async () => {
  const path = '../kernels/build.mjs';
  const { aesModuleSource } = (await import(path)) as { aesModuleSource(): string };
  const written = readFileSync(new URL('../src/kernel/aes-module.gen.ts', import.meta.url), 'utf8');
  expect(written === aesModuleSource(), 'run node packages/crypto/kernels/build.mjs').toBe(true);
});

test('a marked swizzle stands nowhere but where the assembler put one', async () => {
  const path = '../kernels/aes-kernel.mjs';
  const { countSwizzles } = (await import(path)) as { countSwizzles(): { marked: number; emitted: number } };
  const { marked, emitted } = countSwizzles();
  expect(emitted).toBeGreaterThan(1000);
  expect(marked).toBe(emitted);
});

test.each([16, 32] as const)('the block function with a key of %d bytes is AES', (keyBytes) => {
  const kernel = instantiate(aesModuleBase64)!.exports;
  const memory = new Uint8Array((kernel['memory'] as { buffer: ArrayBuffer }).buffer);
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
