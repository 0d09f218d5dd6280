import { type HandshakeHeader, handshakeHeaderBytes } from './handshake-header.ts';
import { type HandshakeMessage, wrapHandshakeMessage } from './handshake-message.ts';

export interface ReassemblyLimits {
  /** Largest message in bytes. */
  readonly maxMessageBytes: number;
  /** Bytes held for messages that are not complete or not yet their turn. */
  readonly maxBufferedBytes: number;
  /** How many messages past the next one are kept. */
  readonly maxMessagesAhead: number;
}

export const defaultReassemblyLimits: ReassemblyLimits = {
  maxMessageBytes: 16_384,
  maxBufferedBytes: 65_536,
  maxMessagesAhead: 10,
};

/** What became of a fragment; all but 'taken' and 'old' are reasons to count it as dropped. */
export type FragmentVerdict = 'taken' | 'old' | 'handshake-too-far' | 'handshake-too-large' | 'handshake-conflict';

interface Slot {
  readonly type: number;
  readonly length: number;
  /** Room for the header, then the body. */
  readonly bytes: Uint8Array;
  /** One byte per byte of the body, 1 where it came; absent where the message came whole. */
  readonly covered: Uint8Array | undefined;
  missingBytes: number;
}

/**
 * Puts handshake messages together from their fragments, in whatever order, overlap and
 * repetition they come (RFC 6347 section 4.2.3), and gives them out in the order of `messageSeq`.
 */
export class Reassembly {
  readonly #limits: ReassemblyLimits;
  readonly #slots = new Map<number, Slot>();
  #bufferedBytes = 0;
  #nextReceiveSeq = 0;

  constructor(limits: ReassemblyLimits = defaultReassemblyLimits) {
    this.#limits = limits;
  }

  /** The `messageSeq` of the message that comes next (RFC 6347 section 4.2.2). */
  get nextReceiveSeq(): number {
    return this.#nextReceiveSeq;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Copies the fragment whose bytes begin at `at`; the header has been checked against the record. */
  add(header: HandshakeHeader, data: Uint8Array, at: number): FragmentVerdict {
    const { type, length, messageSeq, fragmentOffset, fragmentLength } = header;
    if (messageSeq < this.#nextReceiveSeq) return 'old';
    if (messageSeq - this.#nextReceiveSeq > this.#limits.maxMessagesAhead) return 'handshake-too-far';
    if (length > this.#limits.maxMessageBytes) return 'handshake-too-large';
    let slot = this.#slots.get(messageSeq);
    if (slot === undefined) {
      slot = this.#open(header);
      if (slot === undefined) return 'handshake-too-far';
    } else if (slot.type !== type || slot.length !== length) {
      // Fragments of one message agree on these, so the two are never spliced. Which one is right
      // is not known; a whole message stays, but a piece must not block the message for ever.
      if (slot.missingBytes > 0) {
        this.forget(messageSeq);
        this.add(header, data, at);
      }
      return 'handshake-conflict';
    }
    if (slot.missingBytes > 0) fill(slot, data, at, fragmentOffset, fragmentLength);
    return 'taken';
  }

  /** The next message where it is complete; it stays until `advanceTo` passes it. */
  peek(): HandshakeMessage | undefined {
    return this.#complete(this.#nextReceiveSeq);
  }

  /**
   * The complete message with the lowest `messageSeq` that `accepts` its type, whatever stands
   * before it. For hellos, whose numbering depends on how many cookies went before.
   */
  find(accepts: (type: number) => boolean): HandshakeMessage | undefined {
    let found: number | undefined;
    for (const [messageSeq, slot] of this.#slots) {
      if (slot.missingBytes === 0 && accepts(slot.type) && (found === undefined || messageSeq < found)) found = messageSeq;
    }
    return found === undefined ? undefined : this.#complete(found);
  }

  /** Forgets one message and waits for it anew. */
  forget(messageSeq: number): void {
    const slot = this.#slots.get(messageSeq);
    if (slot === undefined) return;
    this.#bufferedBytes -= cost(slot);
    this.#slots.delete(messageSeq);
  }

  /** Drops what comes before `messageSeq` and waits for that one. */
  advanceTo(messageSeq: number): void {
    for (const held of this.#slots.keys()) if (held < messageSeq) this.forget(held);
    this.#nextReceiveSeq = messageSeq;
  }

  clear(): void {
    this.#slots.clear();
    this.#bufferedBytes = 0;
  }

  #complete(messageSeq: number): HandshakeMessage | undefined {
    const slot = this.#slots.get(messageSeq);
    if (slot === undefined || slot.missingBytes > 0) return undefined;
    return wrapHandshakeMessage(slot.type, messageSeq, slot.bytes);
  }

  #open(header: HandshakeHeader): Slot | undefined {
    const { type, length, fragmentLength } = header;
    const slot: Slot = {
      type,
      length,
      bytes: new Uint8Array(handshakeHeaderBytes + length),
      covered: fragmentLength === length ? undefined : new Uint8Array(length),
      missingBytes: length,
    };
    // Messages further ahead make room for nearer ones, so that the next one always gets in.
    while (this.#bufferedBytes + cost(slot) > this.#limits.maxBufferedBytes) {
      const furthest = Math.max(-1, ...this.#slots.keys());
      if (furthest <= header.messageSeq) return undefined;
      this.forget(furthest);
    }
    this.#slots.set(header.messageSeq, slot);
    this.#bufferedBytes += cost(slot);
    return slot;
  }
}

/** Bytes that a slot holds, an empty message's bookkeeping included. */
function cost(slot: Slot): number {
  return slot.bytes.length + (slot.covered?.length ?? 0) + 64;
}

function fill(slot: Slot, data: Uint8Array, at: number, fragmentOffset: number, fragmentLength: number): void {
  const { bytes, covered } = slot;
  if (covered === undefined || fragmentLength === slot.length) {
    if (fragmentLength < slot.length) return;
    bytes.set(data.subarray(at, at + fragmentLength), handshakeHeaderBytes);
    slot.missingBytes = 0;
    return;
  }
  for (let i = 0; i < fragmentLength; i++) {
    if (covered[fragmentOffset + i] === 1) continue;
    covered[fragmentOffset + i] = 1;
    bytes[handshakeHeaderBytes + fragmentOffset + i] = data[at + i]!;
    slot.missingBytes--;
  }
}
