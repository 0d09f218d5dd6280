import { writeUint16, writeUint24 } from '@millrace/core';

/** Writes the presentation language of TLS (RFC 5246 section 4) into a growing buffer. */
export class ByteWriter {
  #data = new Uint8Array(256);
  #length = 0;

  uint8(value: number): this {
    this.#reserve(1);
    this.#data[this.#length++] = value;
    return this;
  }

  uint16(value: number): this {
    this.#reserve(2);
    writeUint16(this.#data, this.#length, value);
    this.#length += 2;
    return this;
  }

  uint24(value: number): this {
    this.#reserve(3);
    writeUint24(this.#data, this.#length, value);
    this.#length += 3;
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#data.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** A vector with an 8-bit length. */
  vector8(bytes: Uint8Array): this {
    return this.uint8(bytes.length).bytes(bytes);
  }

  /** A vector with a 16-bit length. */
  vector16(bytes: Uint8Array): this {
    return this.uint16(bytes.length).bytes(bytes);
  }

  /** A vector with a 24-bit length. */
  vector24(bytes: Uint8Array): this {
    return this.uint24(bytes.length).bytes(bytes);
  }

  /** What was written, as a fresh array. */
  finish(): Uint8Array {
    return this.#data.slice(0, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#data.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#data.length));
    grown.set(this.#data);
    this.#data = grown;
  }
}

/** 16-bit integers as bytes. */
export function encodeUint16List(values: readonly number[]): Uint8Array {
  const out = new Uint8Array(2 * values.length);
  for (let i = 0; i < values.length; i++) writeUint16(out, 2 * i, values[i]!);
  return out;
}
