import type { RecordAlgorithm } from '@millrace/crypto';
import type { CipherSuite } from './types.ts';

export interface CipherSuiteParameters {
  readonly name: CipherSuite;
  readonly code: number;
  readonly algorithm: RecordAlgorithm;
  readonly keyBytes: 16 | 32;
  /** The implicit part of the nonce, which is all of it in RFC 7905. */
  readonly saltBytes: 4 | 12;
}

/** Every suite that this package speaks: RFC 5289, RFC 7251 and RFC 7905. */
export const cipherSuites: Readonly<Record<CipherSuite, CipherSuiteParameters>> = {
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: {
    name: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    code: 0xcca9,
    algorithm: 'CHACHA20-POLY1305',
    keyBytes: 32,
    saltBytes: 12,
  },
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: suite('TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 0xc02b, 'AES-128-GCM'),
  TLS_ECDHE_ECDSA_WITH_AES_128_CCM: suite('TLS_ECDHE_ECDSA_WITH_AES_128_CCM', 0xc0ac, 'AES-128-CCM'),
  TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8: suite('TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', 0xc0ae, 'AES-128-CCM-8'),
};

/**
 * Offered and accepted where `cipherSuites` says nothing else, in order of preference: the
 * cheaper first, as measured in docs/decisions/0004. CCM_8 has a tag too short to be anyone's default.
 */
export const defaultCipherSuites: readonly CipherSuite[] = [
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CCM',
];

/** Signals secure renegotiation in the list of suites (RFC 5746 section 3.3). */
export const emptyRenegotiationInfoScsv = 0x00ff;

export function cipherSuiteByCode(code: number): CipherSuiteParameters | undefined {
  return Object.values(cipherSuites).find((candidate) => candidate.code === code);
}

function suite(name: CipherSuite, code: number, algorithm: RecordAlgorithm): CipherSuiteParameters {
  return { name, code, algorithm, keyBytes: 16, saltBytes: 4 };
}
