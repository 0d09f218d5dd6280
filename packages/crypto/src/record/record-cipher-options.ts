import type { Engine } from '../aead.ts';
import { checkKey } from '../options.ts';
import type { RecordAlgorithm } from '../record.ts';

export interface RecordCipherOptions {
  readonly algorithm: RecordAlgorithm;
  /** The write key of one side: 16 or 32 bytes, as the algorithm says. Copied. */
  readonly key: Uint8Array;
  /** The write IV: 4 bytes of salt with AES, 12 with ChaCha20. Copied. */
  readonly iv: Uint8Array;
  /** Default 'auto'. */
  readonly engine?: Engine;
}

interface AlgorithmShape {
  readonly mode: 'ccm' | 'gcm' | 'chacha20';
  readonly keyBytes: 16 | 32;
  readonly ivBytes: 4 | 12;
  readonly tagBytes: 8 | 16;
}

const shapes: Readonly<Record<RecordAlgorithm, AlgorithmShape>> = {
  'AES-128-CCM': { mode: 'ccm', keyBytes: 16, ivBytes: 4, tagBytes: 16 },
  'AES-128-CCM-8': { mode: 'ccm', keyBytes: 16, ivBytes: 4, tagBytes: 8 },
  'AES-128-GCM': { mode: 'gcm', keyBytes: 16, ivBytes: 4, tagBytes: 16 },
  'AES-256-GCM': { mode: 'gcm', keyBytes: 32, ivBytes: 4, tagBytes: 16 },
  'CHACHA20-POLY1305': { mode: 'chacha20', keyBytes: 32, ivBytes: 12, tagBytes: 16 },
};

/** The lengths of an algorithm. Throws where the options do not fit them. */
export function checkRecordCipherOptions(options: RecordCipherOptions): AlgorithmShape {
  if (!Object.hasOwn(shapes, options.algorithm))
    throw new RangeError(`algorithm must be one of ${Object.keys(shapes).join(', ')}`);
  const shape = shapes[options.algorithm];
  checkKey(options.key, [shape.keyBytes]);
  if (!(options.iv instanceof Uint8Array)) throw new TypeError('iv must be a Uint8Array');
  if (options.iv.length !== shape.ivBytes) throw new RangeError(`iv must have ${shape.ivBytes} bytes`);
  return shape;
}
