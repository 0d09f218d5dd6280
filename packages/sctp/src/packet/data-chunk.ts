import { readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';
import { encodeChunkHeader } from './chunk.ts';
import { chunkType } from './chunk-type.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------+-------+-+-+-+-+-------------------------------+
 * |   Type = 0    |  Res  |I|U|B|E|            Length             |
 * +---------------+-------+-+-+-+-+-------------------------------+
 * |                              TSN                              |
 * +-------------------------------+-------------------------------+
 * |       Stream Identifier       |    Stream Sequence Number     |
 * +-------------------------------+-------------------------------+
 * |                 Payload Protocol Identifier                   |
 * +---------------------------------------------------------------+
 * \                           User Data                           \
 * +---------------------------------------------------------------+
 *
 * RFC 9260 section 3.3.1; the I bit is RFC 7053.
 */

export const dataHeaderBytes = 16;

export const dataFlag = { end: 1, begin: 2, unordered: 4, immediate: 8 } as const;

/** Writes the header; the user data follows at `at + dataHeaderBytes`. Returns the chunk's length. */
export function encodeDataHeader(
  out: Uint8Array,
  at: number,
  flags: number,
  tsn: number,
  streamId: number,
  ssn: number,
  ppid: number,
  userBytes: number,
): number {
  const length = dataHeaderBytes + userBytes;
  encodeChunkHeader(out, at, chunkType.data, flags, length);
  writeUint32(out, at + 4, tsn);
  writeUint16(out, at + 8, streamId);
  writeUint16(out, at + 10, ssn);
  writeUint32(out, at + 12, ppid);
  return length;
}

/** Readers of the fields; an object per chunk would be garbage per packet. The caller has checked the length. */
export function dataTsn(data: Uint8Array, at: number): number {
  return readUint32(data, at + 4);
}

export function dataStreamId(data: Uint8Array, at: number): number {
  return readUint16(data, at + 8);
}

export function dataSsn(data: Uint8Array, at: number): number {
  return readUint16(data, at + 10);
}

export function dataPpid(data: Uint8Array, at: number): number {
  return readUint32(data, at + 12);
}
