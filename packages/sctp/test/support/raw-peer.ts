import { readUint16, readUint32, seededRandom, wrap32, writeUint32 } from '@millrace/core';
import { type Association, type AssociationEvent, type AssociationOptions, createAssociation } from '../../src/index.ts';
import { chunkLength, encodeChunk, nextChunk } from '../../src/packet/chunk.ts';
import { chunkType } from '../../src/packet/chunk-type.ts';
import { dataFlag, dataHeaderBytes, encodeDataHeader } from '../../src/packet/data-chunk.ts';
import { encodeForwardTsn } from '../../src/packet/forward-tsn-chunk.ts';
import { decodeInit, encodeInit, type InitParameters } from '../../src/packet/init-chunk.ts';
import { encodePacketHeader, sealPacket } from '../../src/packet/packet-header.ts';
import { encodeGapAckBlock, encodeSackHeader, sackHeaderBytes } from '../../src/packet/sack-chunk.ts';

/** A packet of encoded chunks with the right checksum. */
export function packet(tag: number, ...chunks: readonly Uint8Array[]): Uint8Array {
  let length = 12;
  for (const chunk of chunks) length += (chunk.length + 3) & ~3;
  const out = new Uint8Array(length);
  encodePacketHeader(out, 0, 5000, 5000, tag);
  let at = 12;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += (chunk.length + 3) & ~3;
  }
  sealPacket(out, 0, length);
  return out;
}

export interface SeenChunk {
  readonly type: number;
  readonly flags: number;
  /** The chunk with its header, without padding. */
  readonly bytes: Uint8Array;
  readonly tag: number;
  /** Which packet it was in, counted from the start. */
  readonly packet: number;
}

export interface SeenSack {
  readonly cumulative: number;
  readonly aRwnd: number;
  readonly blocks: [number, number][];
  readonly duplicates: number[];
}

const info = { streamId: 0, ssn: 0, ppid: 53, begin: true, end: true, unordered: false, immediate: false };

export function dataChunk(tsn: number, bytes: Uint8Array | string, fields: Partial<typeof info> = {}): Uint8Array {
  const f = { ...info, ...fields };
  const user = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes;
  const flags =
    (f.begin ? dataFlag.begin : 0) |
    (f.end ? dataFlag.end : 0) |
    (f.unordered ? dataFlag.unordered : 0) |
    (f.immediate ? dataFlag.immediate : 0);
  const chunk = new Uint8Array(dataHeaderBytes + user.length);
  encodeDataHeader(chunk, 0, flags, wrap32(tsn), f.streamId, f.ssn, f.ppid, user.length);
  chunk.set(user, dataHeaderBytes);
  return chunk;
}

/** Blocks are relative to the cumulative TSN, as on the wire. */
export function sackChunk(cumulative: number, blocks: readonly (readonly [number, number])[] = [], aRwnd = 1 << 20): Uint8Array {
  const chunk = new Uint8Array(sackHeaderBytes + 4 * blocks.length);
  encodeSackHeader(chunk, 0, wrap32(cumulative), aRwnd, blocks.length, 0);
  for (const [i, [start, end]] of blocks.entries()) encodeGapAckBlock(chunk, 0, i, start, end);
  return chunk;
}

export function forwardTsnChunk(tsn: number, streams: readonly (readonly [number, number])[] = []): Uint8Array {
  const chunk = new Uint8Array(8 + 4 * streams.length);
  encodeForwardTsn(chunk, 0, wrap32(tsn), new Map());
  chunk[3] = chunk.length;
  chunk[2] = chunk.length >> 8;
  for (const [i, [id, ssn]] of streams.entries()) chunk.set([id >> 8, id, ssn >> 8, ssn], 8 + 4 * i);
  return chunk;
}

export function parseSack(bytes: Uint8Array): SeenSack {
  const blocks: [number, number][] = [];
  const count = readUint16(bytes, 12);
  for (let i = 0; i < count; i++) blocks.push([readUint16(bytes, 16 + 4 * i), readUint16(bytes, 18 + 4 * i)]);
  const duplicates: number[] = [];
  for (let i = 0; i < readUint16(bytes, 14); i++) duplicates.push(readUint32(bytes, 16 + 4 * (count + i)));
  return { cumulative: readUint32(bytes, 4), aRwnd: readUint32(bytes, 8), blocks, duplicates };
}

/** Plays the other end by hand, packet by packet. */
export class RawPeer {
  readonly association: Association;
  readonly tag: number = 0xbeef;
  /** Our initial TSN. */
  readonly initialTsn: number;
  /** The association's tag and initial TSN. */
  peerTag = 0;
  peerInitialTsn = 0;
  now = 0;
  readonly events: AssociationEvent[] = [];
  packets = 0;
  readonly packetLengths: number[] = [];

