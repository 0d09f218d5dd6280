/*
 * The AES kernels:
 *
 *   mac1 … mac4 (blocks): CBC-MAC in one to four lanes, each with its own key, over `blocks` blocks,
 *     XOR-ing keystream into the data on the way. What each lane works on stands in its descriptor
 *     (see ccm-kernel.mjs).
 *   ecb (key, at, groups): encrypts `groups` times four blocks in place.
 *
 * The same with an L behind their name take keys of AES-256; mac1L is the only MAC of those.
 */
import * as w from './assembler.mjs';
import { invertedBasis, nibbleTables as tables } from './vector-permute.mjs';

/** Of a lane's descriptor: key, data and keystream pointers, then state, mask and result. */
export const laneBytes = 128;
const tableAt = 512;
const inMemory = ['iptl', 'ipth', 'optl', 'opth', 'sbou', 'sbot'];

const shiftRows = Array.from({ length: 16 }, (_, i) => ((((i >> 2) + (i & 3)) & 3) << 2) | (i & 3));
const rotate = (by) => Array.from({ length: 16 }, (_, i) => (i & ~3) | ((i + by) & 3));
const compose = (first, then) => then.map((i) => first[i]);
const power = (n) => Array.from({ length: n & 3 }).reduce((sum) => compose(sum, shiftRows), [...Array(16).keys()]);
const inverse = (p) => p.map((_, i) => p.indexOf(i));
/** A permutation of columns, applied to a state whose rows were shifted `round` times less. */
const shifted = (p, round) => compose(compose(power(round), p), inverse(power(round)));

function builder(params, lanes) {
  const locals = w.createLocals(params);
  const { get, set } = locals;
  const held = ['inv', 'inva', 'sb1u', 'sb1t', 'sb2u', 'sb2t'];
  const zero = w.i32Const(0);
  const table = (name) => (inMemory.includes(name) ? w.load(zero, tableAt + 16 * inMemory.indexOf(name)) : get(name));
  const low = (x) => w.and(x, get('nibbles'));
  const high = (x) => w.and(w.shiftRight(x, 4), get('nibbles'));
  const each = (f) => lanes.flatMap(f);
  const pair = (lowTable, highTable, x) => w.xor(w.swizzle(table(lowTable), low(x)), w.swizzle(table(highTable), high(x)));
  return {
    locals,
    each,
    prologue: [...held.flatMap((name) => set(name, w.vConst(tables[name]))), ...set('nibbles', w.vConst(Array(16).fill(15)))],
    intoBasis: (x) => pair('iptl', 'ipth', x),
    outOfBasis: (x) => pair('optl', 'opth', x),
    /** All rounds. `chained` leaves the result in the basis of the S-box, with the first key added. */
    rounds(count, keyOf, chained) {
      const out = [];
      const lookUp = (upper, lower, l) => w.xor(w.swizzle(table(upper), get(`p${l}`)), w.swizzle(table(lower), get(`q${l}`)));
      for (let round = 1; round <= count; round++) {
        out.push(each((l) => set(`i${l}`, high(get(`x${l}`)))));
        out.push(each((l) => set(`k${l}`, low(get(`x${l}`)))));
        out.push(each((l) => set(`t${l}`, w.swizzle(table('inva'), get(`k${l}`)))));
        out.push(each((l) => set(`j${l}`, w.xor(get(`i${l}`), get(`k${l}`)))));
        out.push(each((l) => set(`p${l}`, w.xor(w.swizzle(table('inv'), get(`i${l}`)), get(`t${l}`)))));
        out.push(each((l) => set(`q${l}`, w.xor(w.swizzle(table('inv'), get(`j${l}`)), get(`t${l}`)))));
        out.push(each((l) => set(`p${l}`, w.xor(w.swizzle(table('inv'), get(`p${l}`)), get(`j${l}`)))));
        out.push(each((l) => set(`q${l}`, w.xor(w.swizzle(table('inv'), get(`q${l}`)), get(`i${l}`)))));
        if (round === count) {
          const key = 16 * (chained ? count + 1 : count);
          const [upper, lower] = chained ? ['sb1u', 'sb1t'] : ['sbou', 'sbot'];
          const result = (l) => w.xor(lookUp(upper, lower, l), w.load(keyOf(l), key));
          out.push(each((l) => [...set('z', result(l)), ...set(`x${l}`, w.permute(get('z'), power(count)))]));
          break;
        }
        const once = shifted(rotate(1), round);
        const thrice = shifted(rotate(3), round);
        out.push(each((l) => set(`a${l}`, lookUp('sb1u', 'sb1t', l))));
        out.push(each((l) => set(`t${l}`, lookUp('sb2u', 'sb2t', l))));
        out.push(each((l) => set(`b${l}`, w.xor(w.permute(get(`a${l}`), once), get(`t${l}`)))));
        out.push(
          each((l) => set(`d${l}`, w.xor(w.xor(w.permute(get(`a${l}`), thrice), w.load(keyOf(l), 16 * round)), get(`b${l}`)))),
        );
        out.push(each((l) => set(`x${l}`, w.xor(w.permute(get(`b${l}`), once), get(`d${l}`)))));
      }
      return out.flat();
    },
  };
}

