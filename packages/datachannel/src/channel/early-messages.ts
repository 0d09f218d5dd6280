/** Stands in the place of a `ppid` where the peer has reset the stream after the messages before. */
export const resetMark = -1;

/** A message whose channel does not exist yet. */
export interface EarlyMessage {
  readonly ppid: number;
  readonly data: Uint8Array;
}

/** What a held message costs beside its bytes. */
const entryBytes = 128;

/**
 * Holds messages on streams that have no channel yet: a negotiated channel may be created on this
 * end after the peer has begun to send, and a peer may open a channel on a stream whose reset this
 * end has not seen completed. Bounded in bytes over all streams.
 */
export class EarlyMessages {
  readonly #maxBytes: number;
  readonly #streams = new Map<number, EarlyMessage[]>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** False where the limit does not allow it. */
  hold(streamId: number, message: EarlyMessage): boolean {
    const cost = message.data.length + entryBytes;
    if (this.#bytes + cost > this.#maxBytes) return false;
    this.#bytes += cost;
    const held = this.#streams.get(streamId);
    if (held === undefined) this.#streams.set(streamId, [message]);
    else held.push(message);
    return true;
  }

  has(streamId: number): boolean {
    return this.#streams.has(streamId);
  }

  /** Takes what is held for a stream, oldest first. */
  take(streamId: number): readonly EarlyMessage[] {
    const held = this.#streams.get(streamId);
    if (held === undefined) return [];
    this.#streams.delete(streamId);
    for (const message of held) this.#bytes -= message.data.length + entryBytes;
    return held;
  }

  clear(): void {
    this.#streams.clear();
    this.#bytes = 0;
  }
}
