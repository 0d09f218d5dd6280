/*
 * Certificate fingerprints as SDP carries them (RFC 8122 section 5):
 *
 *   a=fingerprint:sha-256 4A:AD:B9:B1:…
 */
import { formatHex } from '@millrace/core';
import type { CryptoProvider, Fingerprint, HashName } from './provider.ts';

/** The known hash functions, the strongest first. MD2 and MD5 must not be used (RFC 8122 section 5). */
const hashNames: Readonly<Record<string, HashName>> = {
  'sha-512': 'SHA-512',
  'sha-384': 'SHA-384',
  'sha-256': 'SHA-256',
  'sha-1': 'SHA-1',
};

export type FingerprintAlgorithm = 'sha-1' | 'sha-256' | 'sha-384' | 'sha-512';

/** Hash of a certificate in DER. Throws RangeError on an unknown algorithm. */
export function fingerprintWith(provider: CryptoProvider, der: Uint8Array, algorithm: FingerprintAlgorithm): Fingerprint {
  if (!Object.hasOwn(hashNames, algorithm)) throw new RangeError(`algorithm must be one of ${Object.keys(hashNames).join(', ')}`);
  const hex = formatHex(provider.digest(hashNames[algorithm]!, der)).toUpperCase();
  return { algorithm, value: hex.replace(/..(?=.)/g, '$&:') };
}

/** The text of `a=fingerprint:`, without the attribute's name. */
export function formatFingerprint(fingerprint: Fingerprint): string {
  return `${fingerprint.algorithm} ${fingerprint.value}`;
}

/**
 * Reads the text of `a=fingerprint:`. The algorithm comes back in lower case and the value in upper
 * case, whatever the peer wrote. An unknown algorithm is kept, as its length is not known either.
 * `undefined` where the text is malformed or the value too long or too short for its hash.
 */
export function parseFingerprint(text: string): Fingerprint | undefined {
  const match = /^([A-Za-z0-9-]{1,32}) ([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){0,127})$/.exec(text);
  if (match === null) return undefined;
  const algorithm = match[1]!.toLowerCase();
  const value = match[2]!.toUpperCase();
  const bytes = digestBytes[algorithm];
  if (bytes !== undefined && value.length !== 3 * bytes - 1) return undefined;
  return { algorithm, value };
}

const digestBytes: Readonly<Record<string, number | undefined>> = { 'sha-1': 20, 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 };

/**
 * Whether a certificate in DER is one of those that were announced. Fingerprints of one hash stand
 * for alternatives; every hash that is known and listed must have a match, so that a weaker one
 * can't stand in for a stronger one (RFC 8122 section 5 asks for the strongest alone). False where
 * none has a known hash.
 */
export function matchFingerprintWith(provider: CryptoProvider, der: Uint8Array, announced: readonly Fingerprint[]): boolean {
  let compared = false;
  for (const algorithm of Object.keys(hashNames) as FingerprintAlgorithm[]) {
    const alternatives = announced.filter((fingerprint) => fingerprint.algorithm.toLowerCase() === algorithm);
    if (alternatives.length === 0) continue;
    const { value } = fingerprintWith(provider, der, algorithm);
    if (!alternatives.some((fingerprint) => fingerprint.value.toUpperCase() === value)) return false;
    compared = true;
  }
  return compared;
}
