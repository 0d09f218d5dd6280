import { constantTimeEqual } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import { ByteWriter, encodeUint16List } from '../byte-writer.ts';
import type { ClientHello } from '../messages/client-hello.ts';

/**
 * The stateless cookie (RFC 6347 section 4.2.1): an HMAC over who the client is and what it said
 * before. A client sends the same values again with the cookie; extensions are left out, as some
 * clients change them.
 */
export function createCookie(
  crypto: CryptoProvider,
  secret: Uint8Array,
  clientIdentity: Uint8Array,
  hello: ClientHello,
): Uint8Array {
  const parameters = new ByteWriter()
    .vector16(clientIdentity)
    .uint16(hello.version)
    .bytes(hello.random)
    .vector8(hello.sessionId)
    .vector16(encodeUint16List(hello.cipherSuites))
    .vector8(hello.compressionMethods)
    .finish();
  return crypto.hmac('SHA-256', secret, parameters);
}

/** Whether the hello carries the cookie that was made for this client. */
export function verifyCookie(
  crypto: CryptoProvider,
  secret: Uint8Array,
  clientIdentity: Uint8Array,
  hello: ClientHello,
): boolean {
  return hello.cookie.length > 0 && constantTimeEqual(hello.cookie, createCookie(crypto, secret, clientIdentity, hello));
}
