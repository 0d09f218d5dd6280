import { copyOf } from '@millrace/core';
import { createCipheriv, type Cipher } from 'node:crypto';
import type { NativeAes } from '../../kernel/native-aes.ts';
import { reclaim } from '../reclaim.ts';
import { viewOf } from './view-cache.ts';

/**
 * AES by two long-lived contexts of node:crypto, since making one costs more than a record's AES does.
 * Each is made at its first use.
 */
export class NodeAes implements NativeAes {
  readonly chained: Uint8Array = new Uint8Array(16);
  readonly #key: Uint8Array;
  #ecb: Cipher | undefined;
  #cbc: Cipher | undefined;

  constructor(key: Uint8Array) {
    this.#key = copyOf(key);
  }

  encryptBlocks(memory: Uint8Array, from: number, bytes: number): void {
    this.#ecb ??= this.#create('ecb', null);
    const encrypted = this.#ecb.update(viewOf(memory, from, bytes));
    memory.set(encrypted, from);
    encrypted.fill(0);
    reclaim(encrypted);
  }

  chainBlocks(memory: Uint8Array, from: number, bytes: number): void {
    this.#cbc ??= this.#create('cbc', new Uint8Array(16));
    const chained = this.#cbc.update(viewOf(memory, from, bytes));
    for (let i = 0, last = bytes - 16; i < 16; i++) this.chained[i] = chained[last + i]!;
    chained.fill(0);
    reclaim(chained);
  }

  /** Frees the native contexts, which clears their key schedules. */
  destroy(): void {
    this.#ecb?.final();
    this.#cbc?.final();
    this.#key.fill(0);
    this.chained.fill(0);
  }

  #create(mode: string, iv: Uint8Array | null): Cipher {
    const cipher = createCipheriv(`aes-${8 * this.#key.length}-${mode}`, this.#key, iv);
    cipher.setAutoPadding(false);
    return cipher;
  }
}
