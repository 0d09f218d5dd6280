import { describe } from 'vitest';
import { aeadCases } from '../../test/cases/aead-cases.ts';
import { algorithms } from '../../test/cases/oracle.ts';
import { recordCases } from '../../test/cases/record-cases.ts';
import * as pure from '../index.ts';

describe('pure engines', () => {
  const engines = ['js', 'auto'] as const;
  aeadCases(pure, { createCcm: [...engines, 'wasm'], createGcm: engines, createChaCha20Poly1305: [...engines, 'wasm'] });
  for (const { algorithm } of algorithms) recordCases(pure.createRecordCipher, algorithm, 'js');
  for (const algorithm of ['AES-128-CCM', 'AES-128-CCM-8', 'CHACHA20-POLY1305'] as const) {
    for (const inArena of [false, true]) recordCases(pure.createRecordCipher, algorithm, 'wasm', inArena);
  }
});
