import type { RecordAlgorithm } from '@millrace/crypto';
import type { KeyUsage } from '../types.ts';
import { aesBlockBytes, keyLimits } from './key-limits.ts';

/** The share of its limit at which a key's owner is told. */
const nearShare = 0.9;

/** Counts what the keys of an association have been used for (RFC 9147 section 4.5.3). */
export class KeyUsageCounter implements KeyUsage {
  readonly sealLimitBlocks: number;
  readonly failedOpensLimit: number;
  sealedBlocks: number;
  recordsBeyondLimit = 0;
  failedOpens = 0;
  readonly #blocksPerRecord: number;
  readonly #passes: number;
  /** The count of blocks at which there is something to tell. */
  #nextLevelBlocks: number;
  #level: 'near' | 'reached' | undefined;

  /** @param sealedBlocks what the sealing key has been used for before. */
  constructor(algorithm: RecordAlgorithm, sealedBlocks = 0) {
    const { sealBlocks, failedOpens, blocksPerRecord, passes } = keyLimits[algorithm];
    this.sealLimitBlocks = sealBlocks;
    this.failedOpensLimit = failedOpens;
    this.sealedBlocks = sealedBlocks;
    this.#blocksPerRecord = blocksPerRecord;
    this.#passes = passes;
    this.#nextLevelBlocks = nearShare * sealBlocks;
  }

  /** A record with this much plaintext has been sealed. */
  countSealed(plaintextBytes: number): void {
    this.sealedBlocks += this.#blocksPerRecord + this.#passes * Math.ceil(plaintextBytes / aesBlockBytes);
    if (this.#level === 'reached') this.recordsBeyondLimit++;
  }

  /** The level that has been passed since the last call, if one has: `near` at 90 % of the limit, then `reached`. */
  takeLevel(): 'near' | 'reached' | undefined {
    if (this.sealedBlocks < this.#nextLevelBlocks) return undefined;
    const isReached = this.sealedBlocks >= this.sealLimitBlocks;
    this.#level = isReached ? 'reached' : 'near';
    this.#nextLevelBlocks = isReached ? Number.POSITIVE_INFINITY : this.sealLimitBlocks;
    return this.#level;
  }
}
