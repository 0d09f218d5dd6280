/*
 * Writes Binding messages for ICE. The attributes come in the order of the fields below, then
 * MESSAGE-INTEGRITY and FINGERPRINT (RFC 8445 section 7.1; wire format in decode-stun.ts).
 */
import { writeUint16, writeUint32 } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import { parseIpAddress } from '../ip-address.ts';
import type { Address } from '../types.ts';
import { crc32 } from './crc32.ts';
import { attributeType, stun } from './stun-constants.ts';

export interface StunFields {
  readonly type: number;
  /** 12 bytes. */
  readonly transactionId: Uint8Array;
  readonly username?: Uint8Array;
  readonly priority?: number;
  /** The tie-breaker, 8 bytes. */
  readonly iceControlling?: Uint8Array;
  readonly iceControlled?: Uint8Array;
  readonly useCandidate?: boolean;
  readonly mappedAddress?: Address;
  readonly errorCode?: number;
  readonly unknownAttributes?: readonly number[];
}

/** No message of ICE is larger: the user name has at most 513 bytes. */
export const maxStunBytes = 640;

const reasons: Readonly<Record<number, string>> = { 400: 'Bad Request', 420: 'Unknown Attribute', 487: 'Role Conflict' };

/**
 * Writes one message at `out[start]`, with integrity and fingerprint, and returns its length. `key` is
 * the password of the side that the message is for (RFC 8445 section 7.1.2). The caller has made
 * room for `maxStunBytes`.
 */
export function encodeStun(out: Uint8Array, start: number, fields: StunFields, key: Uint8Array, crypto: CryptoProvider): number {
  writeUint16(out, start, fields.type);
  writeUint32(out, start + 4, stun.magicCookie);
  out.set(fields.transactionId, start + 8);
  let at = start + stun.headerBytes;
  if (fields.username !== undefined) at = writeBytes(out, at, attributeType.username, fields.username);
  if (fields.priority !== undefined) {
    at = writeHeader(out, at, attributeType.priority, 4);
    writeUint32(out, at - 4, fields.priority);
  }
  if (fields.iceControlling !== undefined) at = writeBytes(out, at, attributeType.iceControlling, fields.iceControlling);
  if (fields.iceControlled !== undefined) at = writeBytes(out, at, attributeType.iceControlled, fields.iceControlled);
  if (fields.useCandidate === true) at = writeHeader(out, at, attributeType.useCandidate, 0);
  if (fields.mappedAddress !== undefined) at = writeXorAddress(out, start, at, fields.mappedAddress);
  if (fields.errorCode !== undefined) at = writeErrorCode(out, at, fields.errorCode);
  if (fields.unknownAttributes !== undefined) at = writeUnknownAttributes(out, at, fields.unknownAttributes);

  // RFC 8489 section 14.5: the length in the header counts the integrity already, not the fingerprint.
  writeUint16(out, start + 2, at + 4 + stun.integrityBytes - start - stun.headerBytes);
  const integrity = crypto.hmac('SHA-1', key, out.subarray(start, at));
  at = writeBytes(out, at, attributeType.messageIntegrity, integrity);
  writeUint16(out, start + 2, at + 8 - start - stun.headerBytes);
  const fingerprint = crc32(out, start, at) ^ stun.fingerprintXor;
  at = writeHeader(out, at, attributeType.fingerprint, 4);
  writeUint32(out, at - 4, fingerprint);
  return at - start;
}

/** Writes type and length, zeroes the padding, and returns where the next attribute goes. */
function writeHeader(out: Uint8Array, at: number, type: number, bytes: number): number {
  const next = at + 4 + ((bytes + 3) & ~3);
  out.fill(0, at + 4 + bytes, next);
  writeUint16(out, at, type);
  writeUint16(out, at + 2, bytes);
  return next;
}

function writeBytes(out: Uint8Array, at: number, type: number, value: Uint8Array): number {
  out.set(value, at + 4);
  return writeHeader(out, at, type, value.length);
}

function writeXorAddress(out: Uint8Array, start: number, at: number, { address, port }: Address): number {
  const bytes = parseIpAddress(address)!;
  const next = writeHeader(out, at, attributeType.xorMappedAddress, 4 + bytes.length);
  writeUint16(out, at + 4, bytes.length === 4 ? 1 : 2);
  writeUint16(out, at + 6, port ^ (stun.magicCookie >>> 16));
  for (let i = 0; i < bytes.length; i++) out[at + 8 + i] = bytes[i]! ^ out[start + 4 + i]!;
  return next;
}

function writeErrorCode(out: Uint8Array, at: number, code: number): number {
  const reason = reasons[code] ?? '';
  const next = writeHeader(out, at, attributeType.errorCode, 4 + reason.length);
  writeUint32(out, at + 4, (Math.floor(code / 100) << 8) | (code % 100));
  for (let i = 0; i < reason.length; i++) out[at + 8 + i] = reason.charCodeAt(i);
  return next;
}

function writeUnknownAttributes(out: Uint8Array, at: number, types: readonly number[]): number {
  for (const [i, type] of types.entries()) writeUint16(out, at + 4 + 2 * i, type);
  return writeHeader(out, at, attributeType.unknownAttributes, 2 * types.length);
}
