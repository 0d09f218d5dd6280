/*
 * ChaCha20-Poly1305 (RFC 8439):
 *
 *   chacha (from, to, count): XORs keystream of `count` times four blocks, from the counter on;
 *     `from` and `to` may be the same
 *   xor (at, stream, length): XORs any number of bytes, in place
 *   polyInit (key), polyBlocks (at, blocks), polyTag (to): Poly1305 in five limbs of 26 bits
 *
 * Neither has a table or a branch on a secret.
 */
import * as w from './assembler.mjs';

/** Where the state and what Poly1305 keeps stand, beyond the memory of the AES kernel. */
const stateAt = 20_480;
const polyAt = 20_544;
const at = (base) => w.i32Const(base);
const limbs = [0, 1, 2, 3, 4];

const add32 = (a, b) => [...a, ...b, 0xfd, 0xae, 0x01];
const shiftLeft32 = (a, bits) => [...a, ...w.i32Const(bits), 0xfd, 0xab, 0x01];
const splat = (address, offset) => [...address, 0xfd, 0x09, 2, ...w.leb(offset)];
const words = (...values) => w.vConst(values.flatMap((v) => [v & 255, (v >>> 8) & 255, (v >>> 16) & 255, v >>> 24]));
const sigma = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

function chachaFunction() {
  const locals = w.createLocals(['from', 'to', 'count']);
  const { get, set, tee } = locals;
  const x = (i) => get(`x${i}`);
  const initial = (i) => {
    if (i < 4) return words(...Array(4).fill(sigma[i]));
    const value = splat(at(0), stateAt + 4 * i);
    return i === 12 ? add32(value, words(0, 1, 2, 3)) : value;
  };
  const rotate = (name, bits) => {
    const by = bits / 8;
    const bytes = Array.from({ length: 16 }, (_, i) => (i & ~3) | ((i - by + 4) & 3));
    return bits % 8 === 0
      ? set(name, w.permute(get(name), bytes))
      : set(name, w.or(shiftLeft32(get(name), bits), w.shiftRight(get(name), 32 - bits)));
  };
  const quarterRounds = (quads) =>
    [
      [0, 1, 3, 16],
      [2, 3, 1, 12],
      [0, 1, 3, 8],
      [2, 3, 1, 7],
    ].flatMap(([a, b, d, bits]) => [
      ...quads.flatMap((q) => set(`x${q[a]}`, add32(x(q[a]), x(q[b])))),
      ...quads.flatMap((q) => set(`x${q[d]}`, w.xor(x(q[d]), x(q[a])))),
      ...quads.flatMap((q) => rotate(`x${q[d]}`, bits)),
    ]);
  const columns = [0, 1, 2, 3].map((i) => [i, 4 + i, 8 + i, 12 + i]);
  const diagonals = [0, 1, 2, 3].map((i) => [i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3)]);
  const lowWords = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
  const highWords = lowWords.map((i) => i + 8);
  const lowHalf = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
  const highHalf = lowHalf.map((i) => i + 8);
  const output = [0, 1, 2, 3].flatMap((row) => {
    const [a, b, c, d] = [0, 1, 2, 3].map((i) => x(4 * row + i));
    return [
      ...set('t0', w.shuffle(a, b, lowWords)),
      ...set('t1', w.shuffle(c, d, lowWords)),
      ...set('t2', w.shuffle(a, b, highWords)),
      ...set('t3', w.shuffle(c, d, highWords)),
      ...[
        ['t0', 't1', lowHalf],
        ['t0', 't1', highHalf],
        ['t2', 't3', lowHalf],
        ['t2', 't3', highHalf],
      ].flatMap(([first, second, half], block) => {
        const offset = 64 * block + 16 * row;
        const stream = w.shuffle(get(first), get(second), half);
        return w.store(get('to'), offset, w.xor(w.load(get('from'), offset), stream));
      }),
    ];
  });
  const body = w.loopWhile(
    [
      ...[...Array(16).keys()].flatMap((i) => set(`x${i}`, initial(i))),
      ...set('rounds', w.i32Const(10), w.i32),
      ...w.loopWhile(
        [...quarterRounds(columns), ...quarterRounds(diagonals)],
        tee('rounds', w.i32Sub(get('rounds'), w.i32Const(1))),
      ),
      ...[...Array(16).keys()].flatMap((i) => set(`x${i}`, add32(x(i), initial(i)))),
      ...output,
      ...w.i32Store(at(0), stateAt + 48, w.i32Add(w.i32Load(at(0), stateAt + 48), w.i32Const(4))),
      ...set('from', w.i32Add(get('from'), w.i32Const(256))),
      ...set('to', w.i32Add(get('to'), w.i32Const(256))),
    ],
    tee('count', w.i32Sub(get('count'), w.i32Const(1))),
  );
  return { name: 'chacha', params: 3, declarations: locals.declarations(), body };
}

