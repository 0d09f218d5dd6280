import type { Aead } from '../aead.ts';
import { checkAlive, checkOpen, checkSeal, tlsNonce } from '../options.ts';
import { chachaModuleBase64 } from './chacha-module.gen.ts';
import { instantiate } from './instantiate.ts';

/*
 * The kernel's memory. The input has 64 zeros in front: in their place the first block comes out,
 * which is the key of Poly1305 (RFC 8439 section 2.6), so one call makes it and the payload.
 */
const stateAt = 128;
const tagAt = 400;
const aadAt = 512;
const inputAt = 4096;
const outputAt = 24_576;
const firstBlockBytes = 64;

/** What the kernel's memory holds; longer payloads and additional data are for another engine. */
export const maxKernelPayloadBytes: number = 16_384 + 256;
const maxAadBytes = 1024;

interface Kernel {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  chacha(from: number, to: number, count: number): void;
  polyInit(key: number): void;
  polyBlocks(at: number, blocks: number): void;
  polyTag(to: number): void;
}

/** ChaCha20-Poly1305 (RFC 8439) in WASM SIMD: constant time, no allocation, the same in Node and in pages. */
export class WasmChaCha implements Aead {
  readonly engine: 'wasm' | 'auto';
  readonly keyBytes = 32;
  readonly tagBytes = 16;
  readonly #kernel: Kernel;
  readonly #longest: number;
  readonly #other: Aead;
  readonly #key: Uint8Array;
  #destroyed = false;

  /**
   * @param longest payload in bytes that goes to the kernel, at most `maxKernelPayloadBytes`.
   * @param other takes what is longer. Destroyed with this.
   */
  constructor(engine: 'wasm' | 'auto', key: Uint8Array, kernel: Kernel, longest: number, other: Aead) {
    this.engine = engine;
    this.#kernel = kernel;
    this.#longest = longest;
    this.#other = other;
    this.#key = key.slice();
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, tlsNonce, aad, data, start, end, this.tagBytes);
    const length = end - start;
    if (length > this.#longest || aad.length > maxAadBytes) {
      this.#other.seal(nonce, aad, data, start, end);
      return;
    }
    this.#crypt(nonce, data, start, length);
    const { bytes } = this.#kernel;
    this.#authenticate(aad, outputAt, length);
    data.set(bytes.subarray(outputAt + firstBlockBytes, outputAt + firstBlockBytes + length), start);
    for (let i = 0; i < 16; i++) data[end + i] = bytes[tagAt + i]!;
    bytes.fill(0, inputAt + firstBlockBytes, inputAt + firstBlockBytes + length);
    this.#wipe(0);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, tlsNonce, aad, data, start, end, this.tagBytes)) return false;
    const tagStart = end - this.tagBytes;
    const length = tagStart - start;
    if (length > this.#longest || aad.length > maxAadBytes) return this.#other.open(nonce, aad, data, start, end);
    this.#crypt(nonce, data, start, length);
    const { bytes } = this.#kernel;
    this.#authenticate(aad, inputAt, length);
    let difference = 0;
    for (let i = 0; i < 16; i++) difference |= data[tagStart + i]! ^ bytes[tagAt + i]!;
    const plaintext = outputAt + firstBlockBytes;
    if (difference === 0) data.set(bytes.subarray(plaintext, plaintext + length), start);
    else data.fill(0, start, end);
    this.#wipe(length);
    return difference === 0;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#key.fill(0);
    this.#other.destroy();
  }

  /** Leaves the key of Poly1305 and the other text at `outputAt`; the input stays. */
  #crypt(nonce: Uint8Array, data: Uint8Array, start: number, length: number): void {
    const { bytes, view } = this.#kernel;
    bytes.set(this.#key, stateAt + 16);
    view.setUint32(stateAt + 48, 0, true);
    for (let i = 0; i < 12; i++) bytes[stateAt + 52 + i] = nonce[i]!;
    bytes.fill(0, inputAt, inputAt + firstBlockBytes);
    bytes.set(data.subarray(start, start + length), inputAt + firstBlockBytes);
    this.#kernel.chacha(inputAt, outputAt, (firstBlockBytes + length + 255) >>> 8);
  }

  /** The tag over additional data, ciphertext and their lengths (RFC 8439 section 2.8). */
  #authenticate(aad: Uint8Array, textAt: number, length: number): void {
    const kernel = this.#kernel;
    const { bytes, view } = kernel;
    kernel.polyInit(outputAt);
    if (aad.length > 0) {
      const blocks = (aad.length + 15) >>> 4;
      for (let i = 0; i < aad.length; i++) bytes[aadAt + i] = aad[i]!;
      for (let i = aad.length; (i & 15) !== 0; i++) bytes[aadAt + i] = 0;
      kernel.polyBlocks(aadAt, blocks);
    }
    const text = textAt + firstBlockBytes;
    let padded = text + length;
    for (let i = length; (i & 15) !== 0; i++) bytes[padded++] = 0;
    view.setUint32(padded, aad.length, true);
    view.setUint32(padded + 4, 0, true);
    view.setUint32(padded + 8, length, true);
    view.setUint32(padded + 12, 0, true);
    kernel.polyBlocks(text, ((padded - text) >>> 4) + 1);
    kernel.polyTag(tagAt);
  }

  /** Keys, and `plaintextBytes` of plaintext. */
  #wipe(plaintextBytes: number): void {
    const { bytes } = this.#kernel;
    bytes.fill(0, stateAt, tagAt + 16);
    bytes.fill(0, outputAt, outputAt + firstBlockBytes + plaintextBytes);
  }
}

let shared: Kernel | undefined;
let tried = false;

/** The kernel of this thread, or undefined where there is no WASM SIMD. Instantiated at first use. */
export function sharedChachaKernel(): Kernel | undefined {
  if (!tried) {
    tried = true;
    const exports = instantiate(chachaModuleBase64)?.exports;
    if (exports !== undefined) {
      const { buffer } = exports['memory'] as { buffer: ArrayBuffer };
      shared = { ...(exports as unknown as Kernel), bytes: new Uint8Array(buffer), view: new DataView(buffer) };
    }
  }
  return shared;
}
