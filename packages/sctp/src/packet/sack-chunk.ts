import { readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';
import { encodeChunkHeader } from './chunk.ts';
import { chunkType } from './chunk-type.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+---------------+-------------------------------+
 * |   Type = 3    |  Chunk Flags  |         Chunk Length          |
 * +---------------+---------------+-------------------------------+
 * |                      Cumulative TSN Ack                       |
 * +---------------------------------------------------------------+
 * |                            a_rwnd                             |
 * +-------------------------------+-------------------------------+
 * |  Number of Gap Ack Blocks = N |  Number of Duplicate TSNs = M |
 * +-------------------------------+-------------------------------+
 * |   Gap Ack Block #1 Start      |    Gap Ack Block #1 End       |   N times, relative
 * +-------------------------------+-------------------------------+   to the cumulative
 * |                        Duplicate TSN 1                        |   M times
 * +---------------------------------------------------------------+
 *
 * RFC 9260 section 3.3.4.
 */

export const sackHeaderBytes = 16;

/** Writes the fixed part; blocks and duplicates follow at `at + sackHeaderBytes`. Returns the chunk's length. */
export function encodeSackHeader(
  out: Uint8Array,
  at: number,
  cumulativeTsnAck: number,
  aRwnd: number,
  gapAckBlocks: number,
  duplicates: number,
): number {
  const length = sackHeaderBytes + 4 * (gapAckBlocks + duplicates);
  encodeChunkHeader(out, at, chunkType.sack, 0, length);
  writeUint32(out, at + 4, cumulativeTsnAck);
  writeUint32(out, at + 8, aRwnd);
  writeUint16(out, at + 12, gapAckBlocks);
  writeUint16(out, at + 14, duplicates);
  return length;
}

export function encodeGapAckBlock(out: Uint8Array, at: number, index: number, start: number, end: number): void {
  writeUint16(out, at + sackHeaderBytes + 4 * index, start);
  writeUint16(out, at + sackHeaderBytes + 4 * index + 2, end);
}

/** `index` counts on after the gap blocks. */
export function encodeDuplicateTsn(out: Uint8Array, at: number, index: number, tsn: number): void {
  writeUint32(out, at + sackHeaderBytes + 4 * index, tsn);
}

/** Whether the counts fit the chunk of `length` bytes. */
export function sackIsWhole(data: Uint8Array, at: number, length: number): boolean {
  return length >= sackHeaderBytes && sackHeaderBytes + 4 * (gapAckBlockCount(data, at) + readUint16(data, at + 14)) <= length;
}

export function sackCumulativeTsnAck(data: Uint8Array, at: number): number {
  return readUint32(data, at + 4);
}

export function sackARwnd(data: Uint8Array, at: number): number {
  return readUint32(data, at + 8);
}

export function gapAckBlockCount(data: Uint8Array, at: number): number {
  return readUint16(data, at + 12);
}

export function gapAckBlockStart(data: Uint8Array, at: number, index: number): number {
  return readUint16(data, at + sackHeaderBytes + 4 * index);
}

export function gapAckBlockEnd(data: Uint8Array, at: number, index: number): number {
  return readUint16(data, at + sackHeaderBytes + 4 * index + 2);
}
