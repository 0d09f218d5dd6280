/*
 * ServerHello (RFC 5246 section 7.4.1.3), after the handshake header:
 *
 *    server_version          2
 *    random                 32
 *    session_id             1 + 0…32
 *    cipher_suite            2
 *    compression_method      1
 *    extensions             2 + 0…65535    (may be absent)
 */
import { ByteReader } from '../byte-reader.ts';
import { ByteWriter } from '../byte-writer.ts';
import { randomBytesLength } from './client-hello.ts';
import { type Extensions, decodeExtensions, encodeExtensions } from './extensions.ts';

export interface ServerHello {
  readonly version: number;
  readonly random: Uint8Array;
  readonly sessionId: Uint8Array;
  readonly cipherSuite: number;
  readonly compressionMethod: number;
  readonly extensions: Extensions;
}

export function encodeServerHello(hello: ServerHello): Uint8Array {
  const writer = new ByteWriter()
    .uint16(hello.version)
    .bytes(hello.random)
    .vector8(hello.sessionId)
    .uint16(hello.cipherSuite)
    .uint8(hello.compressionMethod);
  // RFC 5246 section 7.4.1.3: without extensions the block is left out.
  if (hello.extensions.size > 0) encodeExtensions(writer, hello.extensions);
  return writer.finish();
}

/** Reads a body; its arrays are views of it. `undefined` where it is malformed. */
export function decodeServerHello(body: Uint8Array): ServerHello | undefined {
  const reader = new ByteReader(body);
  const version = reader.uint16();
  const random = reader.bytes(randomBytesLength);
  const sessionId = reader.vector8();
  const cipherSuite = reader.uint16();
  const compressionMethod = reader.uint8();
  const extensions = decodeExtensions(reader);
  if (!reader.done || sessionId.length > 32 || extensions === undefined) return undefined;
  return { version, random, sessionId, cipherSuite, compressionMethod, extensions };
}
