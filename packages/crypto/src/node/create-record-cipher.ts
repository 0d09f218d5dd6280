import { createRecordCipherWith } from '../record/create-record-cipher-with.ts';
import type { RecordCipherOptions } from '../record/record-cipher-options.ts';
import type { RecordCipher } from '../record.ts';
import { createCcmParts } from './ccm/create-ccm-parts.ts';
import { createChachaParts } from './create-chacha-parts.ts';
import { createCcm, createChaCha20Poly1305, createGcm } from './create-aead.ts';

/**
 * Makes the cipher of one key in one direction. Key and IV are copied, and zeroed by `destroy`.
 * Throws TypeError or RangeError on an option that does not fit.
 */
export function createRecordCipher(options: RecordCipherOptions): RecordCipher {
  return createRecordCipherWith({ createCcm, createGcm, createChaCha20Poly1305 }, { createCcmParts, createChachaParts }, options);
}
