import { randomBytes } from '@millrace/core';
import type { Certificate, CryptoProvider, HashName } from '../provider.ts';
import { fingerprintWith } from '../fingerprint.ts';
import { certificateHash, encodeCertificate } from './encode-certificate.ts';

export interface CertificateOptions {
  /** Default 'P-256', which is the fastest and what browsers use. */
  readonly type?: 'P-256' | 'P-384' | 'RSA';
  /** The subject and issuer. Default 'Millrace'. */
  readonly commonName?: string;
  /** How long it is valid from now on, in ms. Default 30 days, at most 365. */
  readonly validForMs?: number;
  /** The current time in ms since the epoch. Default: the platform's clock. */
  readonly now?: number;
}

export interface CertificateKey {
  readonly spki: Uint8Array;
  sign(hash: HashName, message: Uint8Array): Uint8Array;
}

const dayMs = 86_400_000;

/** The key type that was asked for. Throws RangeError where it is none of `allowed`. */
export function certificateType(
  options: CertificateOptions,
  allowed: readonly ('P-256' | 'P-384' | 'RSA')[],
): 'P-256' | 'P-384' | 'RSA' {
  const type = options.type ?? 'P-256';
  if (!allowed.includes(type)) throw new RangeError(`type must be one of ${allowed.join(', ')}`);
  return type;
}

/** Wraps a key in a self-signed certificate. */
export function selfSign(
  provider: CryptoProvider,
  type: 'P-256' | 'P-384' | 'RSA',
  key: CertificateKey,
  options: CertificateOptions,
  platformNow: () => number,
): Certificate {
  const { commonName = 'Millrace', validForMs = 30 * dayMs, now = platformNow() } = options;
  if (!(validForMs >= 1000 && validForMs <= 365 * dayMs)) throw new RangeError('validForMs must be 1000 to 365 days in ms');
  if (commonName.length < 1 || commonName.length > 64) throw new RangeError('commonName must have 1 to 64 characters');
  // RFC 5280 section 4.1.2.2: positive, at most 20 octets. The top bits make it 16 octets always.
  const serial = randomBytes(provider.random, 16);
  serial[0] = (serial[0]! & 0x3f) | 0x40;
  const notAfter = Math.floor((now + validForMs) / 1000) * 1000;
  // The day before today forgives peers whose clock is behind.
  const fields = { type, spki: key.spki, serial, commonName, notBefore: now - dayMs, notAfter };
  const der = encodeCertificate(fields, (tbs) => key.sign(certificateHash[type], tbs));
  return {
    der,
    type,
    expires: notAfter,
    fingerprint: fingerprintWith(provider, der, 'sha-256'),
    sign: (hash, message) => key.sign(hash, message),
  };
}
