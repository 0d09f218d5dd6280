/*
 * The primitives below DTLS and ICE, behind one interface with two implementations: over
 * node:crypto, and pure over @noble. Which one a program gets is decided by the `node` and
 * `default` export conditions; both are held to the same cases.
 */
import type { Random } from '@millrace/core';

export type HashName = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';
export type GroupName = 'X25519' | 'P-256' | 'P-384';

/** A running hash that may be read several times, as handshake transcripts need. */
export interface Hash {
  update(data: Uint8Array): void;
  /** The digest of what came so far; the hash goes on. Owned by the caller. */
  digest(): Uint8Array;
}

/** One side of an ephemeral key agreement. */
export interface KeyShare {
  readonly group: GroupName;
  /** The public point as TLS encodes it: 32 bytes of X25519, or an uncompressed point. */
  readonly publicKey: Uint8Array;
  /**
   * The shared secret, or `undefined` where the peer's point is invalid (not on the curve, not
   * uncompressed, or an all-zero X25519 result: RFC 8422 section 5.11, RFC 7748 section 6.1).
   */
  derive(peerPublicKey: Uint8Array): Uint8Array | undefined;
  destroy(): void;
}

/** A public key out of a certificate. */
export interface VerifyKey {
  readonly type: 'P-256' | 'P-384' | 'RSA';
  /** Verifies an ECDSA (DER) or RSA PKCS #1 v1.5 signature over `message`. Never throws. */
  verify(hash: HashName, message: Uint8Array, signature: Uint8Array): boolean;
}

/** A private key with its certificate. */
export interface Certificate {
  /** DER of the X.509 certificate. */
  readonly der: Uint8Array;
  readonly type: 'P-256' | 'P-384' | 'RSA';
  /** ms since the epoch after which the certificate is not valid. */
  readonly expires: number;
  readonly fingerprint: Fingerprint;
  /** Signs with ECDSA (DER) or RSA PKCS #1 v1.5. */
  sign(hash: HashName, message: Uint8Array): Uint8Array;
}

/** As in SDP (RFC 8122): `sha-256` and colon-separated upper-case hexadecimal. */
export interface Fingerprint {
  readonly algorithm: string;
  readonly value: string;
}

export interface CryptoProvider {
  readonly name: 'node' | 'pure';
  readonly random: Random;
  createHash(name: HashName): Hash;
  digest(name: HashName, data: Uint8Array): Uint8Array;
  hmac(name: HashName, key: Uint8Array, data: Uint8Array): Uint8Array;
  generateKeyShare(group: GroupName): KeyShare;
  /** The public key of a DER SubjectPublicKeyInfo; `undefined` where it is of no known kind. */
  importVerifyKey(spki: Uint8Array): VerifyKey | undefined;
}
