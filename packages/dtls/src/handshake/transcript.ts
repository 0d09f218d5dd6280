import { concatBytes } from '@millrace/core';
import type { CryptoProvider, Hash } from '@millrace/crypto';
import type { HandshakeMessage } from './handshake-message.ts';

/**
 * The handshake messages so far. All suites here hash with SHA-256, so the hash runs from the
 * first message on; the messages are kept besides, as CertificateVerify signs them themselves
 * (RFC 5246 section 7.4.8).
 */
export class Transcript {
  readonly #hash: Hash;
  #messages: Uint8Array[] = [];

  constructor(crypto: CryptoProvider) {
    this.#hash = crypto.createHash('SHA-256');
  }

  add(message: HandshakeMessage): void {
    this.#hash.update(message.bytes);
    this.#messages.push(message.bytes);
  }

  /** SHA-256 of the messages so far. */
  digest(): Uint8Array {
    return this.#hash.digest();
  }

  /** The messages so far, one after another. */
  messages(): Uint8Array {
    return concatBytes(...this.#messages);
  }

  /** Forgets the messages; the hash stays. */
  release(): void {
    this.#messages = [];
  }
}
