import { readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';
import { chunkType } from './chunk-type.ts';
import { packetChecksum } from './crc32c.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-------------------------------+-------------------------------+
 * |          Source Port          |       Destination Port        |
 * +-------------------------------+-------------------------------+
 * |                       Verification Tag                        |
 * +---------------------------------------------------------------+
 * |              Checksum (CRC32c, least byte first)              |
 * +---------------------------------------------------------------+
 *
 * RFC 9260 section 3.1.
 */

export const packetHeaderBytes = 12;

export function encodePacketHeader(out: Uint8Array, at: number, sourcePort: number, destinationPort: number, tag: number): void {
  writeUint16(out, at, sourcePort);
  writeUint16(out, at + 2, destinationPort);
  writeUint32(out, at + 4, tag);
}

/**
 * Whether a packet may have a checksum of zero where both ends agree on that: not with a chunk that
 * comes before the agreement (RFC 9653 section 5.2). Those travel alone or first.
 */
function mayHaveNoChecksum(data: Uint8Array, start: number): boolean {
  const type = data[start + packetHeaderBytes]!;
  return type !== chunkType.init && type !== chunkType.initAck && type !== chunkType.cookieEcho;
}

/** Leaves the checksum of the finished packet at zero, or fills it in where that is not allowed. */
export function sealPacketWithout(out: Uint8Array, start: number, end: number): void {
  if (mayHaveNoChecksum(out, start)) out.fill(0, start + 8, start + 12);
  else sealPacket(out, start, end);
}

/** Fills in the checksum of the finished packet `out[start, end)`. */
export function sealPacket(out: Uint8Array, start: number, end: number): void {
  const crc = packetChecksum(out, start, end);
  out[start + 8] = crc;
  out[start + 9] = crc >>> 8;
  out[start + 10] = crc >>> 16;
  out[start + 11] = crc >>> 24;
}

/** Why a packet is dropped before a chunk is looked at, or `undefined`. */
export type PacketFault = 'short-packet' | 'bad-checksum' | 'wrong-port';

/** Checks length, checksum and ports of a packet (RFC 9260 sections 6.8 and 8.4; RFC 9653 section 5.3). */
export function checkPacket(
  data: Uint8Array,
  start: number,
  end: number,
  localPort: number,
  remotePort: number,
  acceptsZero: boolean,
): PacketFault | undefined {
  if (end - start < packetHeaderBytes + 4) return 'short-packet';
  const sent = (data[start + 8]! | (data[start + 9]! << 8) | (data[start + 10]! << 16) | (data[start + 11]! << 24)) >>> 0;
  const isLeftOut = sent === 0 && acceptsZero && mayHaveNoChecksum(data, start);
  if (!isLeftOut && packetChecksum(data, start, end) !== sent) return 'bad-checksum';
  if (readUint16(data, start) !== remotePort || readUint16(data, start + 2) !== localPort) return 'wrong-port';
  return undefined;
}

export function verificationTag(data: Uint8Array, start: number): number {
  return readUint32(data, start + 4);
}
