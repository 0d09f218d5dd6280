import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface WeriftHeader {
  readonly type: number;
  readonly version: number;
  readonly epoch: number;
  readonly sequenceNumber: number;
}

/** werift's record protection: explicit nonce, ciphertext and tag in a fresh buffer. */
export interface WeriftCipher {
  encrypt(session: number, data: Buffer, header: WeriftHeader): Buffer;
  decrypt(session: number, data: Buffer, header: WeriftHeader): Buffer;
}

/** Which side's keys are used. */
export const weriftClient = 1;
export const weriftServer = 2;

/** werift's own class with AES-128-CCM set into it; both sides have the same key. */
export function createWeriftCipher(key: Uint8Array, salt: Uint8Array): WeriftCipher {
  const require = createRequire(import.meta.url);
  // The class is not exported; the file is found from the entry that is.
  const path = join(dirname(require.resolve('werift')), '../../dtls/src/cipher/suites/aead.js');
  const { default: AeadCipher } = require(path) as { default: new () => WeriftCipher & Record<string, unknown> };
  const nonce = (): Buffer => Buffer.concat([salt, Buffer.alloc(8)]);
  return Object.assign(new AeadCipher(), {
    blockAlgorithm: 'aes-128-ccm',
    keyLength: 16,
    ivLength: 12,
    nonceLength: 12,
    authTagLength: 16,
    nonceImplicitLength: 4,
    nonceExplicitLength: 8,
    clientWriteKey: Buffer.from(key),
    serverWriteKey: Buffer.from(key),
    clientNonce: nonce(),
    serverNonce: nonce(),
  });
}
