import type { Aead } from '../../aead.ts';
import { type KernelMemory, kernelsOver } from '../../kernel/kernel-memory.ts';
import { KeySchedule } from '../../kernel/key-schedule.ts';
import { headBytes, type MacLanes, maxLaneAadBytes } from '../../kernel/mac-lanes.ts';
import { ccmNonce, checkAlive, checkOpen, checkSeal } from '../../options.ts';
import type { BatchAead } from '../../record/batch-aead.ts';
import type { ContextCcm } from './context-ccm.ts';
import { wordsOf } from './xor-payload.ts';

const nonceBytes = 12;

/**
 * The longest payload that goes to the kernel, by the number of records in the batch; longer ones go
 * to the native contexts. Set by `npm run bench:ccm -- --engines node,auto,auto:batch`; see docs/decisions/0004.
 */
const maxBytesByLanes: readonly number[] = [0, 144, 256, 448, 640];

/** Byte by byte below, by a view above. */
const bytewiseBelow = 96;

/**
 * AES-CCM with the MAC in WASM lanes over keystream that is made natively ahead, and longer records
 * by the native contexts.
 */
export class LaneCcm implements BatchAead {
  readonly engine = 'auto';
  readonly keyBytes = 16;
  readonly tagBytes: 8 | 16;
  readonly #shared: KernelMemory;
  readonly #context: ContextCcm;
  readonly #schedule: KeySchedule;
  #destroyed = false;

  /** @param shared for records that do not stand in a record arena. */
  constructor(tagBytes: 8 | 16, key: Uint8Array, shared: KernelMemory, context: ContextCcm) {
    this.tagBytes = tagBytes;
    this.#shared = shared;
    this.#context = context;
    this.#schedule = new KeySchedule(key);
  }

  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void {
    checkAlive(this.#destroyed);
    checkSeal(nonce, ccmNonce, aad, data, start, end, this.tagBytes);
    if (!this.#fits(1, nonce, aad, end - start)) {
      this.#context.seal(nonce, aad, data, start, end);
      return;
    }
    const { lanes } = kernelsOver(data) ?? this.#shared;
    this.#put(lanes, 0, nonce, aad, data, start, end - start, false);
    lanes.run(1);
    this.#take(lanes, 0, data, start, end, false);
  }

  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
    checkAlive(this.#destroyed);
    if (!checkOpen(nonce, ccmNonce, aad, data, start, end, this.tagBytes)) return false;
    const length = end - start - this.tagBytes;
    if (!this.#fits(1, nonce, aad, length)) return this.#context.open(nonce, aad, data, start, end);
    const { lanes } = kernelsOver(data) ?? this.#shared;
    this.#put(lanes, 0, nonce, aad, data, start, length, true);
    lanes.run(1);
    return this.#take(lanes, 0, data, start, end, true);
  }

  stage(
    kernels: KernelMemory,
    lane: number,
    expected: number,
    nonce: Uint8Array,
    aad: Uint8Array,
    data: Uint8Array,
    start: number,
    end: number,
    opening: boolean,
  ): boolean {
    const length = opening ? end - start - this.tagBytes : end - start;
    if (this.#destroyed || length < 0 || !this.#fits(expected, nonce, aad, length)) return false;
    if (start + length + this.tagBytes > data.length) return false;
    this.#put(kernels.lanes, lane, nonce, aad, data, start, length, opening);
    return true;
  }

  finish(kernels: KernelMemory, lane: number, data: Uint8Array, start: number, end: number, opening: boolean): boolean {
    return this.#take(kernels.lanes, lane, data, start, end, opening);
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#schedule.destroy();
    this.#context.destroy();
  }

  #fits(lanes: number, nonce: Uint8Array, aad: Uint8Array, length: number): boolean {
    return length <= maxBytesByLanes[lanes]! && nonce.length === nonceBytes && aad.length > 0 && aad.length <= maxLaneAadBytes;
  }

  /** Whether the kernel may pad the payload where it stands: that overwrites its tag, and nothing behind. */
  #isInPlace(lanes: MacLanes, data: Uint8Array, length: number): boolean {
    return kernelsOver(data)?.lanes === lanes && (-length & 15) <= this.tagBytes;
  }

  /** Writes B_0, the additional data, the payload and the keystream of a record into a lane (RFC 3610 section 2.2). */
  #put(
    lanes: MacLanes,
    lane: number,
    nonce: Uint8Array,
    aad: Uint8Array,
    data: Uint8Array,
    start: number,
    length: number,
    opening: boolean,
  ): void {
    const { bytes } = lanes;
    const { tagBytes } = this;
    const blocks = (length + 15) >>> 4;
    const window = this.#context.keystream;
    const stream = window.find(nonce, 1 + blocks);
    const head = lanes.headOf(lane);
    bytes[head] = 0x40 | ((tagBytes - 2) << 2) | 2;
    for (let i = 0; i < nonceBytes; i++) bytes[head + 1 + i] = nonce[i]!;
    bytes[head + 13] = 0;
    bytes[head + 14] = length >>> 8;
    bytes[head + 15] = length;
    const aadBytes = aad.length;
    bytes[head + 16] = 0;
    bytes[head + 17] = aadBytes;
    for (let i = 0; i < aadBytes; i++) bytes[head + 18 + i] = aad[i]!;
    for (let i = 18 + aadBytes; i < headBytes; i++) bytes[head + i] = 0;
    if (opening) {
      const tag = lanes.tagOf(lane);
      for (let i = 0; i < tagBytes; i++) bytes[tag + i] = data[start + length + i]!;
    }
    let payload = start;
    if (!this.#isInPlace(lanes, data, length)) {
      payload = lanes.stagingOf(lane);
      copyIn(data, start, lanes, payload, length);
    }
    const keystream = lanes.keystreamOf(lane);
    const { words } = lanes;
    const streamWords = stream.words;
    let from = window.offset >> 3;
    const mask = lanes.maskOf(lane) >> 3;
    words[mask] = streamWords[from]!;
    words[mask + 1] = streamWords[from + 1]!;
    from += 2;
    for (let i = 0, to = keystream >> 3; i < 2 * blocks; i++) words[to + i] = streamWords[from + i]!;
    for (let i = length; (i & 15) !== 0; i++) {
      bytes[payload + i] = 0;
      bytes[keystream + i] = 0;
    }
    // A sealed record is certain to use its nonce; an opened one only if it turns out authentic.
    if (!opening) window.confirm(1 + blocks);
    lanes.begin(lane, this.#schedule, payload, blocks, opening);
  }

  /** What `seal` and `open` leave and return, of a record that ran in a lane. */
  #take(lanes: MacLanes, lane: number, data: Uint8Array, start: number, end: number, opening: boolean): boolean {
    const { bytes } = lanes;
    const { tagBytes } = this;
    const mac = lanes.macOf(lane);
    const mask = lanes.maskOf(lane);
    const payloadEnd = opening ? end - tagBytes : end;
    const length = payloadEnd - start;
    const isStaged = !this.#isInPlace(lanes, data, length);
    const payload = lanes.stagingOf(lane);
    if (opening) {
      const tag = lanes.tagOf(lane);
      let difference = 0;
      for (let i = 0; i < tagBytes; i++) difference |= bytes[tag + i]! ^ bytes[mac + i]! ^ bytes[mask + i]!;
      if (difference !== 0) {
        if (isStaged) bytes.fill(0, payload, payload + length);
        data.fill(0, start, end);
        return false;
      }
      // B_0 still holds the nonce; only authentic records move the window.
      this.#context.keystream.confirmNonce(bytes, lanes.headOf(lane) + 1, 1 + ((length + 15) >>> 4));
      // In place, padding stood where the tag was.
      if (!isStaged) for (let i = 0; i < (-length & 15); i++) data[payloadEnd + i] = bytes[tag + i]!;
    } else {
      for (let i = 0; i < tagBytes; i++) data[payloadEnd + i] = bytes[mac + i]! ^ bytes[mask + i]!;
    }
    if (isStaged) copyOut(lanes, payload, data, start, length);
    return true;
  }
}

