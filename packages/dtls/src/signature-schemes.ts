import type { Certificate, HashName, VerifyKey } from '@millrace/crypto';

/*
 * Pairs of hash and signature algorithm (RFC 5246 section 7.4.1.4.1). Under TLS 1.2 an ECDSA pair
 * binds no curve. MD5 and SHA-1 are not among them (RFC 9155).
 */
export interface SignatureScheme {
  readonly code: number;
  readonly hash: HashName;
  readonly key: 'ECDSA' | 'RSA';
}

const schemes: readonly SignatureScheme[] = [
  { code: 0x0403, hash: 'SHA-256', key: 'ECDSA' },
  { code: 0x0503, hash: 'SHA-384', key: 'ECDSA' },
  { code: 0x0603, hash: 'SHA-512', key: 'ECDSA' },
  { code: 0x0401, hash: 'SHA-256', key: 'RSA' },
  { code: 0x0501, hash: 'SHA-384', key: 'RSA' },
  { code: 0x0601, hash: 'SHA-512', key: 'RSA' },
];

/** The pairs that we verify, in order of preference: what we offer and ask for. */
export const signatureSchemeCodes: readonly number[] = schemes.map((scheme) => scheme.code);

/** ClientCertificateType (RFC 5246 section 7.4.4, RFC 8422 section 5.5). */
export const clientCertificateType: { readonly rsaSign: 1; readonly ecdsaSign: 64 } = { rsaSign: 1, ecdsaSign: 64 };

type KeyType = Certificate['type'] | VerifyKey['type'];

function keyKind(type: KeyType): SignatureScheme['key'] {
  return type === 'RSA' ? 'RSA' : 'ECDSA';
}

/** The certificate type under which a key of this type is asked for. */
export function certificateTypeOf(type: KeyType): number {
  return type === 'RSA' ? clientCertificateType.rsaSign : clientCertificateType.ecdsaSign;
}

/** How to sign with a key of `type` so that a peer who sent `offered` can verify it. */
export function selectSignatureScheme(type: KeyType, offered: readonly number[]): SignatureScheme | undefined {
  return schemes.find((scheme) => scheme.key === keyKind(type) && offered.includes(scheme.code));
}

/** The scheme of a signature that came; `undefined` where we never offered it or the key is of another kind. */
export function signatureSchemeFor(type: KeyType, code: number): SignatureScheme | undefined {
  return schemes.find((scheme) => scheme.code === code && scheme.key === keyKind(type));
}
