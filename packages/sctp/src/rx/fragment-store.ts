import type { MessageKey } from './open-message.ts';

/** What each stored fragment costs beside its bytes, so that many small ones are bounded too. */
const fragmentOverheadBytes = 64;

export interface StoredFragment extends MessageKey {
  readonly begin: boolean;
  readonly end: boolean;
  readonly bytes: Uint8Array;
  /** The first and last TSN of the run it is in; kept right at the two ends of a run alone. */
  runStart: number;
  runEnd: number;
}

function sameMessage(a: MessageKey, b: MessageKey): boolean {
  return a.streamId === b.streamId && a.unordered === b.unordered && (a.unordered || a.ssn === b.ssn);
}

/**
 * Fragments that arrived out of sequence. Neighbors of one message are joined into runs by their
 * ends, so that a message is known to be whole in constant time when its last piece comes.
 */
export class FragmentStore {
  readonly #fragments = new Map<number, StoredFragment>();
  /** What they hold in memory, roughly. */
  bytes = 0;

  get size(): number {
    return this.#fragments.size;
  }

  /** Keeps a fragment whose bytes are the store's. True where its message is whole now: the run from B to E. */
  add(tsn: number, fragment: StoredFragment): boolean {
    const before = fragment.begin ? undefined : this.#fragments.get(tsn - 1);
    if (before !== undefined && !before.end && sameMessage(before, fragment)) fragment.runStart = before.runStart;
    const after = fragment.end ? undefined : this.#fragments.get(tsn + 1);
    if (after !== undefined && !after.begin && sameMessage(after, fragment)) fragment.runEnd = after.runEnd;
    this.#fragments.set(tsn, fragment);
    this.bytes += fragment.bytes.length + fragmentOverheadBytes;
    const first = this.#fragments.get(fragment.runStart)!;
    const last = this.#fragments.get(fragment.runEnd)!;
    first.runEnd = fragment.runEnd;
    last.runStart = fragment.runStart;
    return first.begin && last.end;
  }

  get(tsn: number): StoredFragment | undefined {
    return this.#fragments.get(tsn);
  }

  take(tsn: number): StoredFragment | undefined {
    const fragment = this.#fragments.get(tsn);
    if (fragment !== undefined) {
      this.#fragments.delete(tsn);
      this.bytes -= fragment.bytes.length + fragmentOverheadBytes;
    }
    return fragment;
  }

  /** Takes the whole message that `tsn` is part of and joins it. */
  takeMessage(tsn: number): Uint8Array {
    const { runStart, runEnd } = this.#fragments.get(tsn)!;
    let length = 0;
    for (let t = runStart; t <= runEnd; t++) length += this.#fragments.get(t)!.bytes.length;
    if (runStart === runEnd) return this.take(tsn)!.bytes;
    const message = new Uint8Array(length);
    let at = 0;
    for (let t = runStart; t <= runEnd; t++) {
      const { bytes } = this.take(t)!;
      message.set(bytes, at);
      at += bytes.length;
    }
    return message;
  }

  /** Drops what the peer has given up: all from `from` to `to`. */
  dropRange(from: number, to: number): void {
    // A run that reaches beyond has lost its beginning, so it can't become whole.
    const rest = this.#fragments.get(to + 1);
    if (rest !== undefined && !rest.begin && rest.runStart <= to) {
      const last = this.#fragments.get(rest.runEnd);
      if (last !== undefined) last.runStart = to + 1;
      rest.runStart = to + 1;
    }
    if (to - from < this.#fragments.size) {
      for (let t = from; t <= to; t++) this.take(t);
    } else {
      for (const tsn of this.#fragments.keys()) if (tsn <= to) this.take(tsn);
    }
  }
}
