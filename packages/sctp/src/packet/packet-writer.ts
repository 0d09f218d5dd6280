import { encodePacketHeader, packetHeaderBytes, sealPacket, sealPacketWithout } from './packet-header.ts';

/** Lays chunks one after the other into the caller's buffer. One instance serves all packets of an association. */
export class PacketWriter {
  data: Uint8Array = new Uint8Array(0);
  /** Where the next chunk goes. */
  at = 0;
  #start = 0;
  #end = 0;

  /** Begins a packet in `out[start, end)`; the caller has seen to the room for a header. */
  begin(out: Uint8Array, start: number, end: number, sourcePort: number, destinationPort: number, tag: number): void {
    this.data = out;
    this.#start = start;
    this.#end = end;
    encodePacketHeader(out, start, sourcePort, destinationPort, tag);
    this.at = start + packetHeaderBytes;
  }

  /** Bytes left for chunks, padding included. */
  get remaining(): number {
    return this.#end - this.at;
  }

  get isEmpty(): boolean {
    return this.at === this.#start + packetHeaderBytes;
  }

  /** Moves past a chunk of `length` bytes that was written at `at`, and pads it with zeros (RFC 9260 section 3.2). */
  advance(length: number): void {
    this.at += length;
    while ((length & 3) !== 0) {
      this.data[this.at++] = 0;
      length++;
    }
  }

  /** Copies an encoded chunk. */
  put(chunk: Uint8Array): void {
    this.data.set(chunk, this.at);
    this.advance(chunk.length);
  }

  /** Writes the checksum, or leaves it at zero; the packet's length, 0 where it has no chunk. */
  finish(zeroChecksum: boolean): number {
    if (this.isEmpty) return 0;
    if (zeroChecksum) sealPacketWithout(this.data, this.#start, this.at);
    else sealPacket(this.data, this.#start, this.at);
    const length = this.at - this.#start;
    // The buffer is the caller's: nothing here may keep it alive.
    this.data = empty;
    return length;
  }
}

const empty = new Uint8Array(0);
