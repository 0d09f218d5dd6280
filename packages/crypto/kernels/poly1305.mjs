/*
 * Poly1305 (RFC 8439 section 2.5) in limbs of 32 bits: h = h0 + h1 2^32 + ... + h4 2^128, products in
 * 64. Of r the top four bits of each word are clear, and the lowest two of r1 to r3, so that r_j 2^128
 * is r_j / 4 times 2^130, and comes back as s_j = 5 r_j / 4. Sums stay below 2^64: h0 is below
 * 1.5 * 2^33, h1 to h3 below 2^33, h4 at most 4, r below 2^28.
 *
 *   polyInit (key), polyBlocks (at, blocks), polyTag (to)
 */
import * as w from './assembler.mjs';
import { polyAt } from './chacha-memory.mjs';

const i64 = 0x7e;
const at = (base) => w.i32Const(base);
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
const load32 = (address, offset) => [...address, 0x35, 2, ...w.leb(offset)];
const store64 = (address, offset, value) => [...address, ...value, 0x37, 3, ...w.leb(offset)];
const lessThan = (a, b) => [...a, ...b, 0x54, 0xad];
const low32 = (value) => and(value, w.i64Const(0xffffffff));
const sum = (terms) => terms.reduce((total, term) => add(total, term));

const limbs = [0, 1, 2, 3, 4];
const words = [0, 1, 2, 3];
const keyOffset = 40;
const padOffset = 80;
const clamp = (word) => (word === 0 ? 0x0fffffff : 0x0ffffffc);

export function polyInit() {
  const { get, declarations } = w.createLocals(['key'], i64);
  const body = [
    ...limbs.flatMap((i) => store64(at(0), polyAt + 8 * i, w.i64Const(0))),
    ...words.flatMap((i) => store64(at(0), polyAt + keyOffset + 8 * i, and(load32(get('key'), 4 * i), w.i64Const(clamp(i))))),
    ...w.store(at(0), polyAt + padOffset, w.load(get('key'), 16)),
  ];
  return { name: 'polyInit', params: 1, declarations: declarations(), body };
}

/**
 * The parts of a function that takes blocks in, with accumulator and key in its locals: their loading,
 * one block at the address in local `at`, which moves on, and the storing.
 */
export function blockSteps(locals) {
  const { get } = locals;
  const set = (name, value) => locals.set(name, value, i64);
  const h = (i) => get(`h${i}`);
  const d = (i) => get(`d${i}`);
  /** h_i times r_j or, where it is beyond 2^130, s_j. */
  const product = (to) => (i) => mul(h(i), get(i <= to ? `r${to - i}` : `s${to - i + 4}`));
  const carry = (from) => set(`d${from + 1}`, add(d(from + 1), shr(d(from), 32)));
  return {
    load: () => [
      ...limbs.flatMap((i) => set(`h${i}`, load64(at(0), polyAt + 8 * i))),
      ...words.flatMap((i) => set(`r${i}`, load64(at(0), polyAt + keyOffset + 8 * i))),
      ...[1, 2, 3].flatMap((i) => set(`s${i}`, add(get(`r${i}`), shr(get(`r${i}`), 2)))),
    ],
    step: () => [
      ...words.flatMap((i) => set(`h${i}`, add(h(i), load32(get('at'), 4 * i)))),
      ...set('h4', add(h(4), w.i64Const(1))),
      ...words.flatMap((to) => set(`d${to}`, sum((to === 0 ? words : limbs).map(product(to))))),
      ...set('d4', mul(h(4), get('r0'))),
      ...words.flatMap((i) => [...carry(i), ...set(`h${i}`, low32(d(i)))]),
      // What is above 2^130 comes back five times.
      ...set('h4', and(d(4), w.i64Const(3))),
      ...set('d4', shr(d(4), 2)),
      ...set('h0', add(h(0), add(d(4), shl(d(4), 2)))),
      ...locals.set('at', w.i32Add(get('at'), w.i32Const(16)), w.i32),
    ],
    store: () => limbs.flatMap((i) => store64(at(0), polyAt + 8 * i, h(i))),
  };
}

export function polyBlocks() {
  const locals = w.createLocals(['at', 'blocks'], i64);
  const { get, tee } = locals;
  const { load, step, store } = blockSteps(locals);
  const body = [...load(), ...w.loopWhile(step(), tee('blocks', w.i32Sub(get('blocks'), w.i32Const(1)), w.i32)), ...store()];
  return { name: 'polyBlocks', params: 2, declarations: locals.declarations(), body };
}

export function polyTag() {
  const locals = w.createLocals(['to'], i64);
  const { get } = locals;
  const set = (name, value) => locals.set(name, value, i64);
  const h = (i) => get(`h${i}`);
  const g = (i) => get(`g${i}`);
  const ripple = (name) =>
    words.flatMap((i) => [
      ...set(`${name}${i + 1}`, add(get(`${name}${i + 1}`), shr(get(`${name}${i}`), 32))),
      ...set(`${name}${i}`, low32(get(`${name}${i}`))),
    ]);
  const wrap = [
    ...set('c', shr(h(4), 2)),
    ...set('h4', and(h(4), w.i64Const(3))),
    ...set('h0', add(h(0), add(get('c'), shl(get('c'), 2)))),
  ];
  const body = [
    ...limbs.flatMap((i) => set(`h${i}`, load64(at(0), polyAt + 8 * i))),
    ...ripple('h'),
    ...wrap,
    ...ripple('h'),
    // h + 5: where that reaches 2^130, h was not less than the modulus, and what is above it is the rest.
    ...set('g0', add(h(0), w.i64Const(5))),
    ...[1, 2, 3, 4].flatMap((i) => set(`g${i}`, h(i))),
    ...ripple('g'),
    ...set('mask', sub(w.i64Const(0), and(shr(g(4), 2), w.i64Const(1)))),
    ...words.flatMap((i) => set(`h${i}`, xor64(h(i), and(get('mask'), xor64(h(i), g(i)))))),
    ...set('a', or64(h(0), shl(h(1), 32))),
    ...set('b', or64(h(2), shl(h(3), 32))),
    ...set('x', add(get('a'), load64(at(0), polyAt + padOffset))),
    ...set('y', add(add(get('b'), load64(at(0), polyAt + padOffset + 8)), lessThan(get('x'), get('a')))),
    ...store64(get('to'), 0, get('x')),
    ...store64(get('to'), 8, get('y')),
  ];
  return { name: 'polyTag', params: 1, declarations: locals.declarations(), body };
}
