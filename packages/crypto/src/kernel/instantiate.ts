/* WebAssembly, as much of it as the kernels need: it is no part of the language's own library. */

export interface KernelExports {
  readonly [name: string]: unknown;
}

interface MemoryLike {
  readonly buffer: ArrayBuffer;
}

interface WebAssemblyLike {
  validate(bytes: Uint8Array): boolean;
  Memory: new (limits: { initial: number; maximum: number }) => MemoryLike;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { readonly exports: KernelExports };
}

declare const WebAssembly: WebAssemblyLike | undefined;
declare function atob(text: string): string;

/** `i8x16.swizzle` with its opcode in two bytes, as the kernels have it, and `i8x16.relaxed_swizzle`. */
const swizzle = [0xfd, 0x8e, 0x00];
const relaxedSwizzle = [0xfd, 0x80, 0x02];

/** (func (result v128) relaxed_swizzle of two constants): valid where relaxed SIMD is. */
// biome-ignore format: bytes of a module
const relaxedProbe: Uint8Array = Uint8Array.from([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 10, 15, 1, 13, 0,
  0x41, 0, 0xfd, 15, 0x41, 0, 0xfd, 15, ...relaxedSwizzle, 0x0b,
]);

const pageBytes = 65_536;

/** A memory of a fixed size, since growing would detach all views, or undefined where there is no WASM. */
export function allocate(bytes: number): MemoryLike | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const pages = Math.ceil(bytes / pageBytes);
  return new WebAssembly.Memory({ initial: pages, maximum: pages });
}

/**
 * Compiles a kernel; undefined where the platform has no WASM SIMD or its policy forbids it. With
 * relaxed SIMD the swizzles need no bounds check: the kernels index with 0 to 15 or 128 and above.
 */
export function compile(base64: string): object | undefined {
  if (typeof WebAssembly === 'undefined') return undefined;
  const bytes = decodeBase64(base64);
  try {
    if (!WebAssembly.validate(bytes)) return undefined;
    if (WebAssembly.validate(relaxedProbe)) relax(bytes);
    return new WebAssembly.Module(bytes);
  } catch {
    return undefined; // a content security policy without 'wasm-unsafe-eval'
  }
}

/** The functions of a kernel over a memory. Call it where `compile` and `allocate` have worked. */
export function instantiate(module: object, memory: MemoryLike): KernelExports {
  return new WebAssembly!.Instance(module, { kernel: { memory } }).exports;
}

function relax(bytes: Uint8Array): void {
  for (let i = 0; i + 2 < bytes.length; i++) {
    if (bytes[i] !== swizzle[0] || bytes[i + 1] !== swizzle[1] || bytes[i + 2] !== swizzle[2]) continue;
    bytes.set(relaxedSwizzle, i);
  }
}

function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
