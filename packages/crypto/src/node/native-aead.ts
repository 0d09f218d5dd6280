import { copyOf } from '@millrace/core';
import { createCipheriv, createDecipheriv, type CipherGCM, type CipherGCMTypes, type DecipherGCM } from 'node:crypto';
import type { Aead } from '../aead.ts';
import { checkAlive, checkOpen, checkSeal, type NonceRange } from '../options.ts';
import { reclaim } from './reclaim.ts';

/** An AEAD of node:crypto: its name there, and the lengths in bytes. */
export interface NativeAlgorithm {
  readonly cipher: string;
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly nonce: NonceRange;
}

/**
 * Straightforward code, as most stacks have it: a cipher object and fresh buffers per record, the
 * parts joined at the end. It is what the other engines are compared with.
 */
export class ReferenceAead implements Aead {
  readonly engine = 'reference';
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly #algorithm: NativeAlgorithm;
  readonly #key: Uint8Array;
  #destroyed = false;

  constructor(algorithm: NativeAlgorithm, key: Uint8Array) {
    this.keyBytes = algorithm.keyBytes;
    this.tagBytes = algorithm.tagBytes;
    this.#algorithm = algorithm;
    this.#key = copyOf(key);
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, this.#algorithm.nonce, aad, data, start, end, this.tagBytes);
    const plaintext = data.subarray(start, end);
    const cipher = newCipher(this.#algorithm.cipher, this.#key, nonce, { authTagLength: this.tagBytes });
    cipher.setAAD(Buffer.from(aad), { plaintextLength: plaintext.length });
    const sealed = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    data.set(sealed, start);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, this.#algorithm.nonce, aad, data, start, end, this.tagBytes)) return false;
    const ciphertext = data.subarray(start, end - this.tagBytes);
    const decipher = newDecipher(this.#algorithm.cipher, this.#key, nonce, { authTagLength: this.tagBytes });
    decipher.setAuthTag(data.subarray(end - this.tagBytes, end));
    decipher.setAAD(Buffer.from(aad), { plaintextLength: ciphertext.length });
    const head = decipher.update(ciphertext);
    try {
      const tail = decipher.final();
      data.set(tail.length > 0 ? Buffer.concat([head, tail]) : head, start);
      return true;
    } catch {
      head.fill(0);
      data.fill(0, start, end);
      return false;
    }
  }

  destroy(): void {
    this.#destroyed = true;
    this.#key.fill(0);
  }
}

/**
 * The same with the waste taken out: options, nonce and additional data are used again, and the
 * parts go straight into the record, whose size is known. As engine `node` it also gives the memory
 * of what node:crypto returned back at once.
 */
export class SingleBufferAead implements Aead {
  readonly engine: 'single-buffer' | 'node';
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly #algorithm: NativeAlgorithm;
  readonly #key: Uint8Array;
  readonly #options: { authTagLength: number };
  readonly #aadOptions: { plaintextLength: number } = { plaintextLength: 0 };
  #destroyed = false;

  constructor(engine: 'single-buffer' | 'node', algorithm: NativeAlgorithm, key: Uint8Array) {
    this.engine = engine;
    this.keyBytes = algorithm.keyBytes;
    this.tagBytes = algorithm.tagBytes;
    this.#algorithm = algorithm;
    this.#key = copyOf(key);
    this.#options = { authTagLength: algorithm.tagBytes };
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, this.#algorithm.nonce, aad, data, start, end, this.tagBytes);
    const cipher = newCipher(this.#algorithm.cipher, this.#key, nonce, this.#options);
    this.#aadOptions.plaintextLength = end - start;
    cipher.setAAD(aad, this.#aadOptions);
    const ciphertext = cipher.update(data.subarray(start, end));
    data.set(ciphertext, start);
    if (this.engine === 'node') reclaim(ciphertext);
    cipher.final();
    data.set(cipher.getAuthTag(), end);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, this.#algorithm.nonce, aad, data, start, end, this.tagBytes)) return false;
    const tagStart = end - this.tagBytes;
    const decipher = newDecipher(this.#algorithm.cipher, this.#key, nonce, this.#options);
    decipher.setAuthTag(data.subarray(tagStart, end));
    this.#aadOptions.plaintextLength = tagStart - start;
    decipher.setAAD(aad, this.#aadOptions);
    const plaintext = decipher.update(data.subarray(start, tagStart));
    try {
      decipher.final();
    } catch {
      plaintext.fill(0);
      data.fill(0, start, end);
      return false;
    }
    data.set(plaintext, start);
    if (this.engine === 'node') reclaim(plaintext);
    return true;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#key.fill(0);
  }
}

// The three AEADs share their calls; the types of node:crypto differ by name alone.
function newCipher(name: string, key: Uint8Array, nonce: Uint8Array, options: { authTagLength: number }): CipherGCM {
  return createCipheriv(name as CipherGCMTypes, key, nonce, options);
}

function newDecipher(name: string, key: Uint8Array, nonce: Uint8Array, options: { authTagLength: number }): DecipherGCM {
  return createDecipheriv(name as CipherGCMTypes, key, nonce, options);
}
