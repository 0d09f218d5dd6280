import { Ring } from '@millrace/core';

/**
 * Tells payload from overhead among the bytes that a stream has buffered. DCEP messages and the
 * zero byte that stands for an empty message go through the stream as well, but an application
 * that waits for `bufferedAmount` to reach what it counted itself must not see them.
 *
 * Bytes are taken to leave in the order they were queued. Where messages are given up first, the
 * figure is off by no more than the overhead, and right again once those before them have left.
 */
export class OverheadLedger {
  /** All bytes ever queued. */
  #queued = 0;
  /** Where runs of overhead end, counted in bytes queued, and their length; oldest first. */
  readonly #runs: Ring<{ end: number; length: number }> = new Ring(4);
  /** The length of all runs. */
  #overhead = 0;

  addPayload(bytes: number): void {
    this.#queued += bytes;
  }

  /** @param buffered bytes that have not left yet, without these: what has left is forgotten. */
  addOverhead(bytes: number, buffered: number): void {
    this.#forget(this.#queued - buffered);
    const last = this.#runs.back();
    const continues = last !== undefined && last.end === this.#queued;
    this.#queued += bytes;
    this.#overhead += bytes;
    if (continues) {
      last.end += bytes;
      last.length += bytes;
    } else {
      this.#runs.push({ end: this.#queued, length: bytes });
    }
  }

  /** The payload among the `buffered` bytes that have not left yet. */
  payloadBytes(buffered: number): number {
    if (this.#runs.length === 0) return buffered;
    const left = this.#queued - buffered;
    this.#forget(left);
    const first = this.#runs.front();
    // Of the first run a part may have left.
    const gone = first === undefined ? 0 : Math.max(0, first.length - (first.end - left));
    return Math.max(0, buffered - (this.#overhead - gone));
  }

  #forget(left: number): void {
    for (let run = this.#runs.front(); run !== undefined && run.end <= left; run = this.#runs.front()) {
      this.#overhead -= run.length;
      this.#runs.shift();
    }
  }
}
