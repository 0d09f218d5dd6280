/**
 * Reads DER (ITU-T X.690) strictly: one-octet tags, definite lengths in their shortest form,
 * nothing past the end. Every method answers `undefined` on anything else and never throws, as the
 * bytes come from the network. Results are views on the input.
 */
export class DerReader {
  readonly #data: Uint8Array;
  readonly #end: number;
  #at: number;
  #contentStart = 0;
  #contentEnd = 0;

  constructor(data: Uint8Array, start = 0, end: number = data.length) {
    this.#data = data;
    this.#at = start;
    this.#end = end;
  }

  get done(): boolean {
    return this.#at === this.#end;
  }

  /** The tag of the next element; -1 at the end. */
  get nextTag(): number {
    return this.#at < this.#end ? this.#data[this.#at]! : -1;
  }

  /** The content octets of the next element, which must carry `tag`. */
  readContent(tag: number): Uint8Array | undefined {
    if (!this.#next(tag)) return undefined;
    return this.#data.subarray(this.#contentStart, this.#contentEnd);
  }

  /** The next element with its tag and length. */
  readElement(tag: number): Uint8Array | undefined {
    const start = this.#at;
    return this.#next(tag) ? this.#data.subarray(start, this.#contentEnd) : undefined;
  }

  /** A reader over the content of the next element. */
  enter(tag: number): DerReader | undefined {
    return this.#next(tag) ? new DerReader(this.#data, this.#contentStart, this.#contentEnd) : undefined;
  }

  /** The magnitude of a non-negative INTEGER, without its sign octet. */
  readUnsigned(): Uint8Array | undefined {
    const content = this.readContent(0x02);
    if (content === undefined || content.length === 0 || content[0]! >= 0x80) return undefined;
    if (content[0] !== 0 || content.length === 1) return content;
    // X.690 section 8.3.2: the first nine bits must not all be zero.
    return content[1]! >= 0x80 ? content.subarray(1) : undefined;
  }

  /** The octets of a BIT STRING with no unused bits. */
  readBitString(): Uint8Array | undefined {
    const content = this.readContent(0x03);
    return content !== undefined && content.length >= 1 && content[0] === 0 ? content.subarray(1) : undefined;
  }

  #next(tag: number): boolean {
    const data = this.#data;
    let at = this.#at;
    if (this.#end - at < 2 || data[at] !== tag || (tag & 0x1f) === 0x1f) return false;
    let length = data[at + 1]!;
    at += 2;
    if (length >= 0x80) {
      const octets = length & 0x7f;
      // Four octets would allow more than any handshake message carries.
      if (octets < 1 || octets > 3 || this.#end - at < octets) return false;
      length = 0;
      for (let i = 0; i < octets; i++) length = (length << 8) | data[at++]!;
      if (length < 0x80 || length < 2 ** (8 * (octets - 1))) return false;
    }
    if (length > this.#end - at) return false;
    this.#contentStart = at;
    this.#contentEnd = at + length;
    this.#at = this.#contentEnd;
    return true;
  }
}
