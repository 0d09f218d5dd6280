const minCapacityBytes = 1024;
const none = new Uint8Array(0);

/**
 * A message that comes in pieces, the deprecated form of RFC 8831 section 6.6: all but the last have
 * an identifier of their own.
 */
export class Pieces {
  #bytes: Uint8Array = none;
  /** Bytes held. */
  length = 0;
  /** Some have come, and not the last. */
  isOpen = false;
  /** It was given up: what still comes of it is not kept. */
  isGivenUp = false;

  add(data: Uint8Array): void {
    this.isOpen = true;
    if (this.isGivenUp) return;
    const length = this.length + data.length;
    if (length > this.#bytes.length) {
      // Twice as large each time: a peer may send byte by byte.
      const grown = new Uint8Array(Math.max(minCapacityBytes, 2 * this.#bytes.length, length));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(data, this.length);
    this.length = length;
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.#bytes = none;
    this.length = 0;
  }

  /** The whole message, after its last piece; `undefined` where it was given up. */
  take(): Uint8Array | undefined {
    const whole = this.isGivenUp ? undefined : new Uint8Array(this.#bytes.subarray(0, this.length));
    this.#bytes = none;
    this.length = 0;
    this.isOpen = false;
    this.isGivenUp = false;
    return whole;
  }
}
