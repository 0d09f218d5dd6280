import type { RecordAlgorithm } from '@millrace/crypto';

export interface KeyLimits {
  /** Blocks that one key may encrypt; Infinity where the sequence numbers end first. */
  readonly sealBlocks: number;
  /** Records that may fail to open under one key. */
  readonly failedOpens: number;
  /** Uses of the block cipher that a record costs whatever its length. */
  readonly blocksPerRecord: number;
  /** How often each block of plaintext passes through the cipher. */
  readonly passes: number;
}

export const aesBlockBytes = 16;

/**
 * RFC 9147 section 4.5.3 and appendix B state the limits of AES as records of 2^14 bytes, which are
 * 2^10 blocks each: 2^24.5 of them with GCM, 2^23 with CCM, which takes each block twice. What the
 * proofs bound is the number of blocks, and records of data channels are short. So blocks are
 * counted: those of the plaintext, the one that masks the tag, and with CCM the two before the
 * MAC's data. ChaCha20-Poly1305 has no limit that the sequence numbers would not meet first.
 */
const gcm: KeyLimits = { sealBlocks: 2 ** 34.5, failedOpens: 2 ** 36, blocksPerRecord: 1, passes: 1 };
const ccm: KeyLimits = { sealBlocks: 2 ** 34, failedOpens: 2 ** 23.5, blocksPerRecord: 3, passes: 2 };

export const keyLimits: Readonly<Record<RecordAlgorithm, KeyLimits>> = {
  'AES-128-CCM': ccm,
  // RFC 9147 appendix B.2: a tag of 64 bits allows few forgeries.
  'AES-128-CCM-8': { ...ccm, failedOpens: 2 ** 7 },
  'AES-128-GCM': gcm,
  'AES-256-GCM': gcm,
  'CHACHA20-POLY1305': { ...gcm, sealBlocks: Number.POSITIVE_INFINITY },
};
