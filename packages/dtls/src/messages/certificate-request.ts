/*
 * CertificateRequest (RFC 5246 section 7.4.4), after the handshake header:
 *
 *    certificate_types                1 + 1…255
 *    supported_signature_algorithms   2 + 2…65534
 *    certificate_authorities          2 + 0…65535
 */
import { ByteReader, decodeUint16List } from '../byte-reader.ts';
import { ByteWriter, encodeUint16List } from '../byte-writer.ts';

export interface CertificateRequest {
  readonly certificateTypes: readonly number[];
  readonly signatureSchemes: readonly number[];
}

/** Names no authorities: certificates are self-signed and known by their fingerprint. */
export function encodeCertificateRequest(request: CertificateRequest): Uint8Array {
  return new ByteWriter()
    .vector8(Uint8Array.from(request.certificateTypes))
    .vector16(encodeUint16List(request.signatureSchemes))
    .uint16(0)
    .finish();
}

/** `undefined` where the body is malformed. Authorities are skipped. */
export function decodeCertificateRequest(body: Uint8Array): CertificateRequest | undefined {
  const reader = new ByteReader(body);
  const certificateTypes = [...reader.vector8()];
  const signatureSchemes = decodeUint16List(reader.vector16());
  const authorities = new ByteReader(reader.vector16());
  while (authorities.remaining > 0) authorities.vector16();
  if (!reader.done || !authorities.ok || signatureSchemes === undefined) return undefined;
  return { certificateTypes, signatureSchemes };
}
