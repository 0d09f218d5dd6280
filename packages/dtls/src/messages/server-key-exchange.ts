/*
 * ServerKeyExchange for ECDHE (RFC 8422 section 5.4), after the handshake header:
 *
 *     0               1               2               3
 *    +---------------+---------------+---------------+---------------+
 *    | named_curve=3 |          named group          | point length  |
 *    +---------------+---------------+---------------+---------------+
 *    |  point …                                                      |
 *    +---------------+---------------+---------------+---------------+
 *    |   hash and signature pair     |       signature length        |
 *    +---------------+---------------+---------------+---------------+
 *    |  signature …
 *
 * The signature covers both randoms and everything before the pair.
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';

const namedCurve = 3;

export interface ServerKeyExchange {
  readonly group: number;
  readonly publicKey: Uint8Array;
  /** The signed part: curve type, group and point. */
  readonly params: Uint8Array;
  readonly signatureScheme: number;
  readonly signature: Uint8Array;
}

export function encodeEcdheParams(group: number, publicKey: Uint8Array): Uint8Array {
  return new ByteWriter().uint8(namedCurve).uint16(group).vector8(publicKey).finish();
}

export function encodeServerKeyExchange(params: Uint8Array, signatureScheme: number, signature: Uint8Array): Uint8Array {
  return new ByteWriter().bytes(params).uint16(signatureScheme).vector16(signature).finish();
}

/** Reads a body; its arrays are views of it. `undefined` where it is malformed or names no group. */
export function decodeServerKeyExchange(body: Uint8Array): ServerKeyExchange | undefined {
  const reader = new ByteReader(body);
  const curveType = reader.uint8();
  const group = reader.uint16();
  const publicKey = reader.vector8();
  const params = body.subarray(0, body.length - reader.remaining);
  const signatureScheme = reader.uint16();
  const signature = reader.vector16();
  if (!reader.done || curveType !== namedCurve || publicKey.length === 0) return undefined;
  return { group, publicKey, params, signatureScheme, signature };
}
