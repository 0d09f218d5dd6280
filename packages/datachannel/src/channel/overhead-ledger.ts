/**
 * Tells payload from overhead among the bytes that a stream has buffered. DCEP messages and the
 * zero byte that stands for an empty message go through the stream as well, but an application
 * that waits for `bufferedAmount` to reach what it counted itself must not see them.
 *
 * Bytes are taken to leave in the order they were queued. Where gaps are acknowledged first, the
 * figure is off by no more than the overhead, and right again once the gap closes.
 */
export class OverheadLedger {
  /** All bytes ever queued. */
  #queued = 0;
  /** Where runs of overhead end, counted in bytes queued, and their length; oldest first. */
  readonly #runs: { end: number; length: number }[] = [];

  addPayload(bytes: number): void {
    this.#queued += bytes;
  }

  /** @param buffered bytes that have not left yet, without these: what has left is forgotten. */
  addOverhead(bytes: number, buffered: number): void {
    this.#forget(this.#queued - buffered);
    const last = this.#runs.at(-1);
    const continues = last !== undefined && last.end === this.#queued;
    this.#queued += bytes;
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
    let overhead = 0;
    for (const run of this.#runs) overhead += Math.min(run.length, run.end - left);
    return Math.max(0, buffered - overhead);
  }

  #forget(left: number): void {
    let done = 0;
    while (done < this.#runs.length && this.#runs[done]!.end <= left) done++;
    if (done > 0) this.#runs.splice(0, done);
  }
}
