import { readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';
import { encodeChunkHeader } from './chunk.ts';
import { chunkType } from './chunk-type.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+---------------+-------------------------------+
 * |  Type = 192   |  Flags = 0    |            Length             |
 * +---------------+---------------+-------------------------------+
 * |                      New Cumulative TSN                       |
 * +-------------------------------+-------------------------------+
 * |           Stream-1            |       Stream Sequence-1       |   per skipped stream
 * +-------------------------------+-------------------------------+
 *
 * RFC 3758 section 3.2.
 */

export const forwardTsnHeaderBytes = 8;

/** Writes the chunk at `at`, `skipped` mapping stream to its highest abandoned SSN. Returns its length. */
export function encodeForwardTsn(
  out: Uint8Array,
  at: number,
  newCumulativeTsn: number,
  skipped: ReadonlyMap<number, number>,
): number {
  const length = forwardTsnHeaderBytes + 4 * skipped.size;
  encodeChunkHeader(out, at, chunkType.forwardTsn, 0, length);
  writeUint32(out, at + 4, newCumulativeTsn);
  let p = at + forwardTsnHeaderBytes;
  for (const [streamId, ssn] of skipped) {
    writeUint16(out, p, streamId);
    writeUint16(out, p + 2, ssn);
    p += 4;
  }
  return length;
}

export function forwardTsnIsWhole(length: number): boolean {
  return length >= forwardTsnHeaderBytes && length % 4 === 0;
}

export function forwardTsnNewCumulative(data: Uint8Array, at: number): number {
  return readUint32(data, at + 4);
}

export function forwardTsnStreamCount(length: number): number {
  return (length - forwardTsnHeaderBytes) / 4;
}

export function forwardTsnStreamId(data: Uint8Array, at: number, index: number): number {
  return readUint16(data, at + forwardTsnHeaderBytes + 4 * index);
}

export function forwardTsnSsn(data: Uint8Array, at: number, index: number): number {
  return readUint16(data, at + forwardTsnHeaderBytes + 4 * index + 2);
}
