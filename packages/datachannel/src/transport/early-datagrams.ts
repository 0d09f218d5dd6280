import { copyOf } from '@millrace/core';
/** Two flights of a ClientHello in two fragments, and some. */
const maxDatagrams = 8;
const maxBytes = 12_000;

/**
 * Keeps copies of DTLS datagrams that come before this end is ready for them: the other side's
 * ClientHello often overtakes the last connectivity check, or the answer in the signaling. Dropping
 * it would cost a retransmission time-out of a second in many stacks.
 */
export class EarlyDatagrams {
  #datagrams: Uint8Array[] = [];
  #bytes = 0;

  /** False where there is no room. */
  hold(data: Uint8Array, start: number, end: number): boolean {
    if (this.#datagrams.length >= maxDatagrams || this.#bytes + end - start > maxBytes) return false;
    this.#datagrams.push(copyOf(data, start, end));
    this.#bytes += end - start;
    return true;
  }

  /** Takes what is held, oldest first. */
  take(): readonly Uint8Array[] {
    const taken = this.#datagrams;
    this.#datagrams = [];
    this.#bytes = 0;
    return taken;
  }
}
