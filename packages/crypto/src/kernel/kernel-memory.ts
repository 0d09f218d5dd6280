/*
 * Kernels work on memory of their own. An arena that lies in it spares every record the copies in and
 * out; each such memory has instances of the kernels, and a first page that they use themselves:
 *
 *   0        AES: lanes, constants and staging (see mac-lanes.ts)
 *   20 480   ChaCha20-Poly1305: state and staging (see chacha-kernel.ts)
 *   65 536   the arena
 */
import { type Arena, type ArenaOptions, createArena } from '@millrace/core';
import { aesModuleBase64 } from './aes-module.gen.ts';
import { chachaModuleBase64 } from './chacha-module.gen.ts';
import { ChachaKernel } from './chacha-kernel.ts';
import { allocate, compile, instantiate, pageBytes } from './instantiate.ts';
import { MacLanes } from './mac-lanes.ts';

/** The kernels over one memory. */
export interface KernelMemory {
  readonly lanes: MacLanes;
  readonly chacha: ChachaKernel;
}

interface Modules {
  readonly aes: object;
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
  const memory = allocate(pageBytes + bytes)!;
  const arena = createArena(memory.buffer, { ...options, offset: pageBytes });
  byView.set(arena.data, createKernels(memory.buffer, memory));
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
  const aes = compile(aesModuleBase64);
  const chacha = compile(chachaModuleBase64);
  const memory = allocate(pageBytes);
  if (aes === undefined || chacha === undefined || memory === undefined) return undefined;
  compiled = { aes, chacha };
  shared = createKernels(memory.buffer, memory);
  return shared;
}

function createKernels(buffer: ArrayBuffer, memory: { readonly buffer: ArrayBuffer }): KernelMemory {
  const { aes, chacha } = compiled!;
  return {
    lanes: new MacLanes(buffer, instantiate(aes, memory)),
    chacha: new ChachaKernel(buffer, instantiate(chacha, memory)),
  };
}
