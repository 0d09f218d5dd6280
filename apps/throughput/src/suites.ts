import type { RecordAlgorithm } from '@millrace/crypto';
import type { CipherSuite } from '@millrace/dtls';

/** A cipher suite as the demo speaks of it. */
export interface Suite {
  /** On the command line. */
  readonly short: 'ccm' | 'ccm8' | 'gcm' | 'chacha20';
  /** The IANA name. */
  readonly name: CipherSuite;
  readonly algorithm: RecordAlgorithm;
  /** Key, salt and tag of its records, in bytes. */
  readonly keyBytes: 16 | 32;
  readonly saltBytes: 4 | 12;
  readonly tagBytes: 8 | 16;
}

export const suites: readonly Suite[] = [
  suite('ccm', 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM', 'AES-128-CCM', 16),
  suite('ccm8', 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', 'AES-128-CCM-8', 8),
  suite('gcm', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'AES-128-GCM', 16),
  {
    short: 'chacha20',
    name: 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    algorithm: 'CHACHA20-POLY1305',
    keyBytes: 32,
    saltBytes: 12,
    tagBytes: 16,
  },
];

/** The suite with a short name that is known to be right. */
export function suiteByShortName(short: Suite['short']): Suite {
  return suites.find((candidate) => candidate.short === short)!;
}

function suite(short: Suite['short'], name: CipherSuite, algorithm: RecordAlgorithm, tagBytes: 8 | 16): Suite {
  return { short, name, algorithm, keyBytes: 16, saltBytes: 4, tagBytes };
}
