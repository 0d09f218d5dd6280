/*
 * A self-signed X.509 certificate (RFC 5280 section 4.1):
 *
 *   SEQUENCE {
 *     tbsCertificate SEQUENCE {
 *       [0] { version INTEGER 2 }, serialNumber INTEGER, signature AlgorithmIdentifier,
 *       issuer Name, validity SEQUENCE { notBefore, notAfter }, subject Name, SubjectPublicKeyInfo }
 *     signatureAlgorithm AlgorithmIdentifier,
 *     signature BIT STRING }
 */
import {
  derBitString,
  derElement,
  derNull,
  derOid,
  derSequence,
  derTag,
  derTime,
  derUnsigned,
  derUtf8String,
} from './der-writer.ts';
import { oid } from './object-identifiers.ts';

export interface CertificateFields {
  readonly type: 'P-256' | 'P-384' | 'RSA';
  readonly spki: Uint8Array;
  /** Big-endian; must not be zero. */
  readonly serial: Uint8Array;
  readonly commonName: string;
  /** ms since the epoch; whole seconds are kept. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The hash that signs a certificate of each key type. */
export const certificateHash = { 'P-256': 'SHA-256', 'P-384': 'SHA-384', RSA: 'SHA-256' } as const;

/** The DER of a certificate whose body `sign` signs with the hash of `certificateHash`. */
export function encodeCertificate(fields: CertificateFields, sign: (tbs: Uint8Array) => Uint8Array): Uint8Array {
  const algorithm = signatureAlgorithm(fields.type);
  const name = derSequence(derElement(derTag.set, derSequence(derOid(oid.commonName), derUtf8String(fields.commonName))));
  const tbs = derSequence(
    derElement(0xa0, derUnsigned(Uint8Array.of(2))),
    derUnsigned(fields.serial),
    algorithm,
    name,
    derSequence(derTime(fields.notBefore), derTime(fields.notAfter)),
    name,
    fields.spki,
  );
  return derSequence(tbs, algorithm, derBitString(sign(tbs)));
}

function signatureAlgorithm(type: CertificateFields['type']): Uint8Array {
  // RFC 5758 section 3.2: no parameters with ECDSA; RFC 4055 section 5: NULL with RSA.
  if (type === 'RSA') return derSequence(derOid(oid.sha256WithRsa), derNull());
  return derSequence(derOid(type === 'P-256' ? oid.ecdsaWithSha256 : oid.ecdsaWithSha384));
}
