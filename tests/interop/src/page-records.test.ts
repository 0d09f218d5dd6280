import { formatHex, randomBytes, seededRandom, writeUint16 } from '@millrace/core';
import { createRecordCipher, type Engine, type RecordAlgorithm, type RecordCipher } from '@millrace/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserLab, type BrowserName } from './browser/browser-lab.ts';
import { bundleForPage } from './browser/bundle-for-page.ts';
import type { RecordCase, RecordOutcome } from './browser/record-page.ts';

const seed = 70_212;
const small = Array.from({ length: 70 }, (_, i) => i);
// Around whole blocks, groups of them, and what the kernels take.
const large =
  '127 128 191 192 193 208 255 256 257 447 448 449 511 512 703 704 1023 1024 1171 1200 1400 2047 2048 2049 4096 8191 16384';
const sizes = [...small, ...large.split(' ').map(Number)];

/** What there is in a page, besides `auto`. */
const engines: Readonly<Record<RecordAlgorithm, readonly Engine[]>> = {
  'AES-128-CCM': ['auto', 'wasm', 'js'],
  'AES-128-CCM-8': ['auto', 'wasm', 'js'],
  'AES-128-GCM': ['auto', 'js'],
  'AES-256-GCM': ['auto', 'js'],
  'CHACHA20-POLY1305': ['auto', 'wasm', 'js'],
};

const keyBytes: Readonly<Record<RecordAlgorithm, number>> = {
  'AES-128-CCM': 16,
  'AES-128-CCM-8': 16,
  'AES-128-GCM': 16,
  'AES-256-GCM': 32,
  'CHACHA20-POLY1305': 32,
};

/** A record by node:crypto, called as plainly as can be. */
function sealByNode(cipher: RecordCipher, payload: Uint8Array, sequenceNumber: number): Uint8Array {
  const payloadStart = 13 + cipher.explicitNonceBytes;
  const record = new Uint8Array(payloadStart + payload.length + cipher.tagBytes);
  record.set([23, 0xfe, 0xfd, 0, 1]);
  writeUint16(record, 9, sequenceNumber);
  writeUint16(record, 11, record.length - 13);
  record.set(payload, payloadStart);
  cipher.sealRecord(record, 0, record.length);
  return record;
}

describe.each<BrowserName>(['chromium', 'firefox'])('in %s', (name) => {
  const lab = new BrowserLab(name);
  let script = '';
  beforeAll(async () => {
    await lab.start();
    script = await bundleForPage(new URL('browser/record-page.ts', import.meta.url));
  });
  afterAll(() => lab.stop());

  test.for(Object.keys(engines) as RecordAlgorithm[])(
    `%s: every engine seals and opens as node:crypto does, alone and in batches (seed ${seed})`,
    async (algorithm, context) => {
      const page = await lab.openPage(context);
      lab.running.pages.addScript('/record-page.js', script);
      const random = seededRandom(seed);
      const key = randomBytes(random, keyBytes[algorithm]);
      const iv = randomBytes(random, algorithm === 'CHACHA20-POLY1305' ? 12 : 4);
      const payloads = sizes.map((size) => randomBytes(random, size));
      const byNode = createRecordCipher({ algorithm, key, iv, engine: 'reference' });
      const records = payloads.map((payload, index) => sealByNode(byNode, payload, index));
      for (const engine of engines[algorithm]) {
        for (const inArena of [false, true]) {
          const given: RecordCase = {
            algorithm,
            engine,
            inArena,
            key: formatHex(key),
            iv: formatHex(iv),
            payloads: payloads.map(formatHex),
            records: records.map(formatHex),
          };
          const outcome = await page.call<RecordOutcome>('run', '/record-page.js', given);
          expect(outcome.failures, `${engine}, ${inArena ? 'in a record arena' : 'in buffers'}`).toEqual([]);
          // Both have WASM SIMD, so that `auto` need not fall back.
          if (!algorithm.includes('GCM')) expect(outcome.engine).toBe(engine);
        }
      }
    },
  );
});
