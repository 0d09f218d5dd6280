import { copyOf } from '@millrace/core';
import type { Aead } from '../aead.ts';
import { checkAlive, checkOpen, checkSeal, tlsNonce } from '../options.ts';
import { maxAadBytes, maxStagedBytes } from './chacha-kernel.ts';
import { type KernelMemory, kernelsOver } from './kernel-memory.ts';

/** The longest payload that the kernel takes wherever it stands. */
export const maxKernelPayloadBytes: number = maxStagedBytes;

/** ChaCha20-Poly1305 (RFC 8439) in WASM SIMD: constant time, no allocation, the same in Node and in pages. */
export class WasmChaCha implements Aead {
  readonly engine: 'wasm' | 'auto';
  readonly keyBytes = 32;
  readonly tagBytes = 16;
  readonly #shared: KernelMemory;
  readonly #longest: number;
  readonly #other: Aead;
  readonly #key: Uint8Array;
  #destroyed = false;

  /**
   * @param shared for data that does not stand in a record arena.
   * @param longest payload in bytes that goes to the kernel, at most `maxKernelPayloadBytes`.
   * @param other takes what is longer. Destroyed with this.
   */
  constructor(engine: 'wasm' | 'auto', key: Uint8Array, shared: KernelMemory, longest: number, other: Aead) {
    this.engine = engine;
    this.#shared = shared;
    this.#longest = longest;
    this.#other = other;
    this.#key = copyOf(key);
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, tlsNonce, aad, data, start, end, this.tagBytes);
    const length = end - start;
    if (length > this.#longest || aad.length > maxAadBytes) {
      this.#other.seal(nonce, aad, data, start, end);
      return;
    }
    const own = kernelsOver(data);
    const kernel = (own ?? this.#shared).chacha;
    const at = own === undefined ? kernel.copyIn(data, start, length) : start;
    kernel.begin(this.#key, nonce);
    kernel.crypt(at, length);
    kernel.authenticate(aad, at, length);
    if (own === undefined) kernel.copyOut(data, start, length);
    kernel.writeTag(data, end);
    kernel.end();
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, tlsNonce, aad, data, start, end, this.tagBytes)) return false;
    const tagStart = end - this.tagBytes;
    const length = tagStart - start;
    if (length > this.#longest || aad.length > maxAadBytes) return this.#other.open(nonce, aad, data, start, end);
    const own = kernelsOver(data);
    const kernel = (own ?? this.#shared).chacha;
    const at = own === undefined ? kernel.copyIn(data, start, length) : start;
    kernel.begin(this.#key, nonce);
    kernel.authenticate(aad, at, length);
    const isAuthentic = kernel.isTag(data, tagStart);
    if (isAuthentic) {
      kernel.crypt(at, length);
      if (own === undefined) {
        kernel.copyOut(data, start, length);
        kernel.wipeCopy(length);
      }
    } else {
      data.fill(0, start, end);
    }
    kernel.end();
    return isAuthentic;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#key.fill(0);
    this.#other.destroy();
  }
}
