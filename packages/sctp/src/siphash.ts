import { readUint32 } from '@millrace/core';

/*
 * SipHash-2-4, the keyed hash of Aumasson and Bernstein, on pairs of 32-bit words. This package
 * depends on no cryptography; a state cookie needs a short keyed check and nothing more, because
 * the peer that could forge one has passed the DTLS handshake.
 */

function swap(x: number): number {
  return ((x >>> 24) | ((x >>> 8) & 0xff00) | ((x << 8) & 0xff0000) | (x << 24)) >>> 0;
}

/** v0 low, v0 high, v1 low, … */
type Words = Int32Array;

function add(v: Words, a: number, b: number): void {
  const low = (v[a]! >>> 0) + (v[b]! >>> 0);
  v[a + 1] = v[a + 1]! + v[b + 1]! + (low > 0xffff_ffff ? 1 : 0);
  v[a] = low;
}

function rotate(v: Words, a: number, bits: number): void {
  const low = v[a]!;
  const high = v[a + 1]!;
  if (bits === 32) {
    v[a] = high;
    v[a + 1] = low;
    return;
  }
  v[a] = (low << bits) | (high >>> (32 - bits));
  v[a + 1] = (high << bits) | (low >>> (32 - bits));
}

function mix(v: Words, a: number, b: number): void {
  v[a] = v[a]! ^ v[b]!;
  v[a + 1] = v[a + 1]! ^ v[b + 1]!;
}

function round(v: Words): void {
  add(v, 0, 2);
  rotate(v, 2, 13);
  mix(v, 2, 0);
  rotate(v, 0, 32);
  add(v, 4, 6);
  rotate(v, 6, 16);
  mix(v, 6, 4);
  add(v, 0, 6);
  rotate(v, 6, 21);
  mix(v, 6, 0);
  add(v, 4, 2);
  rotate(v, 2, 17);
  mix(v, 2, 4);
  rotate(v, 4, 32);
}

/** The hash of `data[start, end)` under a 16-byte key, as eight bytes, least significant first. */
export function sipHash(key: Uint8Array, data: Uint8Array, start: number, end: number): Uint8Array {
  const k = [0, 4, 8, 12].map((at) => swap(readUint32(key, at)));
  const v = Int32Array.of(
    k[0]! ^ 0x70736575,
    k[1]! ^ 0x736f6d65,
    k[2]! ^ 0x6e646f6d,
    k[3]! ^ 0x646f7261,
    k[0]! ^ 0x6e657261,
    k[1]! ^ 0x6c796765,
    k[2]! ^ 0x79746573,
    k[3]! ^ 0x74656462,
  );
  const length = end - start;
  const padded = new Uint8Array((length + 8) & ~7);
  padded.set(data.subarray(start, end));
  padded[padded.length - 1] = length;
  for (let at = 0; at < padded.length; at += 8) {
    const low = swap(readUint32(padded, at));
    const high = swap(readUint32(padded, at + 4));
    v[6] = v[6]! ^ low;
    v[7] = v[7]! ^ high;
    round(v);
    round(v);
    v[0] = v[0]! ^ low;
    v[1] = v[1]! ^ high;
  }
  v[4] = v[4]! ^ 0xff;
  for (let i = 0; i < 4; i++) round(v);
  const out = new Uint8Array(8);
  for (const half of [0, 1]) {
    const word = v[half]! ^ v[2 + half]! ^ v[4 + half]! ^ v[6 + half]!;
    for (let i = 0; i < 4; i++) out[4 * half + i] = word >>> (8 * i);
  }
  return out;
}
