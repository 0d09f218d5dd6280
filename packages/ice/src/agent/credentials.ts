import { type Random, randomBytes } from '@millrace/core';

const iceChars = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** `length` characters of 6 random bits each. RFC 8839 section 5.4 asks for 24 bits in all, and 128 for a password. */
export function createIceText(random: Random, length: number): string {
  return Array.from(randomBytes(random, length), (byte) => iceChars[byte & 63]).join('');
}

/** Throws TypeError where an option is not `minLength` to 256 ice-chars (RFC 8839 section 5.4). */
export function checkIceText(name: string, text: unknown, minLength: number): void {
  if (typeof text !== 'string' || text.length < minLength || text.length > 256 || !/^[A-Za-z0-9+/]*$/.test(text)) {
    throw new TypeError(`${name} must be ${minLength} to 256 characters of A-Z a-z 0-9 + /`);
  }
}

/** The bytes of text whose characters are all below 256. */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
