import type { Engine } from '../aead.ts';
import { type CcmParts, copyBytes, fitsInPlace } from '../kernel/kernel-ccm.ts';
import { type CcmCore, streamBlocksOf } from '../kernel/ccm-core.ts';
import { type KernelMemory, kernelsOver } from '../kernel/kernel-memory.ts';
import { recordRoomOf } from '../kernel/memory-layout.ts';
import { readInt32 } from '../kernel/read-int32.ts';
import type { RecordAlgorithm, RecordCipher } from '../record.ts';
import { createAeadRecordCipher } from './aead-record-cipher.ts';
import type { LaneCipher } from './lane-cipher.ts';
import { epochOffset, explicitNonceBytes, headerBytes } from './record-layout.ts';

const payloadOffset: number = headerBytes + explicitNonceBytes;

/** The records of AES-CCM (RFC 6655 section 3) by the kernels, which take them header and all. */
export class CcmRecordCipher implements LaneCipher {
  readonly algorithm: RecordAlgorithm;
  readonly engine: Engine;
  readonly explicitNonceBytes: 8 = explicitNonceBytes;
  readonly tagBytes: 8 | 16;
  readonly #core: CcmCore;
  readonly #shared: KernelMemory;
  readonly #other: RecordCipher;
  readonly #n0: number;

  constructor(algorithm: RecordAlgorithm, parts: CcmParts, salt: Uint8Array) {
    this.algorithm = algorithm;
    this.engine = parts.engine;
    this.tagBytes = parts.core.tagBytes;
    this.#core = parts.core;
    this.#shared = parts.shared;
    this.#other = createAeadRecordCipher(algorithm, parts.other, salt);
    this.#n0 = readInt32(salt, 0);
  }

  sealRecord(data: Uint8Array, start: number, end: number): void {
    const length = this.#payloadBytes(data, start, end);
    if (length < 0 || length > this.#core.plan.maxBytes || this.#core.isDestroyed) this.#other.sealRecord(data, start, end);
    else this.#protect(data, start, length, false);
  }

  openRecord(data: Uint8Array, start: number, end: number): boolean {
    const length = this.#payloadBytes(data, start, end);
    if (length < 0 || length > this.#core.plan.maxBytes || this.#core.isDestroyed)
      return this.#other.openRecord(data, start, end);
    return this.#protect(data, start, length, true);
  }

  prepare(
    kernels: KernelMemory,
    place: number,
    expected: number,
    data: Uint8Array,
    start: number,
    end: number,
    opening: boolean,
  ): boolean {
    const core = this.#core;
    const length = this.#payloadBytes(data, start, end);
    if (length < 0 || length > core.plan.maxLaneBytes[expected]! || core.keyBytes !== 16 || core.isDestroyed) return false;
    // No key of the batch may lose its place to another.
    if (place > 0 && kernels.keys.isFull && !core.key.isIn(kernels.keys)) return false;
    return this.#find(kernels, place, data, start, length, opening);
  }

  stage(kernels: KernelMemory, place: number, opening: boolean): void {
    const { places, lanes } = kernels;
    lanes.stage(
      places.lanes[place]!,
      places.keys[place]!,
      places.records[place]!,
      places.payloadBytes[place]!,
      places.streams[place]!,
      opening,
    );
  }

  finish(kernels: KernelMemory, place: number, data: Uint8Array, start: number, end: number, opening: boolean): boolean {
    const { places, bytes } = kernels;
    const record = places.records[place]!;
    const length = places.payloadBytes[place]!;
    const isInPlace = record === start && data === bytes;
    const isAuthentic = kernels.lanes.finish(places.lanes[place]!);
    if (isAuthentic) {
      if (opening) this.#confirm(bytes, record + headerBytes, length);
      if (!isInPlace) copyBytes(bytes, record + headerBytes, data, start + headerBytes, end - start - headerBytes);
    } else {
      data.fill(0, start + payloadOffset, end);
    }
    if (opening && !isInPlace) bytes.fill(0, record + payloadOffset, record + payloadOffset + length);
    return isAuthentic;
  }

  destroy(): void {
    this.#core.destroy();
    this.#other.destroy();
  }

  /** Negative where it can't be a record. */
  #payloadBytes(data: Uint8Array, start: number, end: number): number {
    return end > data.length || start < 0 ? -1 : end - start - payloadOffset - this.tagBytes;
  }

  #protect(data: Uint8Array, start: number, length: number, opening: boolean): boolean {
    const kernels = kernelsOver(data) ?? this.#shared;
    this.#find(kernels, 0, data, start, length, opening);
    kernels.places.lanes[0] = 0;
    this.stage(kernels, 0, opening);
    this.#core.run(kernels, kernels.places.records[0]! + payloadOffset, length);
    return this.finish(kernels, 0, data, start, start + payloadOffset + length + this.tagBytes, opening);
  }

  /** Finds keystream for a record, and copies it in where it can't be worked on where it stands. */
  #find(kernels: KernelMemory, place: number, data: Uint8Array, start: number, length: number, opening: boolean): boolean {
    const { places } = kernels;
    const nonceAt = start + (opening ? headerBytes : epochOffset);
    const n1 = readInt32(data, nonceAt);
    const n2 = readInt32(data, nonceAt + 4);
    const blocks = streamBlocksOf(length);
    const stream = this.#core.streamFor(kernels, place, this.#n0, n1, n2, blocks);
    if (stream === -1) return false;
    // A sealed record is certain to use its nonce; an opened one only if it turns out authentic.
    if (!opening) this.#core.confirm(this.#n0, n1, n2, blocks);
    let record = start;
    if (data !== kernels.bytes || !fitsInPlace(length, this.tagBytes)) {
      record = recordRoomOf(place, length);
      copyBytes(data, start, kernels.bytes, record, payloadOffset + length + (opening ? this.tagBytes : 0));
    }
    places.keys[place] = this.#core.key.addressIn(kernels.keys);
    places.records[place] = record;
    places.payloadBytes[place] = length;
    places.streams[place] = stream;
    return true;
  }

  #confirm(bytes: Uint8Array, nonceAt: number, length: number): void {
    this.#core.confirm(this.#n0, readInt32(bytes, nonceAt), readInt32(bytes, nonceAt + 4), streamBlocksOf(length));
  }
}
