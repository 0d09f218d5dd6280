import { copyOf } from '@millrace/core';
import type { Aead, Engine } from '../aead.ts';
import type { RecordAlgorithm, RecordCipher } from '../record.ts';
import { aadBytes, epochOffset, explicitNonceBytes, headerBytes, writeAad } from './record-layout.ts';

/** Records over any AEAD: composes nonce and additional data in scratch memory of its own. */
export function createAeadRecordCipher(algorithm: RecordAlgorithm, aead: Aead, iv: Uint8Array): RecordCipher {
  if (algorithm === 'CHACHA20-POLY1305') return new ImplicitNonceCipher(algorithm, aead, iv);
  return new ExplicitNonceCipher(algorithm, aead, iv);
}

/** AES-GCM (RFC 5288 section 3) and AES-CCM (RFC 6655 section 3): salt and explicit nonce. */
class ExplicitNonceCipher implements RecordCipher {
  readonly algorithm: RecordAlgorithm;
  readonly engine: Engine;
  readonly explicitNonceBytes = explicitNonceBytes;
  readonly tagBytes: 8 | 16;
  readonly #aead: Aead;
  readonly #nonce: Uint8Array = new Uint8Array(12);
  readonly #aad: Uint8Array = new Uint8Array(aadBytes);

  constructor(algorithm: RecordAlgorithm, aead: Aead, salt: Uint8Array) {
    this.algorithm = algorithm;
    this.engine = aead.engine;
    this.tagBytes = aead.tagBytes;
    this.#aead = aead;
    this.#nonce.set(salt);
  }

  sealRecord(data: Uint8Array, start: number, end: number): void {
    const payloadStart = start + headerBytes + explicitNonceBytes;
    const payloadEnd = end - this.tagBytes;
    if (payloadEnd < payloadStart || end > data.length) throw new RangeError('end must leave room for header, nonce and tag');
    const nonce = this.#nonce;
    for (let i = 0; i < 8; i++) nonce[4 + i] = data[start + headerBytes + i] = data[start + epochOffset + i]!;
    writeAad(this.#aad, data, start, payloadEnd - payloadStart);
    this.#aead.seal(nonce, this.#aad, data, payloadStart, payloadEnd);
  }

  openRecord(data: Uint8Array, start: number, end: number): boolean {
    const payloadStart = start + headerBytes + explicitNonceBytes;
    const payloadBytes = end - this.tagBytes - payloadStart;
    if (payloadBytes < 0 || end > data.length) return false;
    const nonce = this.#nonce;
    for (let i = 0; i < 8; i++) nonce[4 + i] = data[start + headerBytes + i]!;
    writeAad(this.#aad, data, start, payloadBytes);
    return this.#aead.open(nonce, this.#aad, data, payloadStart, end);
  }

  destroy(): void {
    this.#nonce.fill(0);
    this.#aead.destroy();
  }
}

/** ChaCha20-Poly1305 (RFC 7905 section 2): the IV, XORed with epoch and sequence number. */
class ImplicitNonceCipher implements RecordCipher {
  readonly algorithm: RecordAlgorithm;
  readonly engine: Engine;
  readonly explicitNonceBytes = 0;
  readonly tagBytes: 8 | 16;
  readonly #aead: Aead;
  readonly #iv: Uint8Array;
  readonly #nonce: Uint8Array;
  readonly #aad: Uint8Array = new Uint8Array(aadBytes);

  constructor(algorithm: RecordAlgorithm, aead: Aead, iv: Uint8Array) {
    this.algorithm = algorithm;
    this.engine = aead.engine;
    this.tagBytes = aead.tagBytes;
    this.#aead = aead;
    this.#iv = copyOf(iv);
    this.#nonce = copyOf(iv);
  }

  sealRecord(data: Uint8Array, start: number, end: number): void {
    const payloadStart = start + headerBytes;
    const payloadEnd = end - this.tagBytes;
    if (payloadEnd < payloadStart || end > data.length) throw new RangeError('end must leave room for header and tag');
    this.#compose(data, start, payloadEnd - payloadStart);
    this.#aead.seal(this.#nonce, this.#aad, data, payloadStart, payloadEnd);
  }

  openRecord(data: Uint8Array, start: number, end: number): boolean {
    const payloadStart = start + headerBytes;
    const payloadBytes = end - this.tagBytes - payloadStart;
    if (payloadBytes < 0 || end > data.length) return false;
    this.#compose(data, start, payloadBytes);
    return this.#aead.open(this.#nonce, this.#aad, data, payloadStart, end);
  }

  destroy(): void {
    this.#iv.fill(0);
    this.#nonce.fill(0);
    this.#aead.destroy();
  }

  #compose(data: Uint8Array, start: number, payloadBytes: number): void {
    for (let i = 0; i < 8; i++) this.#nonce[4 + i] = this.#iv[4 + i]! ^ data[start + epochOffset + i]!;
    writeAad(this.#aad, data, start, payloadBytes);
  }
}
