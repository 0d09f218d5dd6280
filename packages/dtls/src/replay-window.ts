/** Records that the window remembers (RFC 6347 section 4.1.2.6: at least 32, preferably 64). */
export const replayWindowSize = 64;

/**
 * Remembers which of the last 64 records of an epoch came (RFC 6347 section 4.1.2.6). Only
 * authenticated records may be committed, or a forger could move the window.
 */
export class ReplayWindow {
  #highest = -1;
  /** Bit i is set where record `highest - i` came; two halves, as shifts take 32 bits. */
  #low = 0;
  #high = 0;

  /** True where the record is new: neither seen nor older than the window. */
  check(sequenceNumber: number): boolean {
    const age = this.#highest - sequenceNumber;
    if (age < 0) return true;
    if (age >= replayWindowSize) return false;
    return age < 32 ? ((this.#low >>> age) & 1) === 0 : ((this.#high >>> (age - 32)) & 1) === 0;
  }

  /** Marks an authenticated record that `check` let through. */
  commit(sequenceNumber: number): void {
    const age = this.#highest - sequenceNumber;
    if (age < 0) {
      this.#advance(-age);
      this.#highest = sequenceNumber;
      this.#low |= 1;
    } else if (age < 32) {
      this.#low |= 1 << age;
    } else {
      this.#high |= 1 << (age - 32);
    }
  }

  #advance(by: number): void {
    if (by >= replayWindowSize) {
      this.#low = 0;
      this.#high = 0;
    } else if (by >= 32) {
      this.#high = by === 32 ? this.#low : this.#low << (by - 32);
      this.#low = 0;
    } else {
      this.#high = (this.#high << by) | (this.#low >>> (32 - by));
      this.#low <<= by;
    }
  }
}
