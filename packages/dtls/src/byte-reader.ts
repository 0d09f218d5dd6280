import { readUint16, readUint24 } from '@millrace/core';

/**
 * Reads the presentation language of TLS (RFC 5246 section 4). A read past the end gives zero or
 * nothing and clears `ok`, so that a decoder checks once, at its end. Vectors come as views.
 */
export class ByteReader {
  readonly #data: Uint8Array;
  #at = 0;
  #ok = true;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  /** False once a read went past the end. */
  get ok(): boolean {
    return this.#ok;
  }

  get remaining(): number {
    return this.#data.length - this.#at;
  }

  /** True where everything was read and nothing was missing. */
  get done(): boolean {
    return this.#ok && this.remaining === 0;
  }

  uint8(): number {
    return this.#skip(1) ? this.#data[this.#at - 1]! : 0;
  }

  uint16(): number {
    return this.#skip(2) ? readUint16(this.#data, this.#at - 2) : 0;
  }

  uint24(): number {
    return this.#skip(3) ? readUint24(this.#data, this.#at - 3) : 0;
  }

  bytes(length: number): Uint8Array {
    return this.#skip(length) ? this.#data.subarray(this.#at - length, this.#at) : this.#data.subarray(0, 0);
  }

  /** A vector with an 8-bit length. */
  vector8(): Uint8Array {
    return this.bytes(this.uint8());
  }

  /** A vector with a 16-bit length. */
  vector16(): Uint8Array {
    return this.bytes(this.uint16());
  }

  /** A vector with a 24-bit length. */
  vector24(): Uint8Array {
    return this.bytes(this.uint24());
  }

  #skip(length: number): boolean {
    if (length > this.remaining) {
      this.#ok = false;
      this.#at = this.#data.length;
      return false;
    }
    this.#at += length;
    return true;
  }
}

/** The 16-bit integers of a vector; `undefined` where its length is odd. */
export function decodeUint16List(data: Uint8Array): number[] | undefined {
  if (data.length % 2 !== 0) return undefined;
  return Array.from({ length: data.length / 2 }, (_, i) => readUint16(data, 2 * i));
}
