import { createAeadRecordCipher } from '../record/aead-record-cipher.ts';
import { checkRecordCipherOptions, type RecordCipherOptions } from '../record/record-cipher-options.ts';
import type { RecordCipher } from '../record.ts';
import { createCcm, createChaCha20Poly1305, createGcm } from './create-aead.ts';

/**
 * Makes the cipher of one key in one direction. Key and IV are copied, and zeroed by `destroy`.
 * Throws TypeError or RangeError on an option that does not fit.
 */
export function createRecordCipher(options: RecordCipherOptions): RecordCipher {
  const { mode, tagBytes } = checkRecordCipherOptions(options);
  const { algorithm, key, iv, engine = 'auto' } = options;
  const aead =
    mode === 'ccm'
      ? createCcm(key, { tagBytes, engine })
      : mode === 'gcm'
        ? createGcm(key, { engine })
        : createChaCha20Poly1305(key, { engine });
  return createAeadRecordCipher(algorithm, aead, iv);
}