/** Into a lane: in words where the payload is aligned, as it is in an arena. `to` is a multiple of 8. */
function copyIn(data: Uint8Array, at: number, lanes: MacLanes, to: number, length: number): void {
  const { bytes } = lanes;
  let done = 0;
  if (((data.byteOffset + at) & 7) === 0) {
    done = length & ~7;
    const first = (data.byteOffset + at) >>> 3;
    const from = wordsOf(data.buffer, first + (done >>> 3));
    copyWords(from, first, lanes.words, to >>> 3, done >>> 3);
  } else if (length >= bytewiseBelow) {
    bytes.set(data.subarray(at, at + length), to);
    return;
  }
  for (let i = done; i < length; i++) bytes[to + i] = data[at + i]!;
}

/** The way back. */
function copyOut(lanes: MacLanes, from: number, data: Uint8Array, at: number, length: number): void {
  const { bytes } = lanes;
  let done = 0;
  if (((data.byteOffset + at) & 7) === 0) {
    done = length & ~7;
    const first = (data.byteOffset + at) >>> 3;
    const to = wordsOf(data.buffer, first + (done >>> 3));
    copyWords(lanes.words, from >>> 3, to, first, done >>> 3);
  } else if (length >= bytewiseBelow) {
    data.set(bytes.subarray(from, from + length), at);
    return;
  }
  for (let i = done; i < length; i++) data[at + i] = bytes[from + i]!;
}

function copyWords(from: BigUint64Array, at: number, to: BigUint64Array, toAt: number, count: number): void {
  for (let i = 0; i < count; i++) to[toAt + i] = from[at + i]!;
}

/** The fastest CCM of this platform for a key. */
export function chooseCcm(tagBytes: 8 | 16, key: Uint8Array, shared: KernelMemory | undefined, context: ContextCcm): Aead {
  return shared === undefined || key.length !== 16 ? context : new LaneCcm(tagBytes, key, shared, context);
}
