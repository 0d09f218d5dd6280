/*
 * ChaCha20-Poly1305 (RFC 8439 section 2.8):
 *
 *   protect (aadBytes, at, length, opening): protects `length` bytes in place, once state (with the
 *     counter at 0) and additional data, padded with zeros, are written. Sealing writes the tag behind
 *     them; opening compares it and gives 0 where it is wrong: the text is to be wiped then
 *   record (key, record, length, opening): the same for a record of DTLS 1.2 with `length` bytes of
 *     payload (RFC 7905 section 2)
 *
 * and what they are made of: see chacha20.mjs and poly1305.mjs. A key is 32 bytes, 4 zeros and the 12
 * bytes of the IV. No table, no branch and no address depends on a secret; whether a tag is right is none.
 */
import * as w from './assembler.mjs';
import { aadAt, lastAt, maskAt, stateAt, streamAt, tagAt, zerosAt } from './chacha-memory.mjs';
import { chachaFunction, chachaTwoFunction, xorFunction } from './chacha20.mjs';
import { polyBlocks, polyInit, polyTag } from './poly1305.mjs';

/** In the order of their numbers in the module. */
const makers = [chachaFunction, chachaTwoFunction, xorFunction, polyInit, polyBlocks, polyTag, protectFunction, recordFunction];
const numbers = ['chacha', 'chachaTwo', 'xor', 'polyInit', 'polyBlocks', 'polyTag', 'protect', 'record'];
const call = (name, ...args) => [...args.flat(), 0x10, ...w.leb(numbers.indexOf(name))];
const at = (base) => w.i32Const(base);

/** The first block of keystream is the key of Poly1305; it comes with the three after it. */
const firstBytes = 192;
const blockBytes = 64;
const groupBytes = 256;
const nonceOffset = 32;
const aadBytes = 13;
const headerBytes = 13;
/** Pairs of blocks that Poly1305 takes in meanwhile: those of the first bytes, or of a group. */
const firstPairs = firstBytes / 32;
const groupPairs = groupBytes / 32;

/** Compares unsigned. */
const atLeast = (value, least) => [...value, ...w.i32Const(least), 0x4f];
const add = (a, bytes) => w.i32Add(a, w.i32Const(bytes));
const keystream = (mac, pairs) => call('chacha', at(zerosAt), at(streamAt), at(1), mac, pairs);

/**
 * Encrypts, and takes in what is encrypted, behind it: `mac` is how far that has come. The last group's
 * bytes may be left, and those of the tail.
 */
function seal({ get, set, tee }) {
  const from = get('from');
  return [
    ...call('xor', get('at'), at(streamAt + 64), at(firstBytes)),
    ...set('pairs', at(firstPairs)),
    ...w.when(tee('groups', w.i32ShrU(get('left'), 8)), [
      ...call('chacha', from, from, at(1), get('mac'), get('pairs')),
      ...set('mac', from),
      ...set('pairs', at(groupPairs)),
      ...w.when(tee('groups', w.i32Sub(get('groups'), at(1))), [
        ...call('chacha', add(from, groupBytes), add(from, groupBytes), get('groups'), get('mac'), get('pairs')),
        ...set('mac', w.i32Add(get('mac'), w.i32Shl(get('groups'), 8))),
      ]),
    ]),
    ...w.when(get('tail'), [
      ...keystream(get('mac'), get('pairs')),
      ...set('mac', w.i32Add(get('mac'), w.i32Shl(get('pairs'), 5))),
      ...xorTail({ get }),
    ]),
  ];
}

/** Takes in, and decrypts what was taken in: all but the tail. */
function open({ get, set, tee }) {
  const from = get('from');
  return [
    ...call('polyBlocks', get('at'), at(firstBytes / 16)),
    ...call('xor', get('at'), at(streamAt + 64), at(firstBytes)),
    ...set('mac', from),
    ...w.when(tee('groups', w.i32ShrU(get('left'), 8)), [
      ...call('chacha', from, from, get('groups'), get('mac'), at(groupPairs)),
      ...set('mac', w.i32Add(get('mac'), w.i32Shl(get('groups'), 8))),
    ]),
    ...w.when(get('tail'), [
      ...set('pairs', w.i32ShrU(w.i32Sub(get('end'), get('mac')), 5)),
      ...keystream(get('mac'), get('pairs')),
      ...set('mac', w.i32Add(get('mac'), w.i32Shl(get('pairs'), 5))),
    ]),
  ];
}

function xorTail({ get }) {
  return call('xor', w.i32Sub(get('end'), get('tail')), at(streamAt), get('tail'));
}

