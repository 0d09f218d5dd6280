import type { KernelMemory } from '../kernel/kernel-memory.ts';
import type { RecordCipher } from '../record.ts';
import type { BatchAead } from './batch-aead.ts';

/** A record cipher whose records may share a kernel call with others; see `BatchAead`. */
export interface BatchCipher extends RecordCipher {
  /** Undefined where its AEAD works alone. */
  readonly batchAead: BatchAead | undefined;
  /** False, and nothing done, where the record is not for the lanes. */
  stage(
    kernels: KernelMemory,
    lane: number,
    expected: number,
    data: Uint8Array,
    start: number,
    end: number,
    opening: boolean,
  ): boolean;
  /** What `sealRecord` and `openRecord` leave and return. */
  finish(kernels: KernelMemory, lane: number, data: Uint8Array, start: number, end: number, opening: boolean): boolean;
}

export function isBatchCipher(cipher: RecordCipher): cipher is BatchCipher {
  return (cipher as Partial<BatchCipher>).batchAead !== undefined;
}
