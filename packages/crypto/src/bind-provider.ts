import { fingerprintWith, matchFingerprintWith, type FingerprintAlgorithm } from './fingerprint.ts';
import { prfWith } from './prf.ts';
import type { CryptoProvider, Fingerprint, HashName } from './provider.ts';

/** The functions that need no more than a provider; by default that of the platform. */
export interface ProviderFunctions {
  /** Fingerprint of a certificate in DER. Throws RangeError on an unknown algorithm. */
  fingerprintOf(der: Uint8Array, algorithm?: FingerprintAlgorithm, provider?: CryptoProvider): Fingerprint;
  /**
   * Whether a certificate in DER is one of those announced: of every known hash that is listed, one
   * value must match (RFC 8122 section 5 asks for the strongest alone).
   */
  matchFingerprint(der: Uint8Array, announced: readonly Fingerprint[], provider?: CryptoProvider): boolean;
  /** The TLS 1.2 PRF (RFC 5246 section 5); `length` fresh bytes. */
  prf(hash: HashName, secret: Uint8Array, label: string, seed: Uint8Array, length: number, provider?: CryptoProvider): Uint8Array;
}

export function bindProvider(platform: CryptoProvider): ProviderFunctions {
  return {
    fingerprintOf: (der, algorithm = 'sha-256', provider = platform) => fingerprintWith(provider, der, algorithm),
    matchFingerprint: (der, announced, provider = platform) => matchFingerprintWith(provider, der, announced),
    prf: (hash, secret, label, seed, length, provider = platform) => prfWith(provider, hash, secret, label, seed, length),
  };
}
