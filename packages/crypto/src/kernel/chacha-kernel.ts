/*
 * The kernel's memory, from 20 480 on:
 *
 *   state of ChaCha20 (64) | Poly1305 (96) | tag (16) | keystream of four blocks (256) | zeros (256)
 *   | additional data | the last block of text and the block of lengths | staging for data elsewhere
 *
 * The first block of keystream is the key of Poly1305 (RFC 8439 section 2.6); it comes with the three
 * after it, which are the payload's first.
 */
import type { KernelExports } from './instantiate.ts';

const stateAt = 20_480;
const tagAt = stateAt + 64 + 96;
const streamAt = tagAt + 16;
const zerosAt = streamAt + 256;
const aadAt = zerosAt + 256;
const lastAt: number = aadAt + 1024 + 16;
const stagingAt: number = lastAt + 32;

/** Four blocks of 64 bytes, made at once. */
const groupBytes = 256;
const firstBlockBytes = 64;
const tagBytes = 16;

export const maxAadBytes = 1024;
/** The most that fits into the kernel's own memory, for data elsewhere. */
export const maxStagedBytes: number = 16_384 + 256;

/** ChaCha20-Poly1305 over one memory: who begins a record finishes it before anybody else begins. */
export class ChachaKernel {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #chacha: (from: number, to: number, count: number) => void;
  readonly #xor: (at: number, stream: number, length: number) => void;
  readonly #polyInit: (key: number) => void;
  readonly #polyBlocks: (at: number, blocks: number) => void;
  readonly #polyTag: (to: number) => void;

  constructor(buffer: ArrayBuffer, exports: KernelExports) {
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
    this.#chacha = exports['chacha'] as (from: number, to: number, count: number) => void;
    this.#xor = exports['xor'] as (at: number, stream: number, length: number) => void;
    this.#polyInit = exports['polyInit'] as (key: number) => void;
    this.#polyBlocks = exports['polyBlocks'] as (at: number, blocks: number) => void;
    this.#polyTag = exports['polyTag'] as (to: number) => void;
  }

  /** Copies data from elsewhere into the kernel's memory and returns its address. */
  copyIn(data: Uint8Array, start: number, length: number): number {
    this.#bytes.set(data.subarray(start, start + length), stagingAt);
    return stagingAt;
  }

  /** Copies back what `copyIn` brought, with the kernel's work on it. */
  copyOut(data: Uint8Array, start: number, length: number): void {
    data.set(this.#bytes.subarray(stagingAt, stagingAt + length), start);
  }

  /** Wipes what `copyIn` brought. */
  wipeCopy(length: number): void {
    this.#bytes.fill(0, stagingAt, stagingAt + length);
  }

  /** Makes the key of the tag, and the first keystream. */
  begin(key: Uint8Array, nonce: Uint8Array): void {
    const bytes = this.#bytes;
    bytes.set(key, stateAt + 16);
    this.#view.setUint32(stateAt + 48, 0, true);
    for (let i = 0; i < 12; i++) bytes[stateAt + 52 + i] = nonce[i]!;
    this.#chacha(zerosAt, streamAt, 1);
    this.#polyInit(streamAt);
  }

  /** Encrypts or decrypts in place. */
  crypt(at: number, length: number): void {
    const first = Math.min(length, groupBytes - firstBlockBytes);
    this.#xor(at, streamAt + firstBlockBytes, first);
    const from = at + first;
    const left = length - first;
    const groups = left >>> 8;
    if (groups > 0) this.#chacha(from, from, groups);
    const tail = left & (groupBytes - 1);
    if (tail === 0) return;
    this.#chacha(zerosAt, streamAt, 1);
    this.#xor(from + left - tail, streamAt, tail);
  }

  /** The tag over additional data, ciphertext and their lengths (RFC 8439 section 2.8). */
  authenticate(aad: Uint8Array, at: number, length: number): void {
    const bytes = this.#bytes;
    const view = this.#view;
    const aadBytes = aad.length;
    if (aadBytes > 0) {
      for (let i = 0; i < aadBytes; i++) bytes[aadAt + i] = aad[i]!;
      for (let i = aadBytes; (i & 15) !== 0; i++) bytes[aadAt + i] = 0;
      this.#polyBlocks(aadAt, (aadBytes + 15) >>> 4);
    }
    if (length > 15) this.#polyBlocks(at, length >>> 4);
    const rest = length & 15;
    let lengthsAt = lastAt;
    if (rest > 0) {
      for (let i = 0; i < rest; i++) bytes[lastAt + i] = bytes[at + length - rest + i]!;
      for (let i = rest; i < 16; i++) bytes[lastAt + i] = 0;
      lengthsAt += 16;
    }
    view.setUint32(lengthsAt, aadBytes, true);
    view.setUint32(lengthsAt + 4, 0, true);
    view.setUint32(lengthsAt + 8, length, true);
    view.setUint32(lengthsAt + 12, 0, true);
    this.#polyBlocks(lastAt, rest > 0 ? 2 : 1);
    this.#polyTag(tagAt);
  }

  writeTag(data: Uint8Array, at: number): void {
    for (let i = 0; i < tagBytes; i++) data[at + i] = this.#bytes[tagAt + i]!;
  }

  /** In constant time. */
  isTag(data: Uint8Array, at: number): boolean {
    let difference = 0;
    for (let i = 0; i < tagBytes; i++) difference |= data[at + i]! ^ this.#bytes[tagAt + i]!;
    return difference === 0;
  }

  /** Wipes keys and keystream. */
  end(): void {
    this.#bytes.fill(0, stateAt, streamAt + groupBytes);
  }
}