function macFunction(name, laneCount, rounds) {
  const lanes = [...Array(laneCount).keys()];
  const b = builder(['blocks'], lanes);
  const { get, set, tee } = b.locals;
  const zero = w.i32Const(0);
  const field = (l, at) => laneBytes * l + at;
  const advance = (pointer) => set(pointer, w.i32Add(get(pointer), w.i32Const(16)));
  const body = [
    ...b.prologue,
    ...b.each((l) => [
      ...set(`key${l}`, w.i32Load(zero, field(l, 0)), w.i32),
      ...set(`at${l}`, w.i32Load(zero, field(l, 4)), w.i32),
      ...set(`ks${l}`, w.i32Load(zero, field(l, 8)), w.i32),
      ...set(`x${l}`, w.load(zero, field(l, 16))),
    ]),
    ...w.loopWhile(
      [
        ...b.each((l) => [
          ...set('s', w.load(get(`ks${l}`))),
          ...set('w', w.load(get(`at${l}`))),
          ...w.store(get(`at${l}`), 0, w.xor(get('w'), get('s'))),
          ...set('w', w.xor(get('w'), w.and(get('s'), w.load(zero, field(l, 32))))),
          ...set(`x${l}`, w.xor(get(`x${l}`), b.intoBasis(get('w')))),
          ...advance(`at${l}`),
          ...advance(`ks${l}`),
        ]),
        ...b.rounds(rounds, (l) => get(`key${l}`), true),
      ],
      tee('blocks', w.i32Sub(get('blocks'), w.i32Const(1))),
    ),
    ...b.each((l) => [
      ...w.i32Store(zero, field(l, 4), get(`at${l}`)),
      ...w.i32Store(zero, field(l, 8), get(`ks${l}`)),
      ...w.store(zero, field(l, 16), get(`x${l}`)),
      ...set('z', w.xor(get(`x${l}`), w.load(get(`key${l}`)))),
      ...w.store(zero, field(l, 48), b.outOfBasis(get('z'))),
    ]),
  ];
  return { name, params: 1, declarations: b.locals.declarations(), body };
}

function ecbFunction(name, rounds) {
  const b = builder(['key', 'at', 'groups'], [0, 1, 2, 3]);
  const { get, set, tee } = b.locals;
  const body = [
    ...b.prologue,
    ...w.loopWhile(
      [
        ...b.each((l) => [
          ...set('w', w.load(get('at'), 16 * l)),
          ...set(`x${l}`, w.xor(b.intoBasis(get('w')), w.load(get('key')))),
        ]),
        ...b.rounds(rounds, () => get('key'), false),
        ...b.each((l) => w.store(get('at'), 16 * l, get(`x${l}`))),
        ...set('at', w.i32Add(get('at'), w.i32Const(64))),
      ],
      tee('groups', w.i32Sub(get('groups'), w.i32Const(1))),
    ),
  ];
  return { name, params: 3, declarations: b.locals.declarations(), body };
}

/** The functions, and the tables that they read from memory. */
export function aesFunctions() {
  const all = { ...tables, ...invertedBasis };
  const functions = [
    ...[1, 2, 3, 4].map((lanes) => macFunction(`mac${lanes}`, lanes, 10)),
    macFunction('mac1L', 1, 14),
    ecbFunction('ecb', 10),
    ecbFunction('ecbL', 14),
  ];
  return { functions, data: { at: tableAt, bytes: inMemory.flatMap((name) => all[name]) } };
}

/** Swizzles that the functions hold: twelve a round and lane, eight in the last, and the changes of basis. */
export function aesSwizzles() {
  const perBlock = (rounds) => 5 * rounds + 7 * (rounds - 1) + 3 + 2;
  const mac = (lanes, rounds) => lanes * (perBlock(rounds) + 2);
  return [1, 2, 3, 4].reduce((sum, lanes) => sum + mac(lanes, 10), mac(1, 14)) + 4 * (perBlock(10) + perBlock(14));
}