function xorFunction() {
  const { get, set, tee, declarations } = w.createLocals(['at', 'stream', 'length'], w.i32);
  const advance = (name, by) => set(name, w.i32Add(get(name), w.i32Const(by)));
  const step = (bytes) => [...advance('at', bytes), ...advance('stream', bytes)];
  const byte = (name) => [...get(name), 0x2d, 0, 0];
  const body = [
    ...w.when(
      tee('left', w.i32ShrU(get('length'), 4)),
      w.loopWhile(
        [...w.store(get('at'), 0, w.xor(w.load(get('at')), w.load(get('stream')))), ...step(16)],
        tee('left', w.i32Sub(get('left'), w.i32Const(1))),
      ),
    ),
    ...w.when(
      tee('left', w.i32And(get('length'), w.i32Const(15))),
      w.loopWhile(
        [...get('at'), ...byte('at'), ...byte('stream'), 0x73, 0x3a, 0, 0, ...step(1)],
        tee('left', w.i32Sub(get('left'), w.i32Const(1))),
      ),
    ),
  ];
  return { name: 'xor', params: 3, declarations: declarations(), body };
}

const i64 = 0x7e;
const binary = (code) => (a, b) => [...a, ...b, code];
const add = binary(0x7c);
const sub = binary(0x7d);
const mul = binary(0x7e);
const and = binary(0x83);
const or64 = binary(0x84);
const xor64 = binary(0x85);
const shl = (a, bits) => [...a, ...w.i64Const(bits), 0x86];
const shr = (a, bits) => [...a, ...w.i64Const(bits), 0x88];
const load64 = (address, offset) => [...address, 0x29, 3, ...w.leb(offset)];
const store64 = (address, offset, value) => [...address, ...value, 0x37, 3, ...w.leb(offset)];
const limb = w.i64Const(0x3ffffff);
const low26 = (value) => and(value, limb);

/** The five limbs of the 128 bits in `a` and `b`. */
const split = (a, b) => [low26(a), low26(shr(a, 26)), or64(shr(a, 52), low26(shl(b, 12))), low26(shr(b, 14)), shr(b, 40)];

function polyInit() {
  const locals = w.createLocals(['key'], i64);
  const { get, set } = locals;
  const body = [
    ...set('a', and(load64(get('key'), 0), w.i64Const(0x0ffffffc0fffffffn)), i64),
    ...set('b', and(load64(get('key'), 8), w.i64Const(0x0ffffffc0ffffffcn)), i64),
    ...limbs.flatMap((i) => store64(at(0), polyAt + 8 * i, w.i64Const(0))),
    ...split(get('a'), get('b')).flatMap((value, i) => store64(at(0), polyAt + 40 + 8 * i, value)),
    ...w.store(at(0), polyAt + 80, w.load(get('key'), 16)),
  ];
  return { name: 'polyInit', params: 1, declarations: locals.declarations(), body };
}

