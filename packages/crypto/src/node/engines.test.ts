import { describe, expect, test } from 'vitest';
import { aeadCases } from '../../test/cases/aead-cases.ts';
import { algorithms } from '../../test/cases/oracle.ts';
import { recordCases } from '../../test/cases/record-cases.ts';
import * as node from './index.ts';

describe('engines over node:crypto', () => {
  const native = ['reference', 'single-buffer', 'node', 'auto'] as const;
  aeadCases(node, {
    createCcm: native,
    createGcm: native,
    createChaCha20Poly1305: [...native, 'wasm'],
  });
  for (const { algorithm } of algorithms) {
    for (const engine of ['reference', 'single-buffer', 'node', 'auto'] as const) {
      recordCases(node.createRecordCipher, algorithm, engine);
    }
  }
  recordCases(node.createRecordCipher, 'CHACHA20-POLY1305', 'wasm');
  for (const { algorithm } of algorithms) recordCases(node.createRecordCipher, algorithm, 'auto', true);

  test.each(algorithms)(
    'auto is the engine that was measured to be fastest for $algorithm',
    ({ algorithm, keyBytes, ivBytes }) => {
      const options = { algorithm, key: new Uint8Array(keyBytes), iv: new Uint8Array(ivBytes) };
      expect(node.createRecordCipher(options).engine).toBe(algorithm.includes('GCM') ? 'node' : 'auto');
      if (algorithm === 'CHACHA20-POLY1305') return;
      expect(() => node.createRecordCipher({ ...options, engine: 'wasm' })).toThrow(/engine must be one of auto, node/);
    },
  );
});
