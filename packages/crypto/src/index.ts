import { bindProvider, type ProviderFunctions } from './bind-provider.ts';
import type { CryptoProvider } from './provider.ts';
import { pureProvider } from './pure/provider.ts';

export type { Aead, Engine } from './aead.ts';
export type { Certificate, CryptoProvider, Fingerprint, GroupName, Hash, HashName, KeyShare, VerifyKey } from './provider.ts';
export type { RecordAlgorithm, RecordCipher, RecordQueue, RecordQueueStats, RecordSink } from './record.ts';
export type { CertificateOptions } from './x509/self-signed.ts';
export type { FingerprintAlgorithm } from './fingerprint.ts';
export { formatFingerprint, parseFingerprint } from './fingerprint.ts';
export { parseCertificate, type ParsedCertificate } from './x509/parse-certificate.ts';
export type { RecordCipherOptions } from './record/record-cipher-options.ts';
export { createRecordArena } from './kernel/kernel-memory.ts';
export { createImmediateRecordQueue, createRecordQueue } from './record/record-queue.ts';
export { createCcm, createChaCha20Poly1305, createGcm } from './pure/create-aead.ts';
export { createRecordCipher } from './pure/create-record-cipher.ts';
export { createCertificate, generateCertificate } from './pure/certificate.ts';
export { pureProvider } from './pure/provider.ts';

/** The provider of this platform: here pure, over @noble. */
export const defaultProvider: CryptoProvider = pureProvider;

const bound: ProviderFunctions = bindProvider(defaultProvider);
/** Fingerprint of a certificate in DER. Throws RangeError on an unknown algorithm. */
export const fingerprintOf: ProviderFunctions['fingerprintOf'] = bound.fingerprintOf;
/** Whether a certificate in DER is one of those announced; see RFC 8122 section 5 for several. */
export const matchFingerprint: ProviderFunctions['matchFingerprint'] = bound.matchFingerprint;
/** The TLS 1.2 PRF (RFC 5246 section 5); `length` fresh bytes. */
export const prf: ProviderFunctions['prf'] = bound.prf;
