import type { Engine } from '../aead.ts';
import type { ChachaParts } from '../kernel/kernel-chacha.ts';
import { copyBytes } from '../kernel/kernel-ccm.ts';
import { kernelsOver } from '../kernel/kernel-memory.ts';
import { chachaRoomAt } from '../kernel/memory-layout.ts';
import type { RecordAlgorithm, RecordCipher } from '../record.ts';
import { createAeadRecordCipher } from './aead-record-cipher.ts';
import { headerBytes } from './record-layout.ts';

const tagBytes = 16;

/** The records of ChaCha20-Poly1305 (RFC 7905) by the kernels, which take them header and all. */
export class ChachaRecordCipher implements RecordCipher {
  readonly algorithm: RecordAlgorithm = 'CHACHA20-POLY1305';
  readonly engine: Engine;
  readonly explicitNonceBytes = 0;
  readonly tagBytes: 16 = tagBytes;
  readonly #parts: ChachaParts;
  readonly #other: RecordCipher;
  #isDestroyed = false;

  constructor(parts: ChachaParts, iv: Uint8Array) {
    this.engine = parts.engine;
    this.#parts = parts;
    this.#other = createAeadRecordCipher(this.algorithm, parts.other, iv);
  }

  sealRecord(data: Uint8Array, start: number, end: number): void {
    const length = payloadBytes(data, start, end);
    if (this.#fits(length)) this.#protect(data, start, length, false);
    else this.#other.sealRecord(data, start, end);
  }

  openRecord(data: Uint8Array, start: number, end: number): boolean {
    const length = payloadBytes(data, start, end);
    return this.#fits(length) ? this.#protect(data, start, length, true) : this.#other.openRecord(data, start, end);
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#parts.key.destroy();
    this.#other.destroy();
  }

  #fits(length: number): boolean {
    return length >= 0 && length <= this.#parts.maxBytes && !this.#isDestroyed;
  }

  #protect(data: Uint8Array, start: number, length: number, opening: boolean): boolean {
    const own = kernelsOver(data);
    const { bytes, chacha, keys } = own ?? this.#parts.shared;
    const record = own === undefined ? chachaRoomAt : start;
    const payload = start + headerBytes;
    if (own === undefined) copyBytes(data, start, bytes, record, headerBytes + length + (opening ? tagBytes : 0));
    const isAuthentic = chacha.protectRecord(this.#parts.key.addressIn(keys), record, length, opening);
    if (!isAuthentic) data.fill(0, payload, payload + length + tagBytes);
    else if (own === undefined) copyBytes(bytes, record + headerBytes, data, payload, length + (opening ? 0 : tagBytes));
    if (opening && own === undefined) bytes.fill(0, record + headerBytes, record + headerBytes + length);
    return isAuthentic;
  }
}

/** Negative where it can't be a record. */
function payloadBytes(data: Uint8Array, start: number, end: number): number {
  return end > data.length || start < 0 ? -1 : end - start - headerBytes - tagBytes;
}
