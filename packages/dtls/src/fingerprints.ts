import { type CryptoProvider, type Fingerprint, type FingerprintAlgorithm, fingerprintOf } from '@millrace/crypto';

/** MD2 and MD5 must not be used (RFC 8122 section 5) and count as unknown. */
const knownAlgorithms: readonly FingerprintAlgorithm[] = ['sha-512', 'sha-384', 'sha-256', 'sha-1'];

/**
 * Whether a certificate in DER is one of those that were announced. Fingerprints of one hash stand
 * for alternatives; every hash that is known and listed must have a match, so that a weaker one
 * can't stand in for a stronger one (RFC 8122 section 5 asks for the strongest alone). False where
 * none has a known hash.
 */
export function certificateMatches(crypto: CryptoProvider, der: Uint8Array, announced: readonly Fingerprint[]): boolean {
  let compared = false;
  for (const algorithm of knownAlgorithms) {
    const alternatives = announced.filter((fingerprint) => fingerprint.algorithm.toLowerCase() === algorithm);
    if (alternatives.length === 0) continue;
    const { value } = fingerprintOf(der, algorithm, crypto);
    if (!alternatives.some((fingerprint) => fingerprint.value.toUpperCase() === value)) return false;
    compared = true;
  }
  return compared;
}

/** Throws TypeError or RangeError where `fingerprints` is no list of at least one fingerprint. */
export function checkFingerprints(fingerprints: readonly Fingerprint[]): readonly Fingerprint[] {
  if (!Array.isArray(fingerprints)) throw new TypeError('remoteFingerprints must be an array');
  if (fingerprints.length === 0) throw new RangeError('remoteFingerprints must hold at least one fingerprint');
  for (const fingerprint of fingerprints) {
    if (typeof fingerprint?.algorithm !== 'string' || typeof fingerprint.value !== 'string') {
      throw new TypeError('remoteFingerprints must hold objects with algorithm and value');
    }
    if (!/^[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2})*$/.test(fingerprint.value)) {
      throw new RangeError('remoteFingerprints must have values in hexadecimal bytes, separated by colons');
    }
  }
  return fingerprints.map(({ algorithm, value }) => ({ algorithm, value }));
}
