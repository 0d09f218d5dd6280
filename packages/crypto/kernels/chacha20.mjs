/*
 * ChaCha20 (RFC 8439 section 2.4), four blocks at once:
 *
 *   chacha (from, to, count, at, pairs): XORs keystream of `count` times four blocks, from the counter
 *     on; `from` and `to` may be the same. Meanwhile Poly1305 takes in `pairs` times two blocks, at
 *     most ten times, for each four, from `at` on, before they are written: one keeps the vector units
 *     busy, the other the multiplier
 *   chachaTwo (): writes the keystream of two blocks where keystream goes, and leaves the counter
 *   xor (at, stream, length): XORs any number of bytes, in place. Up to 15 bytes behind them are
 *     read and written back as they were
 */
import * as w from './assembler.mjs';
import { maskAt, stateAt, streamAt } from './chacha-memory.mjs';
import { blockSteps } from './poly1305.mjs';

const at = (base) => w.i32Const(base);
const add32 = (a, b) => [...a, ...b, 0xfd, 0xae, 0x01];
const shiftLeft32 = (a, bits) => [...a, ...w.i32Const(bits), 0xfd, 0xab, 0x01];
const splat = (address, offset) => [...address, 0xfd, 0x09, 2, ...w.leb(offset)];
const words = (...values) => w.vConst(values.flatMap((v) => [v & 255, (v >>> 8) & 255, (v >>> 16) & 255, v >>> 24]));
const sigma = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/** Rotates each word of a vector to the left. */
function rotateWords({ get, set }, name, bits) {
  const by = bits / 8;
  const bytes = Array.from({ length: 16 }, (_, i) => (i & ~3) | ((i - by + 4) & 3));
  return bits % 8 === 0
    ? set(name, w.permute(get(name), bytes))
    : set(name, w.or(shiftLeft32(get(name), bits), w.shiftRight(get(name), 32 - bits)));
}

export function chachaFunction() {
  const locals = w.createLocals(['from', 'to', 'count', 'at', 'pairs']);
  const mac = blockSteps(locals);
  const { get, set, tee } = locals;
  const x = (i) => get(`x${i}`);
  const initial = (i) => {
    if (i < 4) return words(...Array(4).fill(sigma[i]));
    const value = splat(at(0), stateAt + 4 * i);
    return i === 12 ? add32(value, words(0, 1, 2, 3)) : value;
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
      ...quads.flatMap((q) => rotateWords(locals, `x${q[d]}`, bits)),
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
  const body = [
    ...mac.load(),
    ...w.loopWhile(
      [
        ...[...Array(16).keys()].flatMap((i) => set(`x${i}`, initial(i))),
        ...set('rounds', w.i32Const(10), w.i32),
        ...set('left', get('pairs'), w.i32),
        ...w.loopWhile(
          [
            ...quarterRounds(columns),
            ...w.when(get('left'), [...mac.step(), ...mac.step(), ...set('left', w.i32Sub(get('left'), w.i32Const(1)), w.i32)]),
            ...quarterRounds(diagonals),
          ],
          tee('rounds', w.i32Sub(get('rounds'), w.i32Const(1))),
        ),
        ...[...Array(16).keys()].flatMap((i) => set(`x${i}`, add32(x(i), initial(i)))),
        ...output,
        ...w.i32Store(at(0), stateAt + 48, w.i32Add(w.i32Load(at(0), stateAt + 48), w.i32Const(4))),
        ...set('from', w.i32Add(get('from'), w.i32Const(256))),
        ...set('to', w.i32Add(get('to'), w.i32Const(256))),
      ],
      tee('count', w.i32Sub(get('count'), w.i32Const(1))),
    ),
    ...mac.store(),
  ];
  return { name: 'chacha', params: 5, declarations: locals.declarations(), body };
}

/**
 * The rows of two blocks in vectors: half the work of four blocks in columns, for records that need no
 * more.
 */
export function chachaTwoFunction() {
  const locals = w.createLocals([]);
  const { get, set, tee } = locals;
  const blocks = [0, 1];
  const rows = ['a', 'b', 'c', 'd'];
  const initial = (row, block) => {
    if (row === 'a') return words(...sigma);
    const value = w.load(at(0), stateAt + 16 * rows.indexOf(row));
    return row === 'd' && block === 1 ? add32(value, words(1, 0, 0, 0)) : value;
  };
  /** For both blocks: two chains that do not wait for each other. */
  const each = (step) => blocks.flatMap((block) => step((row) => `${row}${block}`));
  const mix = (to, by, turned, bits) => [
    ...each((name) => set(name(to), add32(get(name(to)), get(name(by))))),
    ...each((name) => set(name(turned), w.xor(get(name(turned)), get(name(to))))),
    ...each((name) => rotateWords(locals, name(turned), bits)),
  ];
  const quarterRounds = [
    ...mix('a', 'b', 'd', 16),
    ...mix('c', 'd', 'b', 12),
    ...mix('a', 'b', 'd', 8),
    ...mix('c', 'd', 'b', 7),
  ];
  const turn = (row, by) => each((name) => set(name(row), w.permute(get(name(row)), bytesOfWords(by))));
  const diagonalize = (b, d) => [...turn('b', b), ...turn('c', 2), ...turn('d', d)];
  const body = [
    ...blocks.flatMap((block) => rows.flatMap((row) => set(`${row}${block}`, initial(row, block)))),
    ...set('rounds', w.i32Const(10), w.i32),
    ...w.loopWhile(
      [...quarterRounds, ...diagonalize(1, 3), ...quarterRounds, ...diagonalize(3, 1)],
      tee('rounds', w.i32Sub(get('rounds'), w.i32Const(1))),
    ),
    ...blocks.flatMap((block) =>
      rows.flatMap((row, i) => w.store(at(0), streamAt + 64 * block + 16 * i, add32(get(`${row}${block}`), initial(row, block)))),
    ),
  ];
  return { name: 'chachaTwo', params: 0, declarations: locals.declarations(), body };
}

/** Words `by`, `by` + 1, … of four. */
function bytesOfWords(by) {
  return Array.from({ length: 16 }, (_, i) => (i + 4 * by) & 15);
}

export function xorFunction() {
  const locals = w.createLocals(['at', 'stream', 'length'], w.i32);
  const { get, set, tee } = locals;
  const advance = (name) => set(name, w.i32Add(get(name), w.i32Const(16)));
  const mask = w.load(w.i32Sub(w.i32Const(maskAt + 16), get('left')));
  const xored = (stream) => w.store(get('at'), 0, w.xor(w.load(get('at')), stream));
  const body = [
    ...w.when(
      tee('left', w.i32ShrU(get('length'), 4)),
      w.loopWhile(
        [...xored(w.load(get('stream'))), ...advance('at'), ...advance('stream')],
        tee('left', w.i32Sub(get('left'), w.i32Const(1))),
      ),
    ),
    ...w.when(tee('left', w.i32And(get('length'), w.i32Const(15))), xored(w.and(w.load(get('stream')), mask))),
  ];
  return { name: 'xor', params: 3, declarations: locals.declarations(), body };
}
