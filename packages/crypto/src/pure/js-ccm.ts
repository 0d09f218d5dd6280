/*
 * AES-CCM (RFC 3610) over the AES block function of @noble/ciphers, which works with tables: it is
 * not constant time on machines whose caches others can watch.
 *
 *   B_0 = flags | nonce | length of the payload        the MAC's first block (section 2.2)
 *   A_i = L - 1 | nonce | i                            encrypted, the keystream (section 2.3)
 */
import { unsafe } from '@noble/ciphers/aes.js';
import type { Aead } from '../aead.ts';
import { ccmNonce, checkAlive, checkOpen, checkSeal } from '../options.ts';

export class JsCcm implements Aead {
  readonly engine = 'js';
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  readonly #schedule: Uint32Array;
  /** The running CBC-MAC and how many bytes of its next block were taken. */
  readonly #mac: Uint8Array = new Uint8Array(16);
  #taken = 0;
  readonly #counter: Uint8Array = new Uint8Array(16);
  readonly #stream: Uint8Array = new Uint8Array(16);
  #destroyed = false;

  constructor(keyBytes: 16 | 32, tagBytes: 8 | 16, key: Uint8Array) {
    this.keyBytes = keyBytes;
    this.tagBytes = tagBytes;
    this.#schedule = unsafe.expandKeyLE(key);
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, ccmNonce, aad, data, start, end, this.tagBytes);
    this.#begin(nonce, aad, end - start);
    this.#crypt(data, start, end, false);
    this.#finish();
    for (let i = 0; i < this.tagBytes; i++) data[end + i] = this.#mac[i]!;
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, ccmNonce, aad, data, start, end, this.tagBytes)) return false;
    const tagStart = end - this.tagBytes;
    this.#begin(nonce, aad, tagStart - start);
    this.#crypt(data, start, tagStart, true);
    this.#finish();
    let difference = 0;
    for (let i = 0; i < this.tagBytes; i++) difference |= data[tagStart + i]! ^ this.#mac[i]!;
    if (difference === 0) return true;
    data.fill(0, start, end);
    return false;
  }

  destroy(): void {
    this.#destroyed = true;
    this.#schedule.fill(0);
    this.#mac.fill(0);
    this.#counter.fill(0);
    this.#stream.fill(0);
  }

  /** Takes nonce, length and additional data into the MAC and sets the counter to A_0. */
  #begin(nonce: Uint8Array, aad: Uint8Array, length: number): void {
    const lengthBytes = 15 - nonce.length;
    const counter = this.#counter.fill(0);
    counter[0] = lengthBytes - 1;
    counter.set(nonce, 1);
    const mac = this.#mac;
    mac.set(counter);
    mac[0] = (aad.length > 0 ? 0x40 : 0) | ((this.tagBytes - 2) << 2) | (lengthBytes - 1);
    for (let i = 15, left = length; left > 0; i--, left = Math.floor(left / 256)) mac[i] = left % 256;
    this.#encrypt(mac, mac);
    this.#taken = 0;
    if (aad.length === 0) return;
    // Section 2.2: from 0xff00 bytes on the length stands in six bytes.
    if (aad.length >= 0xff00) {
      for (const byte of [0xff, 0xfe, aad.length >>> 24, aad.length >>> 16]) this.#absorb(byte);
    }
    this.#absorb(aad.length >>> 8);
    this.#absorb(aad.length);
    for (let i = 0; i < aad.length; i++) this.#absorb(aad[i]!);
    this.#pad();
  }

  #crypt(data: Uint8Array, start: number, end: number, opening: boolean): void {
    const stream = this.#stream;
    for (let at = start; at < end; at += 16) {
      this.#nextStream();
      const blockEnd = Math.min(at + 16, end);
      for (let i = at; i < blockEnd; i++) {
        const before = data[i]!;
        const after = before ^ stream[i - at]!;
        data[i] = after;
        this.#absorb(opening ? after : before);
      }
    }
    this.#pad();
  }

  /** Masks the MAC with the encrypted A_0 (section 2.3). */
  #finish(): void {
    const counter = this.#counter;
    counter.fill(0, 16 - (counter[0]! + 1));
    this.#encrypt(counter, this.#stream);
    for (let i = 0; i < 16; i++) this.#mac[i]! ^= this.#stream[i]!;
  }

  #nextStream(): void {
    const counter = this.#counter;
    for (let i = 15, carry = 1; carry === 1; i--) {
      counter[i] = counter[i]! + 1;
      carry = counter[i] === 0 ? 1 : 0;
    }
    this.#encrypt(counter, this.#stream);
  }

  #absorb(byte: number): void {
    this.#mac[this.#taken++]! ^= byte;
    if (this.#taken === 16) this.#pad();
  }

  /** Ends a block of the MAC; zeros fill it up. */
  #pad(): void {
    if (this.#taken === 0) return;
    this.#encrypt(this.#mac, this.#mac);
    this.#taken = 0;
  }

  #encrypt(input: Uint8Array, output: Uint8Array): void {
    const word = (at: number): number => input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16) | (input[at + 3]! << 24);
    const { s0, s1, s2, s3 } = unsafe.encrypt(this.#schedule, word(0), word(4), word(8), word(12));
    writeWord(output, 0, s0);
    writeWord(output, 4, s1);
    writeWord(output, 8, s2);
    writeWord(output, 12, s3);
  }
}

function writeWord(data: Uint8Array, at: number, word: number): void {
  data[at] = word;
  data[at + 1] = word >>> 8;
  data[at + 2] = word >>> 16;
  data[at + 3] = word >>> 24;
}
