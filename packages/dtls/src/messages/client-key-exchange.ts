/*
 * ClientKeyExchange for ECDHE (RFC 8422 section 5.7), after the handshake header:
 *
 *    point                   1 + 1…255
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';

export function encodeClientKeyExchange(publicKey: Uint8Array): Uint8Array {
  return new ByteWriter().vector8(publicKey).finish();
}

/** The client's point, a view of the body, or `undefined` where the body is malformed. */
export function decodeClientKeyExchange(body: Uint8Array): Uint8Array | undefined {
  const reader = new ByteReader(body);
  const publicKey = reader.vector8();
  return reader.done && publicKey.length > 0 ? publicKey : undefined;
}
