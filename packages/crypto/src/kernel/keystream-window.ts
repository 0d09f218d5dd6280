/*
 * The counter blocks of CCM with nonces of 12 bytes (RFC 3610 section 2.3):
 *
 *    0       1                     13         16
 *   +-------+----------------------+----------+
 *   | L - 1 | nonce                | counter  |    L = 3
 *   +-------+----------------------+----------+
 *
 * Encrypted, block 0 masks the tag and block i the payload's block i - 1.
 */
import type { KernelMemory } from './kernel-memory.ts';
import { maxPieceBytes, orderOf, type PoolUser } from './keystream-pool.ts';

/** More records ahead save little: at 8 the native call costs a record 0.1 us, at 32 a quarter of it. */
const maxRecords = 32;

/** From so many records on, their sizes are taken for typical. */
const minSample = 4;

/** Encrypts the counter blocks that stand in a memory. */
export type EncryptCounters = (kernels: KernelMemory, at: number, blocks: number) => void;

/**
 * Keystream for one key, made ahead: records have ascending nonces, so one native call makes the
 * keystream of the next ones. The window follows the nonces that `confirm` was told, on the opening
 * side those of authentic records alone; a nonce outside of it (a forgery, a latecomer, a peer with
 * random nonces) moves nothing. It holds a piece of the memory's pool, and gives it back when idle.
 *
 * Nonces are three big-endian 32-bit words, signed, as those are small integers to V8.
 */
export class KeystreamWindow implements PoolUser {
  readonly #encrypt: EncryptCounters;
  #kernels: KernelMemory | undefined;
  #at = 0;
  /** Of the piece; 0 where none is held. */
  #order = 0;
  #wasUsed = false;

  /** The first nonce of the window, how many it has and how many blocks each. */
  #base0 = 0;
  #base1 = 0;
  #base2 = 0;
  #records = 0;
  #blocks = 0;

  /** The nonce after the highest that was confirmed. */
  #expecting = false;
  #next0 = 0;
  #next1 = 0;
  #next2 = 0;

  /** How many records the next window is made for. */
  #aim = 1;
  /** What was confirmed since the window was made. */
  #confirmed = 0;
  #confirmedBlocks = 0;
  #largest = 0;

  constructor(encrypt: EncryptCounters) {
    this.#encrypt = encrypt;
  }

  /** Where `blocks` blocks of keystream for a nonce stand, or -1 where the window has none. */
  find(kernels: KernelMemory, n0: number, n1: number, n2: number, blocks: number): number {
    const place = (n2 - this.#base2) >>> 0;
    if (place >= this.#records || n1 !== this.#base1 || n0 !== this.#base0 || blocks > this.#blocks) return -1;
    if (kernels !== this.#kernels) return -1;
    return this.#at + 16 * place * this.#blocks;
  }

  /** Whether the nonce is one of the next that are expected, and not in the window. */
  isNext(kernels: KernelMemory, n0: number, n1: number, n2: number): boolean {
    if (!this.#expecting || (n2 - this.#next2) >>> 0 >= this.#aim || n1 !== this.#next1 || n0 !== this.#next0) return false;
    const isInside = (n2 - this.#base2) >>> 0 < this.#records && n1 === this.#base1 && n0 === this.#base0;
    return !isInside || kernels !== this.#kernels;
  }

  /**
   * Makes a new window for a nonce of which `isNext` holds, and returns what `find` does; -1 where
   * none is made. What `find` has returned before is no longer valid.
   */
  advance(kernels: KernelMemory, n0: number, n1: number, n2: number, blocks: number): number {
    const place = (n2 - this.#next2) >>> 0;
    const typical = this.#typicalBlocks();
    // One long record among short ones is no reason to make all keystream that long.
    if (blocks > typical && this.#confirmed >= minSample) return -1;
    const per = Math.max(blocks, typical);
    const aim = this.#nextAim();
    // Within a window only the last byte of the nonce changes.
    const records = Math.min(aim, 256 - (this.#next2 & 255), Math.floor(maxPieceBytes / (16 * per)));
    if (place >= records || !this.#reserve(kernels, 16 * per * records)) return -1;
    kernels.lanes.counters(this.#at, n0, n1, this.#next2, per, records);
    this.#encrypt(kernels, this.#at, per * records);
    this.#base0 = n0;
    this.#base1 = n1;
    this.#base2 = this.#next2;
    this.#records = records;
    this.#blocks = per;
    this.#aim = aim;
    this.#confirmed = 0;
    this.#confirmedBlocks = 0;
    this.#largest = 0;
    return this.#at + 16 * place * per;
  }

  /** Tells that the record with this nonce was sealed, or opened and found authentic. */
  confirm(n0: number, n1: number, n2: number, blocks: number): void {
    this.#wasUsed = true;
    this.#confirmed++;
    this.#confirmedBlocks += blocks;
    if (blocks > this.#largest) this.#largest = blocks;
    // A latecomer does not take the window back.
    if (this.#expecting && ((n2 - this.#next2) | 0) < 0 && n1 === this.#next1 && n0 === this.#next0) return;
    this.#expecting = true;
    this.#next0 = n0;
    this.#next2 = (n2 + 1) | 0;
    this.#next1 = this.#next2 === 0 ? (n1 + 1) | 0 : n1;
  }

  releaseIdle(): void {
    if (!this.#wasUsed) this.release();
    this.#wasUsed = false;
  }

  /** Zeroes the keystream and gives its memory back. The next windows grow from one record on. */
  release(): void {
    if (this.#order > 0) this.#kernels!.pool.give(this.#at, this.#order, this);
    this.#order = 0;
    this.#records = 0;
    this.#aim = 1;
  }

  /** Makes the piece that is held large enough. */
  #reserve(kernels: KernelMemory, bytes: number): boolean {
    const order = orderOf(bytes);
    if (order === this.#order && kernels === this.#kernels) return true;
    const aim = this.#aim;
    this.release();
    this.#aim = aim;
    const at = kernels.pool.take(order, this);
    if (at === -1) return false;
    this.#kernels = kernels;
    this.#at = at;
    this.#order = order;
    this.#wasUsed = true;
    return true;
  }

  /** Twice as many records where most of the last window was used, half where little was. */
  #nextAim(): number {
    if (2 * this.#confirmed >= this.#records) return Math.min(2 * this.#aim, maxRecords);
    return 4 * this.#confirmed >= this.#records ? this.#aim : Math.max(1, this.#aim >>> 1);
  }

  /**
   * The size that pays for records like the last ones: the largest, unless most were far shorter.
   * Making a block in vain costs a tenth of a single call for a record that is too long.
   */
  #typicalBlocks(): number {
    if (this.#confirmed === 0) return 0;
    const average = Math.ceil(this.#confirmedBlocks / this.#confirmed);
    return this.#largest <= 4 * average ? this.#largest : 2 * average;
  }
}
