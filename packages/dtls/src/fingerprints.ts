import type { Fingerprint } from '@millrace/crypto';

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
