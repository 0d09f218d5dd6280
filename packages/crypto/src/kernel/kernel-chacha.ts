import type { Aead, Engine } from '../aead.ts';
import { checkAlive, checkOpen, checkSeal, tlsNonce } from '../options.ts';
import { copyBytes } from './kernel-ccm.ts';
import { KernelKey } from './kernel-key.ts';
import { type KernelMemory, kernelsOver } from './kernel-memory.ts';
import { chachaRoomAt, maxChachaAadBytes } from './memory-layout.ts';

const tagBytes = 16;

/** What ChaCha20-Poly1305 by the kernels is made of. */
export interface ChachaParts {
  readonly engine: Engine;
  readonly key: KernelKey;
  /** For data that does not stand in a record arena. */
  readonly shared: KernelMemory;
  /** The longest payload in bytes that goes to the kernels. */
  readonly maxBytes: number;
  /** Takes what is longer. Destroyed with the rest. */
  readonly other: Aead;
}

/** @param iv of records, for those who protect whole ones. */
export function createChachaKey(key: Uint8Array, iv?: Uint8Array): KernelKey {
  const bytes = new Uint8Array(48);
  bytes.set(key);
  if (iv !== undefined) bytes.set(iv, 36);
  return new KernelKey(bytes);
}

/** ChaCha20-Poly1305 (RFC 8439) by the kernels: constant time, no allocation, the same in Node and in pages. */
export class KernelChacha implements Aead {
  readonly engine: Engine;
  readonly keyBytes: 16 | 32 = 32;
  readonly tagBytes: 16 = tagBytes;
  readonly #parts: ChachaParts;
  #isDestroyed = false;

  constructor(parts: ChachaParts) {
    this.engine = parts.engine;
    this.#parts = parts;
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#isDestroyed);
    checkSeal(nonce, tlsNonce, aad, data, start, end, tagBytes);
    if (this.#fits(aad, end - start)) this.#protect(nonce, aad, data, start, end - start, false);
    else this.#parts.other.seal(nonce, aad, data, start, end);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#isDestroyed);
    if (!checkOpen(nonce, tlsNonce, aad, data, start, end, tagBytes)) return false;
    const length = end - start - tagBytes;
    if (this.#fits(aad, length)) return this.#protect(nonce, aad, data, start, length, true);
    return this.#parts.other.open(nonce, aad, data, start, end);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#parts.key.destroy();
    this.#parts.other.destroy();
  }

  #fits(aad: Uint8Array, length: number): boolean {
    return length <= this.#parts.maxBytes && aad.length <= maxChachaAadBytes;
  }

  #protect(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, length: number, opening: boolean): boolean {
    const own = kernelsOver(data);
    const { bytes, chacha, keys } = own ?? this.#parts.shared;
    const at = own === undefined ? chachaRoomAt : start;
    if (own === undefined) copyBytes(data, start, bytes, at, opening ? length + tagBytes : length);
    const isAuthentic = chacha.protect(this.#parts.key.addressIn(keys), nonce, aad, at, length, opening);
    if (!isAuthentic) data.fill(0, start, start + length + tagBytes);
    else if (own === undefined) copyBytes(bytes, at, data, start, opening ? length : length + tagBytes);
    if (opening && own === undefined) bytes.fill(0, at, at + length);
    return isAuthentic;
  }
}
