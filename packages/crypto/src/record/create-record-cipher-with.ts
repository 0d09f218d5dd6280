import type { Aead, Engine } from '../aead.ts';
import type { CcmParts } from '../kernel/kernel-ccm.ts';
import type { ChachaParts } from '../kernel/kernel-chacha.ts';
import type { RecordCipher } from '../record.ts';
import { createAeadRecordCipher } from './aead-record-cipher.ts';
import { CcmRecordCipher } from './ccm-record-cipher.ts';
import { ChachaRecordCipher } from './chacha-record-cipher.ts';
import { checkRecordCipherOptions, type RecordCipherOptions } from './record-cipher-options.ts';

/** What makes the AEADs of a platform. */
export interface AeadFactories {
  createCcm(key: Uint8Array, options?: { tagBytes?: 8 | 16; engine?: Engine }): Aead;
  createGcm(key: Uint8Array, options?: { engine?: Engine }): Aead;
  createChaCha20Poly1305(key: Uint8Array, options?: { engine?: Engine }): Aead;
}

/** CCM by the kernels with what the platform has; undefined where they are not what the engine uses. */
export type CreateCcmParts = (key: Uint8Array, tagBytes: 8 | 16, engine: Engine, salt?: Uint8Array) => CcmParts | undefined;

/** The same for ChaCha20-Poly1305. */
export type CreateChachaParts = (key: Uint8Array, engine: Engine, iv?: Uint8Array) => ChachaParts | undefined;

/** What a platform makes of the kernels. */
export interface KernelFactories {
  readonly createCcmParts: CreateCcmParts;
  readonly createChachaParts: CreateChachaParts;
}

/** A record cipher over a platform's AEADs. */
export function createRecordCipherWith(
  factories: AeadFactories,
  { createCcmParts, createChachaParts }: KernelFactories,
  options: RecordCipherOptions,
): RecordCipher {
  const { mode, tagBytes } = checkRecordCipherOptions(options);
  const { algorithm, key, iv, engine = 'auto' } = options;
  if (mode === 'ccm') {
    const parts = createCcmParts(key, tagBytes, engine, iv);
    if (parts !== undefined) return new CcmRecordCipher(algorithm, parts, iv);
  } else if (mode === 'chacha20') {
    const parts = createChachaParts(key, engine, iv);
    if (parts !== undefined) return new ChachaRecordCipher(parts, iv);
  }
  const aead =
    mode === 'ccm'
      ? factories.createCcm(key, { tagBytes, engine })
      : mode === 'gcm'
        ? factories.createGcm(key, { engine })
        : factories.createChaCha20Poly1305(key, { engine });
  return createAeadRecordCipher(algorithm, aead, iv);
}
