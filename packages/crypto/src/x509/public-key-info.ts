/*
 * SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7; RFC 5480 for elliptic curves, RFC 8017 for RSA):
 *
 *   SEQUENCE { SEQUENCE { algorithm OID, parameters }, subjectPublicKey BIT STRING }
 */
import { formatHex } from '@millrace/core';
import { DerReader } from './der-reader.ts';
import { derBitString, derOid, derSequence, derTag } from './der-writer.ts';
import { oid } from './object-identifiers.ts';

export type PublicKeyInfo =
  /** The point is uncompressed: 0x04, x, y. Whether it lies on the curve is not known yet. */
  | { readonly type: 'P-256' | 'P-384'; readonly point: Uint8Array }
  /** Big-endian magnitudes without leading zeros. */
  | { readonly type: 'RSA'; readonly modulus: Uint8Array; readonly exponent: Uint8Array };

/** Modulus sizes outside are refused: too weak, or made to cost the verifier time. */
const rsaMinBytes = 128;
const rsaMaxBytes = 1024;

/** The key in a DER SubjectPublicKeyInfo. `undefined` where it is malformed or of another kind. */
export function decodePublicKeyInfo(spki: Uint8Array): PublicKeyInfo | undefined {
  const outer = new DerReader(spki);
  const info = outer.enter(derTag.sequence);
  const algorithm = info?.enter(derTag.sequence);
  const kind = algorithm?.readContent(derTag.objectIdentifier);
  if (info === undefined || algorithm === undefined || kind === undefined || !outer.done) return undefined;
  switch (formatHex(kind)) {
    case oid.ecPublicKey: {
      const curve = algorithm.readContent(derTag.objectIdentifier);
      const point = info.readBitString();
      if (curve === undefined || point === undefined || !algorithm.done || !info.done) return undefined;
      const name = formatHex(curve);
      const type = name === oid.prime256v1 ? 'P-256' : name === oid.secp384r1 ? 'P-384' : undefined;
      // RFC 8422 section 5.4: only the uncompressed form is allowed.
      if (type === undefined || point[0] !== 0x04 || point.length !== (type === 'P-256' ? 65 : 97)) return undefined;
      return { type, point };
    }
    case oid.rsaEncryption: {
      const parameters = algorithm.readContent(derTag.null);
      const bits = info.readBitString();
      if (parameters?.length !== 0 || bits === undefined || !algorithm.done || !info.done) return undefined;
      return decodeRsaKey(bits);
    }
    default:
      return undefined;
  }
}

function decodeRsaKey(bits: Uint8Array): PublicKeyInfo | undefined {
  const outer = new DerReader(bits);
  const key = outer.enter(derTag.sequence);
  const modulus = key?.readUnsigned();
  const exponent = key?.readUnsigned();
  if (key === undefined || modulus === undefined || exponent === undefined || !key.done || !outer.done) return undefined;
  if (modulus.length < rsaMinBytes || modulus.length > rsaMaxBytes || modulus[modulus.length - 1]! % 2 === 0) return undefined;
  if (exponent.length > 4 || exponent[exponent.length - 1]! % 2 === 0 || (exponent.length === 1 && exponent[0] === 1))
    return undefined;
  return { type: 'RSA', modulus, exponent };
}

/** The DER SubjectPublicKeyInfo of an uncompressed point. */
export function encodeEcPublicKeyInfo(type: 'P-256' | 'P-384', point: Uint8Array): Uint8Array {
  const curve = type === 'P-256' ? oid.prime256v1 : oid.secp384r1;
  return derSequence(derSequence(derOid(oid.ecPublicKey), derOid(curve)), derBitString(point));
}
