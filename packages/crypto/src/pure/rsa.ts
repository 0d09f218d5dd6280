/*
 * Verification of RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2.2). The encoded message (section 9.2) is
 *
 *   00 01 FF … FF 00 | DigestInfo of the hash | digest
 *
 * and is compared as a whole, so there is nothing to parse. Everything here is public: no need for
 * constant time.
 */
import { bytesEqual, formatHex, parseHex } from '@millrace/core';
import type { HashName } from '../provider.ts';

/** DER of DigestInfo up to the digest (RFC 8017 section 9.2, note 1). */
const digestInfo: Readonly<Record<HashName, Uint8Array>> = {
  'SHA-1': parseHex('3021300906052b0e03021a05000414')!,
  'SHA-256': parseHex('3031300d060960864801650304020105000420')!,
  'SHA-384': parseHex('3041300d060960864801650304020205000430')!,
  'SHA-512': parseHex('3051300d060960864801650304020305000440')!,
};

export function verifyRsa(
  modulus: Uint8Array,
  exponent: Uint8Array,
  hash: HashName,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== modulus.length) return false;
  const n = integerOf(modulus);
  const s = integerOf(signature);
  if (s >= n) return false;
  const decoded = parseHex(
    power(s, integerOf(exponent), n)
      .toString(16)
      .padStart(2 * modulus.length, '0'),
  )!;
  const info = digestInfo[hash];
  const expected = new Uint8Array(modulus.length).fill(0xff);
  const infoStart = modulus.length - digest.length - info.length;
  // Section 9.2: at least eight bytes of padding.
  if (infoStart < 11) return false;
  expected[0] = 0;
  expected[1] = 1;
  expected[infoStart - 1] = 0;
  expected.set(info, infoStart);
  expected.set(digest, infoStart + info.length);
  return bytesEqual(decoded, expected);
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${formatHex(bytes)}`);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let square = base, left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}
