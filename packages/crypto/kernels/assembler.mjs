/* As much of the WASM binary format as the kernels need (WebAssembly core specification, chapter 5). */

export function leb(value) {
  const out = [];
  for (let rest = value >>> 0; ; ) {
    const byte = rest & 0x7f;
    rest >>>= 7;
    if (rest === 0) return [...out, byte];
    out.push(byte | 0x80);
  }
}

function signedLeb(value) {
  const out = [];
  for (let rest = value | 0; ; ) {
    const byte = rest & 0x7f;
    rest >>= 7;
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) return [...out, byte];
    out.push(byte | 0x80);
  }
}

export function i64Const(value) {
  const out = [0x42];
  for (let rest = BigInt(value); ; ) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    if ((rest === 0n && (byte & 0x40) === 0) || (rest === -1n && (byte & 0x40) !== 0)) return [...out, byte];
    out.push(byte | 0x80);
  }
}

const simd = (code, ...rest) => [0xfd, ...leb(code), ...rest.flat()];
export const i32 = 0x7f;
export const v128 = 0x7b;
export const i32Const = (value) => [0x41, ...signedLeb(value)];
export const i32Add = (a, b) => [...a, ...b, 0x6a];
export const i32Sub = (a, b) => [...a, ...b, 0x6b];
export const i32And = (a, b) => [...a, ...b, 0x71];
export const i32Or = (a, b) => [...a, ...b, 0x72];
export const i32Shl = (a, bits) => [...a, ...i32Const(bits), 0x74];
export const i32ShrU = (a, bits) => [...a, ...i32Const(bits), 0x76];
export const i32Load = (at, offset) => [...at, 0x28, 2, ...leb(offset)];
export const i32Store = (at, offset, value) => [...at, ...value, 0x36, 2, ...leb(offset)];
export const load = (at, offset = 0) => [...at, ...simd(0, [0, ...leb(offset)])];
export const store = (at, offset, value) => [...at, ...value, ...simd(11, [0, ...leb(offset)])];
/** The lower or upper eight bytes of a vector. */
export const storeHalf = (at, offset, value, half) => [...at, ...value, ...simd(0x5b, [0, ...leb(offset), half])];
/** Eight bytes, and zeros above. */
export const loadHalf = (at, offset = 0) => [...at, ...simd(0x5d, [0, ...leb(offset)])];
export const vConst = (bytes) => simd(12, bytes);
export const splat = (value) => [...value, ...simd(17)];
export const setByte = (a, lane, value) => [...a, ...value, ...simd(23, [lane])];
export const setWord = (a, lane, value) => [...a, ...value, ...simd(28, [lane])];
/** Bytes of `a` (0 to 15) and `b` (16 to 31). */
export const shuffle = (a, b, lanes) => [...a, ...b, ...simd(13, lanes)];
export const or = (a, b) => [...a, ...b, ...simd(0x50)];
/** Bits of `a` where the mask has ones, else of `b`. */
export const select = (a, b, mask) => [...a, ...b, ...mask, ...simd(0x52)];
export const anyTrue = (a) => [...a, ...simd(0x53)];
/** Two bytes of sub-opcode, so that the loader can put relaxed_swizzle in its place. */
export const swizzleCode = [0xfd, 0x8e, 0x00];
export const swizzle = (table, index) => [...table, ...index, ...swizzleCode];

/** `shuffle`, quicker: V8 builds the mask of a shuffle anew each time, and keeps that of a constant swizzle. */
export const permute = (a, lanes) => swizzle(a, vConst(lanes));

/** How often the marked opcode stands in a code, by value. */
export function countMarks(bytes) {
  return bytes.reduce((sum, byte, i) => sum + (swizzleCode.every((code, k) => bytes[i + k] === code) ? 1 : 0), 0);
}
export const and = (a, b) => [...a, ...b, ...simd(0x4e)];
export const xor = (a, b) => [...a, ...b, ...simd(0x51)];
export const shiftRight = (a, bits) => [...a, ...i32Const(bits), ...simd(0xad)];
/** Skips `body` where `condition` is zero. */
export const when = (condition, body) => [...condition, 0x04, 0x40, ...body, 0x0b];
export const whenElse = (condition, body, otherwise) => [...condition, 0x04, 0x40, ...body, 0x05, ...otherwise, 0x0b];
/** Repeats `body` while `condition` holds after it. */
export const loopWhile = (body, condition) => [0x03, 0x40, ...body, ...condition, 0x0d, 0, 0x0b];

/** Named locals of a function; those without a type have `usual`. */
export function createLocals(params, usual = v128) {
  const names = [...params];
  const types = params.map(() => i32);
  const index = (name, type = usual) => {
    let at = names.indexOf(name);
    if (at < 0) {
      at = names.push(name) - 1;
      types.push(type);
    }
    return leb(at);
  };
  return {
    get: (name) => [0x20, ...index(name)],
    set: (name, value, type) => [...value, 0x21, ...index(name, type)],
    tee: (name, value, type) => [...value, 0x22, ...index(name, type)],
    declarations: () => types.slice(params.length).map((type) => [1, type]),
  };
}

const section = (id, content) => [id, ...leb(content.length), ...content];
const vector = (items) => [...leb(items.length), ...items.flat()];
const name = (text) => [...leb(text.length), ...new TextEncoder().encode(text)];

const magic = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A module over the memory that it imports as `kernel.memory`. Its functions are exported; `results` is 0, or 1 for an i32. */
export function assembleModule(functions, data) {
  const types = functions.map(({ params, results = 0 }) => [
    0x60,
    ...vector(Array(params).fill([i32])),
    ...vector(Array(results).fill([i32])),
  ]);
  const bodies = functions.map(({ declarations, body }) => {
    const code = [...vector(declarations), ...body, 0x0b];
    return [...leb(code.length), ...code];
  });
  const exported = functions.map((fn, i) => [...name(fn.name), 0, ...leb(i)]);
  return Uint8Array.from([
    ...magic,
    ...section(1, vector(types)),
    ...section(2, vector([[...name('kernel'), ...name('memory'), 2, 0, 1]])),
    ...section(3, vector(functions.map((_, i) => leb(i)))),
    ...section(7, vector(exported)),
    ...section(10, vector(bodies)),
    ...(data === undefined
      ? []
      : section(11, vector([[0, ...i32Const(data.at), 0x0b, ...leb(data.bytes.length), ...data.bytes]]))),
  ]);
}
