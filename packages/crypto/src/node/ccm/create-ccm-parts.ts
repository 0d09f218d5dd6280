import { CcmCore, type CcmPlan } from '../../kernel/ccm-core.ts';
import type { CcmParts } from '../../kernel/kernel-ccm.ts';
import { sharedKernels } from '../../kernel/kernel-memory.ts';
import { ccmNonce } from '../../options.ts';
import { createCcmParts as createKernelParts } from '../../pure/create-ccm-parts.ts';
import type { CreateCcmParts } from '../../record/create-record-cipher-with.ts';
import { SingleBufferAead } from '../native-aead.ts';
import { NodeAes } from './node-aes.ts';
import { watchPool } from './watch-pool.ts';

/**
 * Longer payloads go to a cipher of node:crypto of their own: there its one pass wins back what making
 * the cipher costs. Measured per seal, contexts against one pass: 7.7 to 10.7 us at 4000 bytes, 13.8
 * to 12.2 us at 8000.
 */
const maxBytes = 6144;

/** Whatever the size, the platform's AES: for comparison. */
const nativePlan: CcmPlan = { maxLaneBytes: [-1, -1, -1, -1, -1], minNativeBlocks: 1, maxBytes };
/** What was measured to be fastest: see docs/decisions/0004. */
const plan: CcmPlan = { maxLaneBytes: [-1, 224, 336, 416, 480], minNativeBlocks: 24, maxBytes };
/** A block with a key of 32 bytes costs the kernels 1.4 times as much, and they take them one by one. */
const longKeyPlan: CcmPlan = { maxLaneBytes: [-1, 64, -1, -1, -1], minNativeBlocks: 16, maxBytes };

/** CCM over node:crypto and the kernels, for `auto`, `node` and `wasm`; undefined where there is no WASM SIMD. */
export const createCcmParts: CreateCcmParts = (key, tagBytes, engine, salt): CcmParts | undefined => {
  if (engine === 'wasm') return createKernelParts(key, tagBytes, engine, salt);
  const shared = engine === 'auto' || engine === 'node' ? sharedKernels() : undefined;
  if (shared === undefined) return undefined;
  const chosen = engine === 'node' ? nativePlan : key.length === 16 ? plan : longKeyPlan;
  const core = new CcmCore(key, tagBytes, salt, chosen, { aes: new NodeAes(key), watchPool });
  const keyBytes = core.keyBytes;
  const other = new SingleBufferAead('node', { cipher: `aes-${8 * keyBytes}-ccm`, keyBytes, tagBytes, nonce: ccmNonce }, key);
  return { engine, core, shared, other };
};
