import { Ring } from '@millrace/core';
import type { PacketWriter } from './packet/packet-writer.ts';

/** Answers to what the peer sends are dropped beyond this; it would be asking faster than we are drained. */
const maxWaiting = 64;

interface ControlChunk {
  readonly tag: number;
  readonly chunk: Uint8Array;
  /** INIT, INIT ACK and SHUTDOWN COMPLETE travel alone (RFC 9260 section 6.10). */
  readonly alone: boolean;
}

/** Encoded control chunks on their way out, each with the verification tag of its packet. */
export class ControlQueue {
  readonly #chunks: Ring<ControlChunk> = new Ring<ControlChunk>();

  push(tag: number, chunk: Uint8Array, alone = false): void {
    if (this.#chunks.length < maxWaiting) this.#chunks.push({ tag, chunk, alone });
  }

  /** The tag of the packet that goes next; -1 where none waits. */
  get nextTag(): number {
    return this.#chunks.front()?.tag ?? -1;
  }

  /** Writes what waits for the packet's tag and fits. True where the packet is complete with it. */
  write(writer: PacketWriter): boolean {
    const tag = this.nextTag;
    for (let next = this.#chunks.front(); next !== undefined && next.tag === tag; next = this.#chunks.front()) {
      if (next.alone && !writer.isEmpty) return true;
      if (((next.chunk.length + 3) & ~3) > writer.remaining) {
        if (!writer.isEmpty) return true;
        // Larger than a packet: an echo of something that came in a larger one. It can't be sent.
        this.#chunks.shift();
        continue;
      }
      writer.put(next.chunk);
      this.#chunks.shift();
      if (next.alone) return true;
    }
    return false;
  }

  clear(): void {
    this.#chunks.clear();
  }
}
