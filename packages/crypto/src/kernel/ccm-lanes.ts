import type { KernelExports } from './instantiate.ts';
import { laneDescriptorBytes, maxLanes } from './memory-layout.ts';

const headOffset = 96;
const payloadOffset = 12;
const macOffset = 48;
const lengthOffset = 80;
const streamOffset = 84;
const headBlocks = 2;

type Blocks = (blocks: number) => void;

/**
 * The kernels of kernels/ccm-kernel.mjs over one memory. Who stages a record runs and finishes it
 * before anybody else stages. In a batch the longest records stand in the first lanes.
 */
export class CcmLanes {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #macs: readonly Blocks[];
  readonly #longMac: Blocks;
  readonly #stage: (lane: number, key: number, record: number, length: number, stream: number, opening: number) => void;
  readonly #begin: (lane: number, key: number, at: number, length: number, stream: number, opening: number) => void;
  readonly #finish: (lane: number) => number;
  readonly #frame: (lane: number, chain: number) => void;
  readonly #unframe: (lane: number) => void;
  readonly #ecb: readonly ((key: number, at: number, groups: number) => void)[];
  /** Writes the counter blocks of ascending nonces, `blocks` each. */
  readonly counters: (to: number, n0: number, n1: number, n2: number, blocks: number, records: number) => void;

  constructor(bytes: Uint8Array, exports: KernelExports) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, 0, (laneDescriptorBytes * maxLanes) >> 2);
    const get = <F>(name: string): F => exports[name] as F;
    this.#macs = ['mac1', 'mac2', 'mac3', 'mac4'].map((name) => get<Blocks>(name));
    this.#longMac = get('mac1L');
    this.#stage = get('stage');
    this.#begin = get('begin');
    this.#finish = get('finish');
    this.#frame = get('frame');
    this.#unframe = get('unframe');
    this.#ecb = [get('ecb'), get('ecbL')];
    this.counters = get('counters');
  }

  /** Encrypts blocks in place, and up to three behind them. */
  encryptBlocks(keyBytes: 16 | 32, key: number, at: number, blocks: number): void {
    this.#ecb[keyBytes === 16 ? 0 : 1]!(key, at, (blocks + 3) >>> 2);
  }

  /** Takes a record in, header and all, with `length` bytes of payload. Overwrites its tag. */
  stage(lane: number, key: number, record: number, length: number, stream: number, opening: boolean): void {
    this.#stage(laneDescriptorBytes * lane, key, record, length, stream, opening ? 1 : 0);
  }

  /** Where B_0 and one block of additional data are written before `begin`. */
  headOf(lane: number): number {
    return laneDescriptorBytes * lane + headOffset;
  }

  /** The same for a payload whose head is written. */
  begin(lane: number, key: number, at: number, length: number, stream: number, opening: boolean): void {
    this.#begin(laneDescriptorBytes * lane, key, at, length, stream, opening ? 1 : 0);
  }

  /** Runs lanes 0 to `count - 1`, keys of 16 bytes. Lanes that are done make room. */
  run(count: number): void {
    this.#macs[count - 1]!(headBlocks);
    for (let lane = 0; lane < count; lane++) this.#turnToPayload(lane);
    let done = 0;
    for (let active = count; active > 0; ) {
      const until = this.#blocksOf(active - 1);
      if (until > done) this.#macs[active - 1]!(until - done);
      done = until;
      active--;
      while (active > 0 && this.#blocksOf(active - 1) === done) active--;
    }
  }

  /** Runs lane 0 with a key of 32 bytes. */
  runLong(): void {
    this.#longMac(headBlocks);
    this.#turnToPayload(0);
    const blocks = this.#blocksOf(0);
    if (blocks > 0) this.#longMac(blocks);
  }

  /** Chains `blocks` more blocks at `at` into lane 0, XORing `stream` into them. */
  chain(keyBytes: 16 | 32, at: number, stream: number, blocks: number): void {
    this.#words[1] = at;
    this.#words[2] = stream;
    if (keyBytes === 16) this.#macs[0]!(blocks);
    else this.#longMac(blocks);
  }

  /** Puts head, plaintext and padding of lane 0 in one run, from 32 bytes before the payload on, its first block XORed with `chain`. */
  frame(chain: Uint8Array): void {
    for (let i = 0; i < 16; i++) this.#bytes[macOffset + i] = chain[i]!;
    this.#frame(0, macOffset);
  }

  /** Takes the MAC of what was framed and lays all back. */
  unframe(mac: Uint8Array): void {
    for (let i = 0; i < 16; i++) this.#bytes[macOffset + i] = mac[i]!;
    this.#unframe(0);
  }

  macOf(lane: number): number {
    return laneDescriptorBytes * lane + macOffset;
  }

  /** Writes the tag, or compares it: false where it is wrong. */
  finish(lane: number): boolean {
    return this.#finish(laneDescriptorBytes * lane) === 1;
  }

  #blocksOf(lane: number): number {
    return (this.#words[(laneDescriptorBytes * lane + lengthOffset) >> 2]! + 15) >>> 4;
  }

  #turnToPayload(lane: number): void {
    const words = this.#words;
    const at = (laneDescriptorBytes * lane) >> 2;
    words[at + 1] = words[at + (payloadOffset >> 2)]!;
    words[at + 2] = words[at + (streamOffset >> 2)]! + 16;
  }
}
