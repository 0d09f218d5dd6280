import { copyOf } from '@millrace/core';
import type { Aead } from '../aead.ts';
import { checkAlive, checkOpen, checkSeal, tlsNonce } from '../options.ts';

/** An AEAD of @noble/ciphers: one object per record, ciphertext and tag together. */
export type NobleCipher = (
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
) => { encrypt(plaintext: Uint8Array): Uint8Array; decrypt(ciphertext: Uint8Array): Uint8Array };

/** AES-GCM or ChaCha20-Poly1305 by @noble/ciphers. */
export class NobleAead implements Aead {
  readonly engine = 'js';
  readonly keyBytes: 16 | 32;
  readonly tagBytes = 16;
  readonly #cipher: NobleCipher;
  readonly #key: Uint8Array;
  #destroyed = false;

  constructor(cipher: NobleCipher, key: Uint8Array) {
    this.keyBytes = key.length as 16 | 32;
    this.#cipher = cipher;
    this.#key = copyOf(key);
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, tlsNonce, aad, data, start, end, this.tagBytes);
    data.set(this.#cipher(this.#key, nonce, aad).encrypt(data.subarray(start, end)), start);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, tlsNonce, aad, data, start, end, this.tagBytes)) return false;
    let plaintext: Uint8Array;
    try {
      plaintext = this.#cipher(this.#key, nonce, aad).decrypt(data.subarray(start, end));
    } catch {
      // The library reports a wrong tag by throwing.
      data.fill(0, start, end);
      return false;
    }
    data.set(plaintext, start);
    return true;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#key.fill(0);
  }
}
