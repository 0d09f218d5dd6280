import type { Aead } from '../aead.ts';
import type { KernelMemory } from '../kernel/kernel-memory.ts';

/** Records that one call of a kernel protects. */
export const maxBatch = 4;

/**
 * An AEAD that also works in lanes: records are staged one by one, possibly of several keys, then run
 * together by the kernels, then finished in the same order. Between the first `stage` and the last `finish` of a
 * batch nothing else may use an AEAD of the thread.
 */
export interface BatchAead extends Aead {
  /**
   * Takes a record into a lane; arguments as with `seal` and `open`. False, and nothing done, where
   * the record is not for the lanes: too long for a batch of about `expected`, or not well formed.
   */
  stage(
    kernels: KernelMemory,
    lane: number,
    expected: number,
    nonce: Uint8Array,
    aad: Uint8Array,
    data: Uint8Array,
    start: number,
    end: number,
    opening: boolean,
  ): boolean;
  /** What `seal` and `open` leave and return. */
  finish(kernels: KernelMemory, lane: number, data: Uint8Array, start: number, end: number, opening: boolean): boolean;
}

export function isBatchAead(aead: Aead): aead is BatchAead {
  return 'stage' in aead;
}
