/*
 * XORs keystream into a payload in place and leaves the plaintext where the MAC is computed. Words
 * of 64 bits do the work where the payload is aligned, as it is in an arena; elsewhere it goes
 * through aligned scratch memory, or byte by byte where it is so short that views cost more.
 *
 * V8 keeps BigInts in registers where each is stored once, as the loops here do: half the time of
 * 32-bit words, and no garbage. A BigInt that is computed once and stored twice becomes an object,
 * at ten times the cost.
 */
import { BlockScratch } from './block-scratch.ts';
import { macScratch } from './cbc-mac.ts';
import type { Keystream } from './keystream.ts';

const alignedScratch: BlockScratch = new BlockScratch();

/** Below, byte by byte is faster than making views. */
const bytewiseBelow = 160;

/** Below, byte by byte is faster than the set-up of the words. */
const wordsFrom = 32;

/**
 * Encrypts (`opening` false) or decrypts `length` bytes at `data[at]` with the keystream from byte
 * `from` on. The plaintext is also written to `macScratch` from byte `to` on and padded with zeros to
 * a whole block. `from` and `to` are multiples of 16.
 */
export function xorPayload(
  data: Uint8Array,
  at: number,
  length: number,
  keystream: Keystream,
  from: number,
  to: number,
  opening: boolean,
): void {
  const plaintext = macScratch.bytes;
  let done = 0;
  if (length >= wordsFrom && ((data.byteOffset + at) & 7) === 0) {
    done = length & ~7;
    const first = (data.byteOffset + at) >>> 3;
    const own = wordsOf(data.buffer, first + (done >>> 3));
    if (opening) openWords(own, first, done >>> 3, keystream.words, from >>> 3, to >>> 3);
    else sealWords(own, first, done >>> 3, keystream.words, from >>> 3, to >>> 3);
  } else if (length >= bytewiseBelow) {
    done = length & ~7;
    alignedScratch.reserve((length + 15) >>> 4);
    const aligned = alignedScratch.bytes;
    aligned.set(data.subarray(at, at + done));
    if (opening) openWords(alignedScratch.words, 0, done >>> 3, keystream.words, from >>> 3, to >>> 3);
    else sealWords(alignedScratch.words, 0, done >>> 3, keystream.words, from >>> 3, to >>> 3);
    data.set(aligned.subarray(0, done), at);
    if (opening) aligned.fill(0, 0, done);
  }
  const stream = keystream.bytes;
  for (let i = done; i < length; i++) {
    const before = data[at + i]!;
    const after = before ^ stream[from + i]!;
    data[at + i] = after;
    plaintext[to + i] = opening ? after : before;
  }
  for (let i = length; (i & 15) !== 0; i++) plaintext[to + i] = 0;
}

function sealWords(own: BigUint64Array, at: number, count: number, stream: BigUint64Array, from: number, to: number): void {
  const plaintext = macScratch.words;
  for (let i = 0; i < count; i++) {
    plaintext[to + i] = own[at + i]!;
    own[at + i]! ^= stream[from + i]!;
  }
}

function openWords(own: BigUint64Array, at: number, count: number, stream: BigUint64Array, from: number, to: number): void {
  const plaintext = macScratch.words;
  for (let i = 0; i < count; i++) {
    own[at + i]! ^= stream[from + i]!;
    plaintext[to + i] = own[at + i]!;
  }
}

/** Words over the buffer that was used last: an arena's, mostly. */
let lastBuffer: ArrayBufferLike | undefined;
let lastWords: BigUint64Array = new BigUint64Array(0);

/** Words over a buffer, at least `count` of them. */
export function wordsOf(buffer: ArrayBufferLike, count: number): BigUint64Array {
  // A resizable buffer may have changed its length since.
  if (buffer !== lastBuffer || count > lastWords.length) {
    lastBuffer = buffer;
    lastWords = new BigUint64Array(buffer, 0, buffer.byteLength >>> 3);
  }
  return lastWords;
}
