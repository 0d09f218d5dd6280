import type { KernelMemory } from '../kernel/kernel-memory.ts';
import type { RecordCipher } from '../record.ts';

/**
 * A record cipher whose records may share a kernel call with others, of any keys: they are prepared
 * one by one, staged into their lanes, run together, and finished in the order in which they came.
 * Between the first `prepare` and the last `finish` of a batch nothing else may use the kernels.
 */
export interface LaneCipher extends RecordCipher {
  /**
   * Readies the record at a place (0 to 3) of `kernels.places`. False, and nothing done, where it is
   * not for a batch of about `expected` records: too long or not well formed, or those before it must
   * be finished first.
   */
  prepare(
    kernels: KernelMemory,
    place: number,
    expected: number,
    data: Uint8Array,
    start: number,
    end: number,
    opening: boolean,
  ): boolean;
  stage(kernels: KernelMemory, place: number, opening: boolean): void;
  /** What `sealRecord` and `openRecord` leave and return. */
  finish(kernels: KernelMemory, place: number, data: Uint8Array, start: number, end: number, opening: boolean): boolean;
}

export function isLaneCipher(cipher: RecordCipher): cipher is LaneCipher {
  return 'prepare' in cipher;
}
