import { describe } from 'vitest';
import { aeadCases } from '../../test/cases/aead-cases.ts';
import { algorithms } from '../../test/cases/oracle.ts';
import { recordCases } from '../../test/cases/record-cases.ts';
import * as node from './index.ts';

describe('engines over node:crypto', () => {
  const native = ['reference', 'single-buffer', 'node', 'auto'] as const;
  aeadCases(node, {
    createCcm: native,
    createGcm: native,
    createChaCha20Poly1305: native,
  });
  for (const { algorithm } of algorithms) {
    for (const engine of native) recordCases(node.createRecordCipher, algorithm, engine);
  }
});