/** Takes in what is left of the text, from `mac` on, and the lengths, and makes the tag. */
function finishMac({ get, tee }) {
  const mask = w.load(w.i32Sub(w.i32Const(maskAt + 16), get('rest')));
  const lengths = w.setWord(w.setWord(w.vConst(Array(16).fill(0)), 0, get('aadBytes')), 2, get('length'));
  return [
    ...w.when(tee('blocks', w.i32ShrU(w.i32Sub(get('end'), get('mac')), 4)), call('polyBlocks', get('mac'), get('blocks'))),
    ...w.store(at(0), lastAt + 16, lengths),
    ...w.whenElse(
      tee('rest', w.i32And(get('length'), w.i32Const(15))),
      [
        ...w.store(at(0), lastAt, w.and(w.load(w.i32Sub(get('end'), get('rest'))), mask)),
        ...call('polyBlocks', at(lastAt), at(2)),
      ],
      call('polyBlocks', at(lastAt + 16), at(1)),
    ),
    ...call('polyTag', at(tagAt)),
  ];
}

function protectFunction() {
  const locals = w.createLocals(['aadBytes', 'at', 'length', 'opening'], w.i32);
  const { get, set, tee } = locals;
  const xorAll = call('xor', get('at'), at(streamAt + 64), get('length'));
  const body = [
    ...w.whenElse(atLeast(get('length'), blockBytes + 1), keystream(at(0), at(0)), call('chachaTwo')),
    ...call('polyInit', at(streamAt)),
    ...w.when(get('aadBytes'), call('polyBlocks', at(aadAt), w.i32ShrU(add(get('aadBytes'), 15), 4))),
    ...set('mac', get('at')),
    ...set('end', w.i32Add(get('at'), get('length'))),
    ...w.whenElse(
      tee('isLong', atLeast(get('length'), firstBytes + 1)),
      [
        ...set('from', add(get('at'), firstBytes)),
        ...set('left', w.i32Sub(get('length'), at(firstBytes))),
        ...set('tail', w.i32And(get('left'), at(groupBytes - 1))),
        ...w.whenElse(get('opening'), open(locals), seal(locals)),
      ],
      w.whenElse(get('opening'), [], xorAll),
    ),
    ...finishMac(locals),
    ...w.whenElse(
      get('opening'),
      [
        ...w.when(w.anyTrue(w.xor(w.load(at(tagAt)), w.load(get('end')))), [...w.i32Const(0), 0x0f]),
        ...w.whenElse(get('isLong'), w.when(get('tail'), xorTail(locals)), xorAll),
      ],
      w.store(get('end'), 0, w.load(at(tagAt))),
    ),
    ...w.i32Const(1),
  ];
  return { name: 'protect', params: 4, results: 1, declarations: locals.declarations(), body };
}

function recordFunction() {
  const locals = w.createLocals(['key', 'record', 'length', 'opening']);
  const { get, set } = locals;
  const zeros = w.vConst(Array(16).fill(0));
  // Epoch and sequence number, at 3 to 10, belong at the end of the nonce.
  const number = w.shuffle(get('header'), zeros, [16, 16, 16, 16, 16, 16, 16, 16, 3, 4, 5, 6, 7, 8, 9, 10]);
  const aad = w.shuffle(get('header'), zeros, [3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 16, 16, 16, 16, 16]);
  const body = [
    ...set('header', w.load(get('record'))),
    ...w.store(at(0), stateAt + 16, w.load(get('key'))),
    ...w.store(at(0), stateAt + 32, w.load(get('key'), 16)),
    ...w.store(at(0), stateAt + 48, w.xor(w.load(get('key'), nonceOffset), number)),
    ...w.store(at(0), aadAt, w.setByte(w.setByte(aad, 11, w.i32ShrU(get('length'), 8)), 12, get('length'))),
    ...call('protect', at(aadBytes), w.i32Add(get('record'), w.i32Const(headerBytes)), get('length'), get('opening')),
  ];
  return { name: 'record', params: 4, results: 1, declarations: locals.declarations(), body };
}

export function assembleChachaKernel() {
  const functions = makers.map((make) => make());
  if (functions.some(({ name }, i) => name !== numbers[i])) throw new RangeError('a function has another number');
  return w.assembleModule(functions, { at: maskAt, bytes: Array(16).fill(255) });
}

/**
 * Swizzles by value in the module and by what it holds: two rotations by whole bytes in each quarter
 * round, of which there are eight, or two for each of two blocks, and then six turns of rows.
 */
export function countSwizzles() {
  return { marked: w.countMarks(assembleChachaKernel()), emitted: 2 * 8 + 2 * (2 * 2 + 6) };
}
