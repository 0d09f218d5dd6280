import { describe, expect, test } from 'vitest';
import { aeadCases } from '../../test/cases/aead-cases.ts';
import { algorithms } from '../../test/cases/oracle.ts';
import { recordCases } from '../../test/cases/record-cases.ts';
import * as node from './index.ts';

describe('engines over node:crypto', () => {
  const native = ['reference', 'single-buffer', 'node', 'auto'] as const;
  aeadCases(node, {
    createCcm: [...native, 'wasm'],
    createGcm: native,
    createChaCha20Poly1305: [...native, 'wasm'],
  });
  for (const { algorithm } of algorithms) {
    for (const engine of ['reference', 'single-buffer', 'node', 'auto'] as const) {
      recordCases(node.createRecordCipher, algorithm, engine);
    }
  }
  for (const algorithm of ['AES-128-CCM', 'AES-128-CCM-8', 'CHACHA20-POLY1305'] as const) {
    for (const inArena of [false, true]) recordCases(node.createRecordCipher, algorithm, 'wasm', inArena);
  }
  for (const { algorithm } of algorithms) recordCases(node.createRecordCipher, algorithm, 'auto', true);

  test.each(algorithms)(
    'auto is the engine that was measured to be fastest for $algorithm',
    ({ algorithm, keyBytes, ivBytes }) => {
      const options = { algorithm, key: new Uint8Array(keyBytes), iv: new Uint8Array(ivBytes) };
      expect(node.createRecordCipher(options).engine).toBe(algorithm.includes('GCM') ? 'node' : 'auto');
      if (!algorithm.includes('GCM')) return;
      expect(() => node.createRecordCipher({ ...options, engine: 'wasm' })).toThrow(/engine must be one of auto, node/);
    },
  );
});
