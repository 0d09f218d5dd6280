/*
 * ClientHello of DTLS (RFC 6347 section 4.2.1), after the handshake header:
 *
 *    client_version          2
 *    random                 32
 *    session_id             1 + 0…32
 *    cookie                 1 + 0…255
 *    cipher_suites          2 + 2…65534
 *    compression_methods    1 + 1…255
 *    extensions             2 + 0…65535    (may be absent)
 */
import { ByteReader, decodeUint16List } from '../byte-reader.ts';
import { ByteWriter, encodeUint16List } from '../byte-writer.ts';
import { type Extensions, decodeExtensions, encodeExtensions } from './extensions.ts';

export const randomBytesLength = 32;

export interface ClientHello {
  readonly version: number;
  readonly random: Uint8Array;
  readonly sessionId: Uint8Array;
  readonly cookie: Uint8Array;
  readonly cipherSuites: readonly number[];
  readonly compressionMethods: Uint8Array;
  readonly extensions: Extensions;
}

export function encodeClientHello(hello: ClientHello): Uint8Array {
  const writer = new ByteWriter()
    .uint16(hello.version)
    .bytes(hello.random)
    .vector8(hello.sessionId)
    .vector8(hello.cookie)
    .vector16(encodeUint16List(hello.cipherSuites))
    .vector8(hello.compressionMethods);
  encodeExtensions(writer, hello.extensions);
  return writer.finish();
}

/** Reads a body; its arrays are views of it. `undefined` where it is malformed. */
export function decodeClientHello(body: Uint8Array): ClientHello | undefined {
  const reader = new ByteReader(body);
  const version = reader.uint16();
  const random = reader.bytes(randomBytesLength);
  const sessionId = reader.vector8();
  const cookie = reader.vector8();
  const cipherSuites = decodeUint16List(reader.vector16());
  const compressionMethods = reader.vector8();
  const extensions = decodeExtensions(reader);
  if (!reader.done || sessionId.length > 32 || extensions === undefined) return undefined;
  if (cipherSuites === undefined || cipherSuites.length === 0 || compressionMethods.length === 0) return undefined;
  return { version, random, sessionId, cookie, cipherSuites, compressionMethods, extensions };
}
