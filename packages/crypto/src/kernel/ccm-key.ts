import { expandKey, scheduleBytes } from './expand-key.ts';
import { KernelKey } from './kernel-key.ts';

const templateOffset: number = scheduleBytes(32);
const tagMaskOffset: number = templateOffset + 16;
const ccmKeyBytes: number = tagMaskOffset + 16;

/**
 * The expanded key with what else the kernels ask of it (see kernels/ccm-kernel.mjs).
 *
 * @param salt the first four bytes of the nonces of records, for those who protect whole records.
 */
export function createCcmKey(key: Uint8Array, tagBytes: 8 | 16, salt?: Uint8Array): KernelKey {
  const bytes = new Uint8Array(ccmKeyBytes);
  expandKey(key, bytes, 0);
  bytes[templateOffset] = 0x40 | ((tagBytes - 2) << 2) | 2;
  if (salt !== undefined) bytes.set(salt, templateOffset + 1);
  bytes.fill(0xff, tagMaskOffset, tagMaskOffset + tagBytes);
  return new KernelKey(bytes);
}
