import { type HandshakeHeader, encodeHandshakeHeader, handshakeHeaderBytes } from './handshake-header.ts';

/** A whole handshake message. */
export interface HandshakeMessage {
  readonly type: number;
  readonly messageSeq: number;
  /**
   * Header and body as if the message had come in one fragment: that is what the transcript
   * hashes (RFC 6347 section 4.2.6).
   */
  readonly bytes: Uint8Array;
  /** A view of `bytes` after the header. */
  readonly body: Uint8Array;
}

/** Puts the header before a body. */
export function createHandshakeMessage(type: number, messageSeq: number, body: Uint8Array): HandshakeMessage {
  const bytes = new Uint8Array(handshakeHeaderBytes + body.length);
  bytes.set(body, handshakeHeaderBytes);
  return wrapHandshakeMessage(type, messageSeq, bytes);
}

/** Writes the header into `bytes`, whose body stands in place. Takes the array over. */
export function wrapHandshakeMessage(type: number, messageSeq: number, bytes: Uint8Array): HandshakeMessage {
  const length = bytes.length - handshakeHeaderBytes;
  const header: HandshakeHeader = { type, length, messageSeq, fragmentOffset: 0, fragmentLength: length };
  encodeHandshakeHeader(bytes, 0, header);
  return { type, messageSeq, bytes, body: bytes.subarray(handshakeHeaderBytes) };
}
