/*
 * HelloVerifyRequest (RFC 6347 section 4.2.1), after the handshake header:
 *
 *    server_version          2
 *    cookie                 1 + 0…255
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { protocolVersion } from '../record/record-header.ts';

/**
 * The version is 1.0 whatever will be negotiated: section 4.2.1 asks for that, and binds nobody to
 * it.
 */
export function encodeHelloVerifyRequest(cookie: Uint8Array): Uint8Array {
  return new ByteWriter().uint16(protocolVersion.dtls10).vector8(cookie).finish();
}

/** The cookie, a view of the body, or `undefined` where the body is malformed. Any version goes. */
export function decodeHelloVerifyRequest(body: Uint8Array): Uint8Array | undefined {
  const reader = new ByteReader(body);
  reader.uint16();
  const cookie = reader.vector8();
  return reader.done ? cookie : undefined;
}
