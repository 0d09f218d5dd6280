import { fingerprintWith, matchFingerprintWith, type FingerprintAlgorithm } from '../fingerprint.ts';
import { prfWith } from '../prf.ts';
import type { CryptoProvider, Fingerprint, HashName } from '../provider.ts';
import { nodeProvider } from './provider.ts';

export type { Aead, Engine } from '../aead.ts';
export type { Certificate, CryptoProvider, Fingerprint, GroupName, Hash, HashName, KeyShare, VerifyKey } from '../provider.ts';
export type { RecordAlgorithm, RecordCipher, RecordQueue, RecordQueueStats, RecordSink } from '../record.ts';
export type { CertificateOptions } from '../x509/self-signed.ts';
export type { FingerprintAlgorithm } from '../fingerprint.ts';
export { formatFingerprint, parseFingerprint } from '../fingerprint.ts';
export { parseCertificate, type ParsedCertificate } from '../x509/parse-certificate.ts';
export type { RecordCipherOptions } from '../record/record-cipher-options.ts';
export { createImmediateRecordQueue, createRecordQueue } from '../record/record-queue.ts';
export { createCcm, createChaCha20Poly1305, createGcm } from './create-aead.ts';
export { createRecordCipher } from './create-record-cipher.ts';
export { createCertificate, generateCertificate } from './certificate.ts';
export { nodeProvider } from './provider.ts';

/** The provider of this platform: here over node:crypto. */
export const defaultProvider: CryptoProvider = nodeProvider;

/** Fingerprint of a certificate in DER. Throws RangeError on an unknown algorithm. */
export function fingerprintOf(
  der: Uint8Array,
  algorithm: FingerprintAlgorithm = 'sha-256',
  provider: CryptoProvider = defaultProvider,
): Fingerprint {
  return fingerprintWith(provider, der, algorithm);
}

/** Whether a certificate in DER is one of those announced; see RFC 8122 section 5 for several. */
export function matchFingerprint(
  der: Uint8Array,
  announced: readonly Fingerprint[],
  provider: CryptoProvider = defaultProvider,
): boolean {
  return matchFingerprintWith(provider, der, announced);
}

/** The TLS 1.2 PRF (RFC 5246 section 5); `length` fresh bytes. */
export function prf(
  hash: HashName,
  secret: Uint8Array,
  label: string,
  seed: Uint8Array,
  length: number,
  provider: CryptoProvider = defaultProvider,
): Uint8Array {
  return prfWith(provider, hash, secret, label, seed, length);
}