function polyBlocks() {
  const locals = w.createLocals(['at', 'blocks'], i64);
  const { get, tee } = locals;
  const set = (name, value) => locals.set(name, value, i64);
  const h = (i) => get(`h${i}`);
  const d = (i) => get(`d${i}`);
  const carry = (from, to) => [...set(`d${to}`, add(d(to), shr(d(from), 26))), ...set(`d${from}`, low26(d(from)))];
  const body = [
    ...limbs.flatMap((i) => set(`h${i}`, load64(at(0), polyAt + 8 * i))),
    ...limbs.flatMap((i) => set(`r${i}`, load64(at(0), polyAt + 40 + 8 * i))),
    ...limbs.flatMap((i) => set(`s${i}`, mul(get(`r${i}`), w.i64Const(5)))),
    ...w.loopWhile(
      [
        ...set('a', load64(get('at'), 0)),
        ...set('b', load64(get('at'), 8)),
        ...split(get('a'), get('b')).flatMap((value, i) =>
          set(`h${i}`, add(h(i), i === 4 ? or64(value, w.i64Const(0x1000000)) : value)),
        ),
        ...limbs.flatMap((i) =>
          set(
            `d${i}`,
            limbs.map((j) => mul(h(j), get(j <= i ? `r${i - j}` : `s${i - j + 5}`))).reduce((sum, product) => add(sum, product)),
          ),
        ),
        ...carry(0, 1),
        ...carry(3, 4),
        ...carry(1, 2),
        ...set('d0', add(d(0), mul(shr(d(4), 26), w.i64Const(5)))),
        ...set('d4', low26(d(4))),
        ...carry(2, 3),
        ...carry(0, 1),
        ...carry(3, 4),
        ...limbs.flatMap((i) => set(`h${i}`, d(i))),
        ...locals.set('at', w.i32Add(get('at'), w.i32Const(16)), w.i32),
      ],
      tee('blocks', w.i32Sub(get('blocks'), w.i32Const(1)), w.i32),
    ),
    ...limbs.flatMap((i) => store64(at(0), polyAt + 8 * i, h(i))),
  ];
  return { name: 'polyBlocks', params: 2, declarations: locals.declarations(), body };
}

function polyTag() {
  const locals = w.createLocals(['to'], i64);
  const { get } = locals;
  const set = (name, value) => locals.set(name, value, i64);
  const h = (i) => get(`h${i}`);
  const g = (i) => get(`g${i}`);
  const carry = (from, to) => [...set(`h${to}`, add(h(to), shr(h(from), 26))), ...set(`h${from}`, low26(h(from)))];
  const wrap = [...set('h0', add(h(0), mul(shr(h(4), 26), w.i64Const(5)))), ...set('h4', low26(h(4)))];
  const ripple = [...carry(0, 1), ...carry(1, 2), ...carry(2, 3), ...carry(3, 4)];
  const body = [
    ...limbs.flatMap((i) => set(`h${i}`, load64(at(0), polyAt + 8 * i))),
    ...ripple,
    ...wrap,
    ...ripple,
    ...wrap,
    ...carry(0, 1),
    // h + 5 - 2^130: taken, by a mask, where h was not less than the modulus.
    ...set('g0', add(h(0), w.i64Const(5))),
    ...[1, 2, 3, 4].flatMap((i) => [...set(`g${i}`, add(h(i), shr(g(i - 1), 26))), ...set(`g${i - 1}`, low26(g(i - 1)))]),
    ...set('mask', sub(w.i64Const(0), shr(g(4), 26))),
    ...set('g4', low26(g(4))),
    ...limbs.flatMap((i) => set(`h${i}`, xor64(h(i), and(get('mask'), xor64(h(i), g(i)))))),
    ...set('a', or64(or64(h(0), shl(h(1), 26)), shl(h(2), 52))),
    ...set('b', or64(or64(shr(h(2), 12), shl(h(3), 14)), shl(h(4), 40))),
    ...set('x', add(get('a'), load64(at(0), polyAt + 80))),
    ...set('y', add(add(get('b'), load64(at(0), polyAt + 88)), [...get('x'), ...get('a'), 0x54, 0xad])),
    ...store64(get('to'), 0, get('x')),
    ...store64(get('to'), 8, get('y')),
  ];
  return { name: 'polyTag', params: 1, declarations: locals.declarations(), body };
}

export function assembleChachaKernel() {
  return w.assembleModule([chachaFunction(), xorFunction(), polyInit(), polyBlocks(), polyTag()]);
}

/** Swizzles by value in the module and by what it holds: two rotations by whole bytes in each of eight quarter rounds. */
export function countSwizzles() {
  return { marked: w.countMarks(assembleChachaKernel()), emitted: 2 * 8 };
}
