import { CcmCore, type CcmPlan } from '../kernel/ccm-core.ts';
import type { CcmParts } from '../kernel/kernel-ccm.ts';
import { sharedKernels } from '../kernel/kernel-memory.ts';
import { maxLanePayloadBytes, maxLanes } from '../kernel/memory-layout.ts';
import { PiecewiseCcm } from '../kernel/piecewise-ccm.ts';
import type { CreateCcmParts } from '../record/create-record-cipher-with.ts';

/** All by the kernels. */
export const kernelPlan: CcmPlan = {
  maxLaneBytes: Array<number>(maxLanes + 1).fill(maxLanePayloadBytes),
  minNativeBlocks: Number.POSITIVE_INFINITY,
  maxBytes: maxLanePayloadBytes,
};

/** CCM by the kernels alone, for `auto` and `wasm`; undefined where there is no WASM SIMD. */
export const createCcmParts: CreateCcmParts = (key, tagBytes, engine, salt): CcmParts | undefined => {
  const shared = engine === 'auto' || engine === 'wasm' ? sharedKernels() : undefined;
  if (shared === undefined) return undefined;
  const core = new CcmCore(key, tagBytes, salt, kernelPlan, undefined);
  return { engine, core, shared, other: new PiecewiseCcm(tagBytes, key, shared) };
};
