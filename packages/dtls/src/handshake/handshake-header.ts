/*
 * The handshake header of DTLS 1.2 (RFC 6347 section 4.2.2):
 *
 *     0               1               2               3
 *    +---------------+---------------+---------------+---------------+
 *    |    msg_type   |                    length                     |
 *    +---------------+---------------+---------------+---------------+
 *    |          message_seq          |        fragment_offset        :
 *    +---------------+---------------+---------------+---------------+
 *    :fragment_offset|                fragment_length                |
 *    +---------------+---------------+---------------+---------------+
 *    |  fragment …
 */
import { readUint16, readUint24, writeUint16, writeUint24 } from '@millrace/core';

export const handshakeType: {
  readonly helloRequest: 0;
  readonly clientHello: 1;
  readonly serverHello: 2;
  readonly helloVerifyRequest: 3;
  readonly certificate: 11;
  readonly serverKeyExchange: 12;
  readonly certificateRequest: 13;
  readonly serverHelloDone: 14;
  readonly certificateVerify: 15;
  readonly clientKeyExchange: 16;
  readonly finished: 20;
} = {
  helloRequest: 0,
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
};

export const handshakeHeaderBytes = 12;

export interface HandshakeHeader {
  readonly type: number;
  /** Bytes of the whole message's body. */
  readonly length: number;
  readonly messageSeq: number;
  readonly fragmentOffset: number;
  readonly fragmentLength: number;
}

export function encodeHandshakeHeader(out: Uint8Array, at: number, header: HandshakeHeader): void {
  out[at] = header.type;
  writeUint24(out, at + 1, header.length);
  writeUint16(out, at + 4, header.messageSeq);
  writeUint24(out, at + 6, header.fragmentOffset);
  writeUint24(out, at + 9, header.fragmentLength);
}

/**
 * Reads the header at `at`. `undefined` where header or fragment do not fit before `end`, or the
 * fragment reaches past the message.
 */
export function decodeHandshakeHeader(data: Uint8Array, at: number, end: number): HandshakeHeader | undefined {
  if (end - at < handshakeHeaderBytes) return undefined;
  const header: HandshakeHeader = {
    type: data[at]!,
    length: readUint24(data, at + 1),
    messageSeq: readUint16(data, at + 4),
    fragmentOffset: readUint24(data, at + 6),
    fragmentLength: readUint24(data, at + 9),
  };
  if (header.fragmentOffset + header.fragmentLength > header.length) return undefined;
  if (header.fragmentLength > end - at - handshakeHeaderBytes) return undefined;
  return header;
}
