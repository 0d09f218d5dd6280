import { createCipheriv, type Cipher } from 'node:crypto';
import { reclaim } from '../reclaim.ts';
import { BlockScratch } from './block-scratch.ts';

/** Where the input of the MAC is put together. */
export const macScratch: BlockScratch = new BlockScratch();

/**
 * CBC-MAC by one long-lived CBC cipher, as making a cipher costs more than a record does. The chain
 * goes on from message to message; XOR-ing the last ciphertext block into the first block of the
 * next message cancels it, which is the same as starting over with an IV of zeros.
 */
export class CbcMac {
  readonly #cipher: Cipher;
  /** The last ciphertext block of the chain: after `compute`, the MAC. */
  readonly value: Uint8Array = new Uint8Array(16);

  /** @param name the CBC cipher's name at node:crypto. */
  constructor(name: string, key: Uint8Array) {
    this.#cipher = createCipheriv(name, key, new Uint8Array(16));
    this.#cipher.setAutoPadding(false);
  }

  /** Leaves the MAC of the first `blocks` blocks of `macScratch` in `value`. Changes the first block. */
  compute(blocks: number): void {
    const value = this.value;
    const message = macScratch.bytes;
    for (let i = 0; i < 16; i++) message[i]! ^= value[i]!;
    const chained = this.#cipher.update(macScratch.view(blocks));
    const last = 16 * blocks - 16;
    for (let i = 0; i < 16; i++) value[i] = chained[last + i]!;
    reclaim(chained);
  }

  /** Frees the native context, which clears its key schedule. */
  destroy(): void {
    this.#cipher.final();
    this.value.fill(0);
  }
}
