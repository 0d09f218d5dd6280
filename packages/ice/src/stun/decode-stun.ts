/*
 * STUN messages (RFC 8489 sections 5 and 14).
 *
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |0 0|     STUN Message Type     |         Message Length        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                   Magic Cookie = 0x2112A442                   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                  Transaction ID, 96 bits                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |         Type                  |            Length             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |         Value, padded to a multiple of 4 bytes          ....  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 */
import { readUint16, readUint32, copyOf } from '@millrace/core';
import { formatIpAddress } from '../ip-address.ts';
import type { Address } from '../types.ts';
import { crc32 } from './crc32.ts';
import { attributeType, stun } from './stun-constants.ts';

export interface StunMessage {
  /** The 16 bits of class and method. */
  readonly type: number;
  /** Where the message starts in the bytes that it was read from. */
  readonly start: number;
  /** 12 bytes, a copy. */
  readonly transactionId: Uint8Array;
  /** One character per byte. */
  username: string | undefined;
  priority: number | undefined;
  useCandidate: boolean;
  /** The tie-breaker, 8 bytes, a copy. */
  iceControlling: Uint8Array | undefined;
  iceControlled: Uint8Array | undefined;
  mappedAddress: Address | undefined;
  errorCode: number | undefined;
  /** Attributes that must be understood and are not (RFC 8489 section 6.3); the first few. */
  readonly unknownRequired: number[];
  /** Offset of MESSAGE-INTEGRITY in the bytes that the message was read from, or -1. */
  integrityAt: number;
  fingerprint: 'absent' | 'valid' | 'invalid';
}

const maxUnknownRequired = 8;
/** RFC 8489 section 14.3. */
const maxUsernameBytes = 513;

/** Known to STUN though this package reads nothing out of them. */
const knownRequired: ReadonlySet<number> = new Set(Object.values(attributeType).filter((type) => type < 0x8000));

/**
 * Reads the message that fills `data[start, end)`; `undefined` where it is none or breaks the format.
 * The fingerprint is checked, the integrity is not: that takes a key.
 */
export function decodeStun(data: Uint8Array, start: number, end: number): StunMessage | undefined {
  const length = end - start;
  if (length < stun.headerBytes || data[start]! > 3) return undefined;
  if (readUint32(data, start + 4) !== stun.magicCookie) return undefined;
  if (readUint16(data, start + 2) !== length - stun.headerBytes || length % 4 !== 0) return undefined;
  const message: StunMessage = {
    type: readUint16(data, start),
    start,
    transactionId: copyOf(data, start + 8, start + stun.headerBytes),
    username: undefined,
    priority: undefined,
    useCandidate: false,
    iceControlling: undefined,
    iceControlled: undefined,
    mappedAddress: undefined,
    errorCode: undefined,
    unknownRequired: [],
    integrityAt: -1,
    fingerprint: 'absent',
  };
  for (let at = start + stun.headerBytes; at < end; ) {
    const type = readUint16(data, at);
    const valueBytes = readUint16(data, at + 2);
    const next = at + 4 + ((valueBytes + 3) & ~3);
    if (next > end) return undefined;
    if (type === attributeType.fingerprint) {
      // RFC 8489 section 14.7: it is the last one, and covers all before it.
      if (valueBytes !== 4 || next !== end) return undefined;
      const expected = (crc32(data, start, at) ^ stun.fingerprintXor) >>> 0;
      message.fingerprint = readUint32(data, at + 4) === expected ? 'valid' : 'invalid';
    } else if (message.integrityAt < 0 && !readAttribute(message, data, type, at + 4, valueBytes)) {
      // RFC 8489 section 14.5: what stands behind the integrity is ignored.
      return undefined;
    }
    at = next;
  }
  return message;
}

/** Takes one attribute; of two of a kind the first counts (RFC 8489 section 14). False: malformed. */
function readAttribute(message: StunMessage, data: Uint8Array, type: number, at: number, bytes: number): boolean {
  switch (type) {
    case attributeType.username:
      if (bytes > maxUsernameBytes) return false;
      message.username ??= String.fromCharCode(...data.subarray(at, at + bytes));
      return true;
    case attributeType.messageIntegrity:
      message.integrityAt = at - 4;
      return bytes === stun.integrityBytes;
    case attributeType.priority:
      if (bytes !== 4) return false;
      message.priority ??= readUint32(data, at);
      return true;
    case attributeType.useCandidate:
      message.useCandidate = true;
      return bytes === 0;
    case attributeType.iceControlling:
      if (bytes !== 8) return false;
      message.iceControlling ??= copyOf(data, at, at + 8);
      return true;
    case attributeType.iceControlled:
      if (bytes !== 8) return false;
      message.iceControlled ??= copyOf(data, at, at + 8);
      return true;
    case attributeType.xorMappedAddress:
      message.mappedAddress ??= readXorAddress(message, data, at, bytes);
      return message.mappedAddress !== undefined;
    case attributeType.errorCode:
      // RFC 8489 section 14.8: a class of 3 to 6 and a number of 0 to 99.
      if (bytes < 4 || (data[at + 2]! & 7) < 3 || (data[at + 2]! & 7) > 6 || data[at + 3]! > 99) return false;
      message.errorCode ??= (data[at + 2]! & 7) * 100 + data[at + 3]!;
      return true;
    default:
      if (type < 0x8000 && !knownRequired.has(type) && message.unknownRequired.length < maxUnknownRequired) {
        message.unknownRequired.push(type);
      }
      return true;
  }
}

function readXorAddress(message: StunMessage, data: Uint8Array, at: number, bytes: number): Address | undefined {
  const family = data[at + 1] === 1 ? 4 : data[at + 1] === 2 ? 6 : undefined;
  if (bytes < 4 || family === undefined || bytes !== (family === 4 ? 8 : 20)) return undefined;
  const address = copyOf(data, at + 4, at + bytes);
  // RFC 8489 section 14.2: XOR with the magic cookie, and for IPv6 with the transaction id after it.
  for (let i = 0; i < address.length; i++) address[i] = address[i]! ^ data[message.start + 4 + i]!;
  return { family, address: formatIpAddress(address), port: readUint16(data, at + 2) ^ (stun.magicCookie >>> 16) };
}
