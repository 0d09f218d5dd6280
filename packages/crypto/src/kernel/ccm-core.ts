import { createCcmKey } from './ccm-key.ts';
import type { KernelKey } from './kernel-key.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { KeystreamWindow } from './keystream-window.ts';
import { streamRoomOf } from './memory-layout.ts';
import type { NativeAes, WatchPool } from './native-aes.ts';

/** How an engine of CCM divides its work between the kernels and the platform. */
export interface CcmPlan {
  /** The longest payload, in bytes, whose MAC the lanes compute, by the number of records in a batch. */
  readonly maxLaneBytes: readonly number[];
  /** From so many blocks on, keystream is made by the platform. */
  readonly minNativeBlocks: number;
  /** The longest payload; longer ones go elsewhere. */
  readonly maxBytes: number;
}

/** AES of the platform and what comes with it. */
export interface NativeParts {
  readonly aes: NativeAes;
  readonly watchPool: WatchPool;
}

/** The keystream and MAC of one CCM key, for nonces of 12 bytes. */
export class CcmCore {
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly key: KernelKey;
  readonly plan: CcmPlan;
  readonly #native: NativeParts | undefined;
  readonly #ahead: KeystreamWindow | undefined;
  isDestroyed = false;

  constructor(key: Uint8Array, tagBytes: 8 | 16, salt: Uint8Array | undefined, plan: CcmPlan, native: NativeParts | undefined) {
    this.keyBytes = key.length as 16 | 32;
    this.tagBytes = tagBytes;
    this.plan = plan;
    this.key = createCcmKey(key, tagBytes, salt);
    this.#native = native;
    // Without a native call to share, making keystream ahead saves nothing.
    this.#ahead = native && new KeystreamWindow((kernels, at, blocks) => this.#encrypt(kernels, at, blocks));
  }

  /**
   * The address of `blocks` blocks of keystream for a nonce, not this record's alone to keep: it is
   * valid until a record comes for place 0. Those that share a batch have places 0 to 3; -1 where the
   * record can't share this one.
   */
  streamFor(kernels: KernelMemory, place: number, n0: number, n1: number, n2: number, blocks: number): number {
    const ahead = this.#ahead;
    if (ahead !== undefined) {
      const found = ahead.find(kernels, n0, n1, n2, blocks);
      if (found !== -1) return found;
      if (ahead.isNext(kernels, n0, n1, n2)) {
        if (place > 0) return -1;
        const made = ahead.advance(kernels, n0, n1, n2, blocks);
        if (made !== -1) {
          this.#native!.watchPool(kernels.pool);
          return made;
        }
      }
    }
    const at = streamRoomOf(place, 16 * (blocks - 1));
    kernels.lanes.counters(at, n0, n1, n2, blocks, 1);
    this.#encrypt(kernels, at, blocks);
    return at;
  }

  /** Tells that the record with this nonce was sealed, or opened and found authentic. */
  confirm(n0: number, n1: number, n2: number, blocks: number): void {
    this.#ahead?.confirm(n0, n1, n2, blocks);
  }

  /** Computes the MAC of the one record that is staged, in lane 0, its payload `length` bytes at `at`. */
  run(kernels: KernelMemory, at: number, length: number): void {
    const { lanes } = kernels;
    if (length <= this.plan.maxLaneBytes[1]! || this.#native === undefined) {
      if (this.keyBytes === 16) lanes.run(1);
      else lanes.runLong();
      return;
    }
    const { aes } = this.#native;
    lanes.frame(aes.chained);
    aes.chainBlocks(kernels.bytes, at - 32, 32 + ((length + 15) & ~15));
    lanes.unframe(aes.chained);
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    this.key.destroy();
    this.#ahead?.release();
    this.#native?.aes.destroy();
  }

  #encrypt(kernels: KernelMemory, at: number, blocks: number): void {
    if (this.#native !== undefined && blocks >= this.plan.minNativeBlocks) {
      this.#native.aes.encryptBlocks(kernels.bytes, at, 16 * blocks);
    } else {
      kernels.lanes.encryptBlocks(this.keyBytes, this.key.addressIn(kernels.keys), at, blocks);
    }
  }
}

/** Blocks of keystream for a payload: one masks the tag. */
export function streamBlocksOf(payloadBytes: number): number {
  return 1 + ((payloadBytes + 15) >>> 4);
}
