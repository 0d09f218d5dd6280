/*
 * CertificateVerify (RFC 5246 section 7.4.8), after the handshake header:
 *
 *     0               1               2               3
 *    +---------------+---------------+---------------+---------------+
 *    |   hash and signature pair     |       signature length        |
 *    +---------------+---------------+---------------+---------------+
 *    |  signature …
 *
 * The signature covers all handshake messages before this one.
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';

export interface CertificateVerify {
  readonly signatureScheme: number;
  readonly signature: Uint8Array;
}

export function encodeCertificateVerify(verify: CertificateVerify): Uint8Array {
  return new ByteWriter().uint16(verify.signatureScheme).vector16(verify.signature).finish();
}

/** Reads a body; the signature is a view of it. `undefined` where it is malformed. */
export function decodeCertificateVerify(body: Uint8Array): CertificateVerify | undefined {
  const reader = new ByteReader(body);
  const signatureScheme = reader.uint16();
  const signature = reader.vector16();
  return reader.done ? { signatureScheme, signature } : undefined;
}
