import { copyOf } from '@millrace/core';
import { type CryptoProvider, type Fingerprint, type VerifyKey, parseCertificate, matchFingerprint } from '@millrace/crypto';
import { type Failure, failure } from '../failure.ts';

/** The certificate of the peer, and what was announced about it. */
export class PeerCertificate {
  readonly #crypto: CryptoProvider;
  #der: Uint8Array | undefined;

  constructor(crypto: CryptoProvider) {
    this.#crypto = crypto;
  }

  get der(): Uint8Array | undefined {
    return this.#der;
  }

  /** Takes the chain of a Certificate message; gives the key to verify the peer's signatures with. */
  accept(chain: readonly Uint8Array[], announced: readonly Fingerprint[] | undefined): VerifyKey | Failure {
    const der = chain[0]!;
    const parsed = parseCertificate(der);
    if (parsed === undefined) return failure('bad_certificate', 'the certificate of the peer is malformed');
    const key = this.#crypto.importVerifyKey(parsed.spki);
    if (key === undefined) return failure('unsupported_certificate', 'the key of the peer is of no known kind');
    this.#der = copyOf(der);
    return this.check(announced) ?? key;
  }

  /** Why the certificate, or that there is none, is not what was announced (RFC 8122 section 6.2). */
  check(announced: readonly Fingerprint[] | undefined): Failure | undefined {
    if (announced === undefined) return undefined;
    if (this.#der !== undefined && matchFingerprint(this.#der, announced, this.#crypto)) return undefined;
    return failure('bad_certificate', 'the certificate of the peer is not the one that was announced', 'FINGERPRINT_MISMATCH');
  }
}
