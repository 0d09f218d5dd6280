/** What identifies the message that a fragment belongs to. */
export interface MessageKey {
  readonly streamId: number;
  readonly ssn: number;
  readonly ppid: number;
  readonly unordered: boolean;
}

/**
 * The message whose fragments arrive in sequence right now. It is written straight into the array
 * that the application gets, which is made as large as the last message of its kind was: where
 * the guess is right, the bytes are copied once.
 */
export class OpenMessage implements MessageKey {
  readonly streamId: number;
  readonly ssn: number;
  readonly ppid: number;
  readonly unordered: boolean;
  #bytes: Uint8Array;
  length = 0;

  constructor(key: MessageKey, capacity: number) {
    this.streamId = key.streamId;
    this.ssn = key.ssn;
    this.ppid = key.ppid;
    this.unordered = key.unordered;
    this.#bytes = new Uint8Array(capacity);
  }

  /** Whether a fragment belongs to it; the SSN of an unordered one says nothing (RFC 9260 section 3.3.1). */
  matches(streamId: number, ssn: number, unordered: boolean): boolean {
    return this.streamId === streamId && this.unordered === unordered && (unordered || this.ssn === ssn);
  }

  append(data: Uint8Array, start: number, end: number): void {
    const length = this.length + (end - start);
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.length));
      this.#bytes = grown;
    }
    this.#bytes.set(start === 0 && end === data.length ? data : data.subarray(start, end), this.length);
    this.length = length;
  }

  /** The message, in an ArrayBuffer of its own and of its size. */
  finish(): Uint8Array {
    return this.length === this.#bytes.length ? this.#bytes : this.#bytes.slice(0, this.length);
  }
}
