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
import { createCipheriv, type Cipher } from 'node:crypto';
import { BlockScratch } from './block-scratch.ts';
import { Keystream } from './keystream.ts';

/** More records ahead save little: at 8 the native call costs a record 0.1 us, at 32 a quarter of it. */
const maxRecords = 32;

/** Bounds what a window holds for one key: 40 KiB, which is 32 full datagrams. */
const maxBlocks = 2560;

/** From so many records on, their sizes are taken for typical. */
const minSample = 4;

const counterScratch: BlockScratch = new BlockScratch();

/**
 * Keystream for one key, made ahead: records have ascending nonces, so one native call makes the
 * keystream of the next ones. The window follows the nonces that `confirm` was told, on the opening
 * side those of authentic records alone; a nonce outside of it (a forgery, a latecomer, a peer with
 * random nonces) gets keystream of its own and moves nothing.
 */
export class KeystreamWindow {
  readonly #cipher: Cipher;
  readonly #ahead: Keystream = new Keystream();
  readonly #single: Keystream = new Keystream();
  /** Where the keystream of the nonce that was looked up last begins, in bytes. */
  offset = 0;
  /** Blocks of keystream made so far: the window's cost. */
  madeBlocks = 0;

  // Nonces are kept as three big-endian 32-bit words, signed as those are small integers to V8.
  /** The nonce that was looked up last. */
  #found0 = 0;
  #found1 = 0;
  #found2 = 0;

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

  /** @param name the ECB cipher's name at node:crypto. */
  constructor(name: string, key: Uint8Array) {
    this.#cipher = createCipheriv(name, key, null);
    this.#cipher.setAutoPadding(false);
  }

  /**
   * Keystream for a nonce: `blocks` blocks from `offset` on. It is valid until the next call.
   */
  find(nonce: Uint8Array, blocks: number): Keystream {
    const n0 = readInt32(nonce, 0);
    const n1 = readInt32(nonce, 4);
    const n2 = readInt32(nonce, 8);
    this.#found0 = n0;
    this.#found1 = n1;
    this.#found2 = n2;
    let at = (n2 - this.#base2) >>> 0;
    if (at < this.#records && n1 === this.#base1 && n0 === this.#base0) {
      if (blocks > this.#blocks) return this.#makeSingle(nonce, blocks);
    } else {
      at = (n2 - this.#next2) >>> 0;
      if (!this.#expecting || at >= this.#aim || n1 !== this.#next1 || n0 !== this.#next0) return this.#makeSingle(nonce, blocks);
      if (!this.#makeAhead(nonce, at, blocks)) return this.#makeSingle(nonce, blocks);
    }
    this.offset = 16 * at * this.#blocks;
    return this.#ahead;
  }

  /** Tells that the record whose nonce was looked up last was sealed, or opened and found authentic. */
  confirm(blocks: number): void {
    this.#confirmed++;
    this.#confirmedBlocks += blocks;
    if (blocks > this.#largest) this.#largest = blocks;
    const n0 = this.#found0;
    const n1 = this.#found1;
    const n2 = this.#found2;
    // A latecomer does not take the window back.
    if (this.#expecting && ((n2 - this.#next2) | 0) < 0 && n1 === this.#next1 && n0 === this.#next0) return;
    this.#expecting = true;
    this.#next0 = n0;
    this.#next2 = (n2 + 1) | 0;
    this.#next1 = this.#next2 === 0 ? (n1 + 1) | 0 : n1;
  }

  /** The same for a record that other look-ups followed: its nonce stands at `data[at]`. */
  confirmNonce(data: Uint8Array, at: number, blocks: number): void {
    this.#found0 = readInt32(data, at);
    this.#found1 = readInt32(data, at + 4);
    this.#found2 = readInt32(data, at + 8);
    this.confirm(blocks);
  }

  /** Zeroes the keystream and frees the native context, which clears its key schedule. */
  destroy(): void {
    this.#cipher.final();
    this.#ahead.wipe();
    this.#single.wipe();
    this.#records = 0;
    this.#expecting = false;
  }

  /** Keystream for one nonce that nothing is known about. */
  #makeSingle(nonce: Uint8Array, blocks: number): Keystream {
    counterScratch.reserve(blocks);
    writeRun(nonce, blocks);
    this.madeBlocks += blocks;
    this.#single.replace(this.#cipher.update(counterScratch.view(blocks)));
    this.offset = 0;
    return this.#single;
  }

  /**
   * Makes a new window that begins at the expected nonce; `nonce` is the one `at` places later.
   * False where it does not reach that far, or is not made for records that long.
   */
  #makeAhead(nonce: Uint8Array, at: number, blocks: number): boolean {
    const typical = this.#typicalBlocks();
    // One long record among short ones is no reason to make all keystream that long.
    if (blocks > typical && this.#confirmed >= minSample) return false;
    const per = Math.max(blocks, typical);
    // Within a window only the last byte of the nonce changes.
    const records = Math.min(this.#nextAim(), 256 - (this.#next2 & 255), Math.max(1, Math.floor(maxBlocks / per)));
    if (at >= records) return false;
    counterScratch.reserve(records * per);
    writeRun(nonce, per);
    const { bytes } = counterScratch;
    const run = 16 * per;
    for (let done = 1; done < records; done *= 2) bytes.copyWithin(done * run, 0, run * Math.min(done, records - done));
    const first = this.#next2 & 255;
    for (let record = 0, i = 12; record < records; record++) {
      for (const end = i + run; i < end; i += 16) bytes[i] = first + record;
    }
    this.madeBlocks += records * per;
    this.#ahead.replace(this.#cipher.update(counterScratch.view(records * per)));
    this.#base0 = this.#next0;
    this.#base1 = this.#next1;
    this.#base2 = this.#next2;
    this.#records = records;
    this.#blocks = per;
    this.#aim = this.#nextAim();
    this.#confirmed = 0;
    this.#confirmedBlocks = 0;
    this.#largest = 0;
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

/** Writes the counter blocks of one nonce to the start of the scratch. */
function writeRun(nonce: Uint8Array, blocks: number): void {
  const { bytes } = counterScratch;
  bytes[0] = 2;
  for (let i = 0; i < 12; i++) bytes[1 + i] = nonce[i]!;
  bytes[13] = 0;
  bytes[14] = 0;
  bytes[15] = 0;
  for (let done = 1; done < blocks; done *= 2) bytes.copyWithin(16 * done, 0, 16 * Math.min(done, blocks - done));
  for (let block = 1; block < blocks; block++) {
    bytes[16 * block + 14] = block >>> 8;
    bytes[16 * block + 15] = block;
  }
}

function readInt32(data: Uint8Array, at: number): number {
  return (data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!;
}
