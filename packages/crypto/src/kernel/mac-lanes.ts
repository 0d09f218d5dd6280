/*
 * The memory of the AES kernel:
 *
 *   0      descriptors of the lanes, 64 bytes each: pointers to key, data and keystream, then the
 *          chain's state, the mask that tells opening from sealing, and the MAC
 *   512    constants
 *   1024   the lanes: key schedule | head | mask and tag | keystream | staging of the payload
 *
 * A lane chains its head, which is B_0 and the additional data (RFC 3610 section 2.2), and then its
 * payload, padded with zeros to whole blocks. The kernel XORs keystream into all that it chains, so
 * that the keystream of heads and padding is zero.
 */
import type { KernelExports } from './instantiate.ts';
import type { KeySchedule, ScheduleHolder } from './key-schedule.ts';

export const maxLanes = 4;
/** B_0 and one block of additional data. */
export const headBytes = 32;
/** The longest payload that a lane takes. */
export const maxLanePayloadBytes = 2048;
/** The most additional data that fits into one block behind its length. */
export const maxLaneAadBytes = 14;

const headBlocks = 2;
const descriptorBytes = 64;
const firstLane = 1024;
const scheduleRoom = 256;
const maskOffset: number = scheduleRoom + headBytes;
const keystreamOffset: number = maskOffset + 32;
const payloadOffset: number = keystreamOffset + maxLanePayloadBytes + 16;
const laneStride: number = payloadOffset + maxLanePayloadBytes + 16;
/** Keystream of a head. */
const zerosAt: number = firstLane + maxLanes * laneStride;

type Mac = (blocks: number) => void;

/** The lanes over one memory: who stages a record runs it before anybody else stages. */
export class MacLanes implements ScheduleHolder {
  readonly bytes: Uint8Array;
  /** The same memory in 64-bit words. */
  readonly words: BigUint64Array;
  readonly #pointers: Int32Array;
  readonly #kernels: readonly Mac[];
  readonly #payloads: Int32Array = new Int32Array(maxLanes);
  readonly #blocks: Int32Array = new Int32Array(maxLanes);
  /** The key that each lane holds: records of one connection often follow each other. */
  readonly #schedules: (KeySchedule | undefined)[] = Array.from({ length: maxLanes }, () => undefined);
  /** Lane of each descriptor while it runs, and where its MAC stands afterwards. */
  readonly #lanes: Int32Array = new Int32Array(maxLanes);

  constructor(buffer: ArrayBuffer, exports: KernelExports) {
    this.bytes = new Uint8Array(buffer);
    this.words = new BigUint64Array(buffer, 0, buffer.byteLength >>> 3);
    this.#pointers = new Int32Array(buffer, 0, (descriptorBytes * maxLanes) >> 2);
    this.#kernels = ['mac1', 'mac2', 'mac3', 'mac4'].map((name) => exports[name] as Mac);
  }

  headOf(lane: number): number {
    return firstLane + lane * laneStride + scheduleRoom;
  }

  /** Where the block that masks a lane's tag is kept. */
  maskOf(lane: number): number {
    return firstLane + lane * laneStride + maskOffset;
  }

  /** Where the tag that a lane is to have is kept. */
  tagOf(lane: number): number {
    return firstLane + lane * laneStride + maskOffset + 16;
  }

  keystreamOf(lane: number): number {
    return firstLane + lane * laneStride + keystreamOffset;
  }

  /** Where the payload of a lane is put that does not stand in this memory. */
  stagingOf(lane: number): number {
    return firstLane + lane * laneStride + payloadOffset;
  }

  /** Readies a lane whose head and keystream are in place; its payload of `blocks` blocks stands at `payloadAt`. */
  begin(lane: number, schedule: KeySchedule, payloadAt: number, blocks: number, opening: boolean): void {
    const key = firstLane + lane * laneStride;
    if (this.#schedules[lane] !== schedule) {
      this.bytes.set(schedule.bytes, key);
      this.#schedules[lane] = schedule;
      schedule.addHolder(this);
    }
    const descriptor = descriptorBytes * lane;
    const pointers = this.#pointers;
    pointers[descriptor >> 2] = key;
    pointers[(descriptor >> 2) + 1] = this.headOf(lane);
    pointers[(descriptor >> 2) + 2] = zerosAt;
    // The chain begins with zeros; the kernel keeps the first round key added to it.
    const { words } = this;
    words[(descriptor >> 3) + 2] = words[key >> 3]!;
    words[(descriptor >> 3) + 3] = words[(key >> 3) + 1]!;
    const mask = opening ? -1 : 0;
    for (let i = 8; i < 12; i++) pointers[(descriptor >> 2) + i] = mask;
    this.#payloads[lane] = payloadAt;
    this.#blocks[lane] = blocks;
  }

  /** Runs lanes 0 to `count - 1`, which may differ in length: lanes that are done make room. */
  run(count: number): void {
    const blocks = this.#blocks;
    const lanes = this.#lanes;
    const pointers = this.#pointers;
    this.#kernels[count - 1]!(headBlocks);
    for (let lane = 0; lane < count; lane++) {
      lanes[lane] = lane;
      pointers[((descriptorBytes * lane) >> 2) + 1] = this.#payloads[lane]!;
      pointers[((descriptorBytes * lane) >> 2) + 2] = this.keystreamOf(lane);
    }
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
  forget(schedule: KeySchedule): void {
    for (let lane = 0; lane < maxLanes; lane++) {
      if (this.#schedules[lane] !== schedule) continue;
      this.#schedules[lane] = undefined;
      this.bytes.fill(0, firstLane + lane * laneStride, firstLane + (lane + 1) * laneStride);
    }
    this.bytes.fill(0, 0, descriptorBytes * maxLanes);
  }

  #swap(a: number, b: number): void {
    const { bytes } = this;
    for (let i = 0; i < descriptorBytes; i++) {
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
