import { readUint16, writeUint16 } from '@millrace/core';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+---------------+-------------------------------+
 * |  Chunk Type   |  Chunk Flags  |         Chunk Length          |
 * +---------------+---------------+-------------------------------+
 * \                          Chunk Value                          \
 * +---------------------------------------------------------------+
 *
 * RFC 9260 section 3.2. The length counts the header and the value, not the padding.
 */

export const chunkHeaderBytes = 4;

/** The length of the chunk (or parameter, or cause: they share the layout) at `at`; -1 where it does not fit before `end`. */
export function chunkLength(data: Uint8Array, at: number, end: number): number {
  if (at + chunkHeaderBytes > end) return -1;
  const length = readUint16(data, at + 2);
  return length < chunkHeaderBytes || at + length > end ? -1 : length;
}

/** Where the next chunk begins. Padding of the last one may be missing. */
export function nextChunk(at: number, length: number, end: number): number {
  return Math.min(end, at + ((length + 3) & ~3));
}

export function encodeChunkHeader(out: Uint8Array, at: number, type: number, flags: number, length: number): void {
  out[at] = type;
  out[at + 1] = flags;
  writeUint16(out, at + 2, length);
}

/** A chunk of its own with `value` behind the header. For control chunks. */
export function encodeChunk(type: number, flags: number, value: Uint8Array = noBytes): Uint8Array {
  const chunk = new Uint8Array(chunkHeaderBytes + value.length);
  encodeChunkHeader(chunk, 0, type, flags, chunk.length);
  chunk.set(value, chunkHeaderBytes);
  return chunk;
}

const noBytes = new Uint8Array(0);

/** A parameter or error cause: a 16-bit code, a length, a value; without padding. */
export function encodeParameter(code: number, value: Uint8Array = noBytes): Uint8Array {
  const parameter = new Uint8Array(4 + value.length);
  writeUint16(parameter, 0, code);
  writeUint16(parameter, 2, parameter.length);
  parameter.set(value, 4);
  return parameter;
}

/** Parameters one after the other, each but the last padded to a multiple of four. */
export function joinParameters(parameters: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const parameter of parameters) length = ((length + 3) & ~3) + parameter.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const parameter of parameters) {
    at = (at + 3) & ~3;
    joined.set(parameter, at);
    at += parameter.length;
  }
  return joined;
}

/** What the two high bits of an unknown chunk or parameter ask for (RFC 9260 sections 3.2 and 3.2.1). */
export function skipsUnknown(highBits: number): boolean {
  return (highBits & 2) !== 0;
}

export function reportsUnknown(highBits: number): boolean {
  return (highBits & 1) !== 0;
}
