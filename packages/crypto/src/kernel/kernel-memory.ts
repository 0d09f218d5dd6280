/*
 * Kernels work on memory of their own. An arena that lies in it spares every record the copies in and
 * out; each such memory has instances of the kernels, and a part that they use themselves (see
 * memory-layout.ts).
 */
import { type Arena, type ArenaOptions, createArena } from '@millrace/core';
import { CcmLanes } from './ccm-lanes.ts';
import { CcmPlaces } from './ccm-places.ts';
import { ccmModuleBase64 } from './ccm-module.gen.ts';
import { KeyRooms } from './kernel-key.ts';
import { KeystreamPool } from './keystream-pool.ts';
import { arenaAt } from './memory-layout.ts';
import { chachaModuleBase64 } from './chacha-module.gen.ts';
import { ChachaKernel } from './chacha-kernel.ts';
import { allocate, compile, instantiate } from './instantiate.ts';

/** The kernels over one memory. */
export interface KernelMemory {
  /** The whole of it: positions are addresses. */
  readonly bytes: Uint8Array;
  readonly lanes: CcmLanes;
  readonly places: CcmPlaces;
  readonly keys: KeyRooms;
  readonly pool: KeystreamPool;
  readonly chacha: ChachaKernel;
}

interface Modules {
  readonly ccm: object;
  readonly chacha: object;
}

let compiled: Modules | undefined;
let shared: KernelMemory | undefined;
let isKnown = false;

/** By the view over the whole of a memory, so that positions in it are addresses. */
const byView: WeakMap<Uint8Array, KernelMemory> = new WeakMap();

/**
 * An arena in the memory of the kernels, so that they protect records where they stand; any arena
 * where there is no WASM SIMD. Give it to `createRecordQueue`. Throws RangeError as `createArena` does.
 */
export function createRecordArena(options: Omit<ArenaOptions, 'offset'>): Arena {
  const bytes = (options.slotBytes + 32) * options.slots;
  if (!(bytes > 0) || sharedKernels() === undefined) return createArena(new ArrayBuffer(bytes > 0 ? bytes : 0), options);
  // Kernels read up to a block behind a record.
  const memory = allocate(arenaAt + bytes + 16)!;
  const arena = createArena(memory.buffer, { ...options, offset: arenaAt });
  byView.set(arena.data, createKernels(arena.data, memory));
  return arena;
}

/** The kernels that can work on `data` in place: only where it is the view of a record arena. */
export function kernelsOver(data: Uint8Array): KernelMemory | undefined {
  return byView.get(data);
}

/** The kernels of this thread for data elsewhere, or undefined where there is no WASM SIMD. Made at first use. */
export function sharedKernels(): KernelMemory | undefined {
  if (isKnown) return shared;
  isKnown = true;
  const ccm = compile(ccmModuleBase64);
  const chacha = compile(chachaModuleBase64);
  const memory = allocate(arenaAt);
  if (ccm === undefined || chacha === undefined || memory === undefined) return undefined;
  compiled = { ccm, chacha };
  shared = createKernels(new Uint8Array(memory.buffer), memory);
  return shared;
}

function createKernels(bytes: Uint8Array, memory: { readonly buffer: ArrayBuffer }): KernelMemory {
  const { ccm, chacha } = compiled!;
  return {
    bytes,
    lanes: new CcmLanes(bytes, instantiate(ccm, memory)),
    places: new CcmPlaces(),
    keys: new KeyRooms(bytes),
    pool: new KeystreamPool(bytes),
    chacha: new ChachaKernel(bytes, instantiate(chacha, memory)),
  };
}
