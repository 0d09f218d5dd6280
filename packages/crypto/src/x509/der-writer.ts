/*
 * Writes the part of DER (ITU-T X.690) that a certificate needs. Every function returns a whole
 * element, so structures are built from the inside out. Certificates are made once per process;
 * allocation does not matter here.
 */
import { concatBytes, parseHex } from '@millrace/core';

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One element: tag, the shortest length, content. */
export function derElement(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...content);
  const length = body.length;
  let head: Uint8Array;
  if (length < 0x80) head = Uint8Array.of(tag, length);
  else if (length < 0x100) head = Uint8Array.of(tag, 0x81, length);
  else if (length < 0x1_0000) head = Uint8Array.of(tag, 0x82, length >>> 8, length);
  else head = Uint8Array.of(tag, 0x83, length >>> 16, length >>> 8, length);
  return concatBytes(head, body);
}

export function derSequence(...content: readonly Uint8Array[]): Uint8Array {
  return derElement(derTag.sequence, ...content);
}

/** A non-negative INTEGER of big-endian bytes: leading zeros dropped, a sign octet added. */
export function derUnsigned(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length - 1 && bytes[from] === 0) from++;
  const magnitude = bytes.subarray(from);
  if (magnitude.length === 0) return derElement(derTag.integer, Uint8Array.of(0));
  return magnitude[0]! >= 0x80 ? derElement(derTag.integer, Uint8Array.of(0), magnitude) : derElement(derTag.integer, magnitude);
}

/** A BIT STRING of whole octets. */
export function derBitString(bytes: Uint8Array): Uint8Array {
  return derElement(derTag.bitString, Uint8Array.of(0), bytes);
}

/** An OBJECT IDENTIFIER from the hexadecimal of its content octets. */
export function derOid(hex: string): Uint8Array {
  return derElement(derTag.objectIdentifier, parseHex(hex)!);
}

export function derUtf8String(text: string): Uint8Array {
  return derElement(derTag.utf8String, new TextEncoder().encode(text));
}

export function derNull(): Uint8Array {
  return derElement(derTag.null);
}

/** UTCTime through 2049, GeneralizedTime from 2050 on (RFC 5280 section 4.1.2.5). `ms` since the epoch. */
export function derTime(ms: number): Uint8Array {
  const iso = new Date(ms).toISOString();
  const digits = `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 10)}${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`;
  const short = Number(iso.slice(0, 4)) < 2050;
  return derElement(short ? derTag.utcTime : derTag.generalizedTime, new TextEncoder().encode(short ? digits.slice(2) : digits));
}
