/*
 * AES-CCM (RFC 3610) by the kernels for any nonce, additional data and length, piece by piece:
 *
 *   B_0 = flags | nonce | length of the payload        the MAC's first block (section 2.2)
 *   A_i = L - 1 | nonce | i                            encrypted, the keystream (section 2.3)
 */
import { copyOf } from '@millrace/core';
import type { Aead } from '../aead.ts';
import { ccmNonce, checkAlive, checkOpen, checkSeal } from '../options.ts';
import { createCcmKey } from './ccm-key.ts';
import type { KernelKey } from './kernel-key.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { maxLanePayloadBytes, recordHeadBytes, recordRoomOf, streamRoomOf, zerosAt } from './memory-layout.ts';

const pieceBytes = maxLanePayloadBytes;
const pieceAt: number = recordRoomOf(0, pieceBytes) + recordHeadBytes;
const streamAt: number = streamRoomOf(0, pieceBytes);

export class PiecewiseCcm implements Aead {
  readonly engine = 'wasm';
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly #kernels: KernelMemory;
  readonly #key: KernelKey;
  readonly #counter: Uint8Array = new Uint8Array(16);
  readonly #tag: Uint8Array = new Uint8Array(16);
  #destroyed = false;

  constructor(tagBytes: 8 | 16, key: Uint8Array, kernels: KernelMemory) {
    this.keyBytes = key.length as 16 | 32;
    this.tagBytes = tagBytes;
    this.#kernels = kernels;
    this.#key = createCcmKey(key, tagBytes);
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, ccmNonce, aad, data, start, end, this.tagBytes);
    this.#protect(nonce, aad, data, start, end, false);
    for (let i = 0; i < this.tagBytes; i++) data[end + i] = this.#tag[i]!;
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, ccmNonce, aad, data, start, end, this.tagBytes)) return false;
    const tagStart = end - this.tagBytes;
    this.#protect(nonce, aad, data, start, tagStart, true);
    let difference = 0;
    for (let i = 0; i < this.tagBytes; i++) difference |= data[tagStart + i]! ^ this.#tag[i]!;
    if (difference === 0) return true;
    data.fill(0, start, end);
    return false;
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#key.destroy();
    this.#counter.fill(0);
    this.#tag.fill(0);
  }

  #protect(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number, opening: boolean): void {
    const { bytes, lanes, keys } = this.#kernels;
    const key = this.#key.addressIn(keys);
    const chain = (blocks: number, stream: number): void => lanes.chain(this.keyBytes, pieceAt, stream, blocks);
    const lengthBytes = 15 - nonce.length;
    const counter = this.#counter.fill(0);
    counter[0] = lengthBytes - 1;
    counter.set(nonce, 1);
    bytes.set(counter, streamAt);
    lanes.encryptBlocks(this.keyBytes, key, streamAt, 1);
    const mask = copyOf(bytes, streamAt, streamAt + 16);
    lanes.begin(0, key, pieceAt, 0, streamAt, opening);

    bytes.set(counter, pieceAt);
    bytes[pieceAt] = (aad.length > 0 ? 0x40 : 0) | ((this.tagBytes - 2) << 2) | (lengthBytes - 1);
    for (let i = 15, left = end - start; left > 0; i--, left = Math.floor(left / 256)) bytes[pieceAt + i] = left % 256;
    chain(1, zerosAt);
    const framed = frameAad(aad);
    for (let at = 0; at < framed.length; at += 16) {
      bytes.set(framed.subarray(at, at + 16), pieceAt);
      chain(1, zerosAt);
    }
    for (let at = start; at < end; at += pieceBytes) {
      const length = Math.min(pieceBytes, end - at);
      const blocks = (length + 15) >>> 4;
      for (let block = 0; block < blocks; block++) {
        count(counter);
        bytes.set(counter, streamAt + 16 * block);
      }
      lanes.encryptBlocks(this.keyBytes, key, streamAt, blocks);
      bytes.set(data.subarray(at, at + length), pieceAt);
      // To open, padding is what the keystream turns into zeros.
      for (let i = length; i < 16 * blocks; i++) bytes[pieceAt + i] = opening ? bytes[streamAt + i]! : 0;
      chain(blocks, streamAt);
      data.set(bytes.subarray(pieceAt, pieceAt + length), at);
    }
    const mac = lanes.macOf(0);
    for (let i = 0; i < 16; i++) this.#tag[i] = bytes[mac + i]! ^ mask[i]!;
    mask.fill(0);
    bytes.fill(0, pieceAt, pieceAt + pieceBytes + 16);
    bytes.fill(0, streamAt, streamAt + pieceBytes + 64);
  }
}

/** Additional data with its length, from 0xff00 bytes on in six bytes, in whole blocks (RFC 3610 section 2.2). */
function frameAad(aad: Uint8Array): Uint8Array {
  if (aad.length === 0) return aad;
  const isLong = aad.length >= 0xff00;
  const head = isLong ? 6 : 2;
  const framed = new Uint8Array((head + aad.length + 15) & ~15);
  if (isLong) framed.set([0xff, 0xfe, aad.length >>> 24, aad.length >>> 16]);
  framed[head - 2] = aad.length >>> 8;
  framed[head - 1] = aad.length;
  framed.set(aad, head);
  return framed;
}

function count(counter: Uint8Array): void {
  for (let i = 15, carry = true; carry; i--) {
    counter[i] = counter[i]! + 1;
    carry = counter[i] === 0;
  }
}