  constructor(options: Partial<AssociationOptions> & { initialTsn?: number } = {}) {
    const { initialTsn = 1000, ...rest } = options;
    this.initialTsn = initialTsn;
    this.association = createAssociation({ random: seededRandom(7), ...rest });
  }

  init(overrides: Partial<InitParameters> = {}): InitParameters {
    return {
      initiateTag: this.tag,
      aRwnd: 1 << 20,
      outboundStreams: 100,
      inboundStreams: 100,
      initialTsn: this.initialTsn,
      forwardTsn: true,
      reConfig: true,
      zeroChecksum: false,
      ...overrides,
    };
  }

  /** The handshake with this end calling. Returns the cookie that was used. */
  open(overrides: Partial<InitParameters> = {}): Uint8Array {
    const [ack] = this.exchange(0, encodeInit(this.init(overrides)));
    const init = decodeInit(ack!.bytes, 0, ack!.bytes.length)!;
    this.peerTag = init.initiateTag;
    this.peerInitialTsn = init.initialTsn;
    const cookie = encodeChunk(chunkType.cookieEcho, 0, init.cookie!);
    const answer = this.exchange(this.peerTag, cookie);
    if (answer[0]?.type !== chunkType.cookieAck) throw new Error('no COOKIE ACK');
    return cookie;
  }

  deliver(tag: number, ...chunks: readonly Uint8Array[]): void {
    this.deliverBytes(packet(tag, ...chunks));
  }

  deliverBytes(bytes: Uint8Array): void {
    this.association.handleDatagram(this.now, bytes, 0, bytes.length);
  }

  /** Delivers a packet under the association's tag and drains. */
  send(...chunks: readonly Uint8Array[]): SeenChunk[] {
    return this.exchange(this.peerTag, ...chunks);
  }

  exchange(tag: number, ...chunks: readonly Uint8Array[]): SeenChunk[] {
    this.deliver(tag, ...chunks);
    return this.drain();
  }

  /** Lets time pass, timer by timer. */
  advance(ms: number): SeenChunk[] {
    const until = this.now + ms;
    const seen: SeenChunk[] = [];
    for (;;) {
      const next = this.association.pollTimeout();
      if (next > until) break;
      this.now = Math.max(this.now, next);
      this.association.handleTimeout(this.now);
      seen.push(...this.drain());
    }
    this.now = until;
    return seen;
  }

  drain(): SeenChunk[] {
    for (let event = this.association.pollEvent(); event !== undefined; event = this.association.pollEvent())
      this.events.push(event);
    const seen: SeenChunk[] = [];
    const out = new Uint8Array(2000);
    for (;;) {
      const length = this.association.pollTransmit(this.now, out, 100, out.length);
      if (length === 0) return seen;
      this.packetLengths.push(length);
      const number = this.packets++;
      const end = 100 + length;
      for (let at = 112; at < end; ) {
        const size = chunkLength(out, at, end);
        seen.push({
          type: out[at]!,
          flags: out[at + 1]!,
          bytes: out.slice(at, at + size),
          tag: readUint32(out, 104),
          packet: number,
        });
        at = nextChunk(at, size, end);
      }
    }
  }

  /** The messages that the association has delivered, as text. */
  get texts(): string[] {
    return this.events.flatMap((event) => (event.type === 'message' ? [new TextDecoder().decode(event.data)] : []));
  }

  /** How the association ended, if it did. */
  get closed(): Extract<AssociationEvent, { type: 'closed' }> | undefined {
    return this.events.find((event) => event.type === 'closed') as Extract<AssociationEvent, { type: 'closed' }> | undefined;
  }
}

export function sacks(chunks: readonly SeenChunk[]): SeenSack[] {
  return chunks.filter((chunk) => chunk.type === chunkType.sack).map((chunk) => parseSack(chunk.bytes));
}

export function types(chunks: readonly SeenChunk[]): number[] {
  return chunks.map((chunk) => chunk.type);
}

/** TSNs of the DATA chunks, relative to the association's initial one. */
export function tsns(peer: RawPeer, chunks: readonly SeenChunk[]): number[] {
  return chunks.filter((c) => c.type === chunkType.data).map((c) => wrap32(readUint32(c.bytes, 4) - peer.peerInitialTsn));
}

/** SHUTDOWN with a cumulative TSN ack. */
export function shutdownChunk(cumulative: number): Uint8Array {
  const value = new Uint8Array(4);
  writeUint32(value, 0, wrap32(cumulative));
  return encodeChunk(chunkType.shutdown, 0, value);
}
