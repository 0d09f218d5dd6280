/*
 * The memory of the AES kernel:
 *
 *   0      descriptors of the lanes, 64 bytes each: pointers to key, data and keystream, then the
 *          chain's state, the mask that tells opening from sealing, and the MAC
 *   512    constants
 *   1024   staging of the lanes: key schedule | data | keystream
 *
 * A lane's data is B_0, the additional data and the payload, padded with zeros to whole blocks; its
 * keystream is zero under the first two and under the padding. So the kernel needs no special case:
 * it XORs all of it and chains the plaintext.
 */
import { aesModuleBase64 } from './aes-module.gen.ts';
import { instantiate } from './instantiate.ts';

export const maxLanes = 4;
/** B_0 and one block of additional data (RFC 3610 section 2.2). */
export const headBytes = 32;
/** The longest payload that a lane takes. */
export const maxLanePayloadBytes = 2048;
/** The most additional data that fits into one block behind its length. */
export const maxLaneAadBytes = 14;

const descriptorBytes = 64;
const scheduleRoom = 256;
const firstLane = 1024;
const regionBytes = headBytes + maxLanePayloadBytes + 16;
const laneStride = scheduleRoom + 2 * regionBytes + 16;

type Mac = (blocks: number) => void;

/** The lanes of a thread: who stages a record runs it before anybody else stages. */
export class MacLanes {
  readonly bytes: Uint8Array;
  /** The same memory in 64-bit words. */
  readonly words: BigUint64Array;
  readonly #pointers: Int32Array;
  readonly #kernels: readonly Mac[];
  readonly #long: Mac;
  readonly #blocks: Int32Array = new Int32Array(maxLanes);
  /** The key that each lane holds: records of one connection often follow each other. */
  readonly #schedules: (Uint8Array | undefined)[] = Array.from({ length: maxLanes }, () => undefined);
  /** Lane of each descriptor while it runs, and where its MAC stands afterwards. */
  readonly #lanes: Int32Array = new Int32Array(maxLanes);

  constructor(exports: Readonly<Record<string, unknown>>) {
    const { buffer } = exports['memory'] as { buffer: ArrayBuffer };
    this.bytes = new Uint8Array(buffer);
    this.words = new BigUint64Array(buffer);
    this.#pointers = new Int32Array(buffer);
    this.#kernels = ['mac1', 'mac2', 'mac3', 'mac4'].map((name) => exports[name] as Mac);
    this.#long = exports['mac1L'] as Mac;
  }

  /** Where the data of a lane begins; its payload comes `headBytes` later. */
  dataOf(lane: number): number {
    return firstLane + lane * laneStride + scheduleRoom;
  }

  /** Where the keystream of a lane begins, its first `headBytes` always zero. */
  keystreamOf(lane: number): number {
    return firstLane + lane * laneStride + scheduleRoom + regionBytes;
  }

  /** Where the block that masks a lane's tag is kept. */
  maskOf(lane: number): number {
    return firstLane + (lane + 1) * laneStride - 16;
  }

  /** Puts a lane's key in place. `blocks` counts head and payload. */
  begin(lane: number, schedule: Uint8Array, blocks: number, opening: boolean): void {
    const { bytes } = this;
    const key = firstLane + lane * laneStride;
    if (this.#schedules[lane] !== schedule) {
      bytes.set(schedule, key);
      this.#schedules[lane] = schedule;
    }
    const descriptor = descriptorBytes * lane;
    const pointers = this.#pointers;
    pointers[descriptor >> 2] = key;
    pointers[(descriptor >> 2) + 1] = this.dataOf(lane);
    pointers[(descriptor >> 2) + 2] = this.keystreamOf(lane);
    // The chain begins with zeros; the kernel keeps the first round key added to it.
    const { words } = this;
    words[(descriptor >> 3) + 2] = words[key >> 3]!;
    words[(descriptor >> 3) + 3] = words[(key >> 3) + 1]!;
    const mask = opening ? -1 : 0;
    for (let i = 8; i < 12; i++) pointers[(descriptor >> 2) + i] = mask;
    this.#blocks[lane] = blocks;
  }

  /** Runs one lane with a key of AES-256. */
  runLong(): void {
    this.#long(this.#blocks[0]!);
    this.#lanes[0] = 0;
  }

  /** Runs lanes 0 to `count - 1`, which may differ in length: lanes that are done make room. */
  run(count: number): void {
    const blocks = this.#blocks;
    const lanes = this.#lanes;
    for (let i = 0; i < count; i++) lanes[i] = i;
    // The longest first, so that those which are done stand at the end.
    for (let i = 1; i < count; i++) {
      for (let k = i; k > 0 && blocks[k]! > blocks[k - 1]!; k--) this.#swap(k, k - 1);
    }
    let done = 0;
    for (let active = count; active > 0; ) {
      const until = blocks[active - 1]!;
      if (until > done) this.#kernels[active - 1]!(until - done);
      done = until;
      active--;
      while (active > 0 && blocks[active - 1] === done) active--;
    }
  }

  /** Where the MAC of a lane stands. */
  macOf(lane: number): number {
    const lanes = this.#lanes;
    let place = 0;
    while (lanes[place] !== lane) place++;
    return descriptorBytes * place + 48;
  }

  /** Zeroes a key, and what the lanes that hold it have worked on. */
  forget(schedule: Uint8Array): void {
    for (let lane = 0; lane < maxLanes; lane++) {
      if (this.#schedules[lane] !== schedule) continue;
      this.#schedules[lane] = undefined;
      this.bytes.fill(0, firstLane + lane * laneStride, firstLane + (lane + 1) * laneStride);
    }
    this.bytes.fill(0, 0, descriptorBytes * maxLanes);
    schedule.fill(0);
  }

  #swap(a: number, b: number): void {
    const { bytes } = this;
    for (let i = 0; i < 48; i++) {
      const byte = bytes[descriptorBytes * a + i]!;
      bytes[descriptorBytes * a + i] = bytes[descriptorBytes * b + i]!;
      bytes[descriptorBytes * b + i] = byte;
    }
    const blocks = this.#blocks[a]!;
    this.#blocks[a] = this.#blocks[b]!;
    this.#blocks[b] = blocks;
    const lane = this.#lanes[a]!;
    this.#lanes[a] = this.#lanes[b]!;
    this.#lanes[b] = lane;
  }
}

let shared: MacLanes | undefined;
let tried = false;

/** The lanes of this thread, or undefined where there is no WASM SIMD. Instantiated at first use. */
export function sharedMacLanes(): MacLanes | undefined {
  if (!tried) {
    tried = true;
    const instance = instantiate(aesModuleBase64);
    if (instance !== undefined) shared = new MacLanes(instance.exports);
  }
  return shared;
}
