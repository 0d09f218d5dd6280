/*
 * What CCM (RFC 3610) does around its AES, for the records of DTLS 1.2:
 *
 *   stage (lane, key, record, length, stream, opening): writes B_0 and the additional data of a
 *     record with `length` bytes of payload into its lane, then does what `begin` does
 *   begin (lane, key, at, length, stream, opening): readies a lane whose head is written: pads the
 *     payload at `at` to whole blocks, over its tag, and sets the pointers for the head
 *   finish (lane): writes or compares the tag; 0 where it is wrong
 *   frame (lane, chain), unframe (lane): for a MAC made elsewhere: head, plaintext and padding in one
 *     run from 32 bytes before the payload on, the first block XORed with `chain`; and all as it was
 *   counters (to, n0, n1, n2, blocks, records): the counter blocks of `records` nonces that ascend
 *     from n0 | n1 | n2, `blocks` each
 *
 * A descriptor (`lane` is its address):
 *
 *   0 key | 4 data | 8 keystream | 12 payload | 16 state | 32 opening mask | 48 MAC | 64 what stood
 *   behind the payload | 80 length | 84 stream | 88 opening | 96 head: B_0, additional data
 *
 * A key: schedule (256) | flags, salt and zeros, as B_0 begins (16) | mask of the tag (16).
 * A stream: the block that masks the tag, then the payload's keystream.
 *
 * No address and no branch depends on a secret.
 */
import { aesFunctions, aesSwizzles, laneBytes } from './aes-kernel.mjs';
import * as w from './assembler.mjs';

const lanes = 4;
/** Sixteen bytes of ones, then zeros: read at 16 - n, the mask of n bytes. */
const maskAt = 640;
/** Keystream of a head. */
const zerosAt = 672;
const templateOffset = 256;
const tagMaskOffset = 272;
const headOffset = 96;

const word = (lane, at) => w.i32Load(lane, at);
const add = (a, n) => w.i32Add(a, w.i32Const(n));

function beginFunction(name, params, compose) {
  const locals = w.createLocals(params);
  const { get, set } = locals;
  const lane = get('lane');
  const mask = w.splat(w.i32Sub(w.i32Const(0), get('opening')));
  const body = [
    ...compose(locals),
    ...w.i32Store(lane, 0, get('key')),
    ...w.i32Store(lane, 4, add(lane, headOffset)),
    ...w.i32Store(lane, 8, w.i32Const(zerosAt)),
    ...w.i32Store(lane, 12, get('at')),
    // The chain begins with zeros; the kernels keep the first round key added to it.
    ...w.store(lane, 16, w.load(get('key'))),
    ...w.store(lane, 32, mask),
    ...w.i32Store(lane, 80, get('length')),
    ...w.i32Store(lane, 84, get('stream')),
    ...w.i32Store(lane, 88, get('opening')),
    ...set('end', w.i32Add(get('at'), get('length')), w.i32),
    ...w.store(lane, 64, w.load(get('end'))),
    // Padding: zeros to seal; to open, what the keystream will turn into zeros.
    ...set('rest', w.i32And(get('length'), w.i32Const(15)), w.i32),
    ...w.when(get('rest'), [
      ...set('last', w.i32Sub(get('end'), get('rest')), w.i32),
      ...set('keep', w.load(w.i32Sub(w.i32Const(maskAt + 16), get('rest')))),
      ...set('padding', w.and(w.load(w.i32Add(get('stream'), w.i32Sub(get('length'), get('rest'))), 16), mask)),
      ...w.store(get('last'), 0, w.select(w.load(get('last')), get('padding'), get('keep'))),
    ]),
  ];
  return { name, params: params.length, declarations: locals.declarations(), body };
}

/** Writes the head of a record (RFC 3610 section 2.2, RFC 6655 section 3), and the explicit nonce where it seals. */
function composeHead({ get, set }) {
  const record = get('record');
  const lengthHigh = w.i32ShrU(get('length'), 8);
  return [
    ...set('header', w.load(record)),
    ...w.whenElse(get('opening'), set('explicit', w.loadHalf(record, 13)), [
      ...set('explicit', w.loadHalf(record, 3)),
      ...w.storeHalf(record, 13, get('explicit'), 0),
    ]),
    ...set(
      'b0',
      w.shuffle(w.load(get('key'), templateOffset), get('explicit'), [0, 1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22, 23, 13, 14, 15]),
    ),
    ...set('b0', w.setByte(w.setByte(get('b0'), 14, lengthHigh), 15, get('length'))),
    ...w.store(get('lane'), headOffset, get('b0')),
    // Length of the additional data | epoch, sequence number | type, version | length | padding.
    ...set('aad', w.shuffle(get('header'), w.vConst(Array(16).fill(0)), [16, 16, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1, 2, 16, 16, 16])),
    ...set('aad', w.setByte(w.setByte(w.setByte(get('aad'), 1, w.i32Const(13)), 13, lengthHigh), 14, get('length'))),
    ...w.store(get('lane'), headOffset + 16, get('aad')),
    ...set('at', add(record, 21), w.i32),
  ];
}

function finishFunction() {
  const locals = w.createLocals(['lane']);
  const { get, set } = locals;
  const lane = get('lane');
  const bothHalves = (value) => [
    ...w.storeHalf(get('end'), 0, value, 0),
    ...w.when(get('isLong'), w.storeHalf(get('end'), 8, value, 1)),
  ];
  const body = [
    ...set('end', w.i32Add(word(lane, 12), word(lane, 80)), w.i32),
    ...set('isLong', w.i32Load(word(lane, 0), tagMaskOffset + 8), w.i32),
    ...set('tag', w.xor(w.load(lane, 48), w.load(word(lane, 84)))),
    ...set('behind', w.load(lane, 64)),
    ...w.whenElse(
      word(lane, 88),
      [
        ...w.when(w.anyTrue(w.and(w.xor(get('tag'), get('behind')), w.load(word(lane, 0), tagMaskOffset))), [
          ...w.i32Const(0),
          0x0f,
        ]),
        ...bothHalves(get('behind')),
      ],
      bothHalves(get('tag')),
    ),
    ...w.i32Const(1),
  ];
  return { name: 'finish', params: 1, results: 1, declarations: locals.declarations(), body };
}

/** XORs the stream into the whole blocks of the payload. */
function xorPayload({ get, set, tee }) {
  const lane = get('lane');
  return [
    ...set('at', word(lane, 12), w.i32),
    ...set('stream', word(lane, 84), w.i32),
    ...w.when(
      tee('blocks', w.i32ShrU(add(word(lane, 80), 15), 4), w.i32),
      w.loopWhile(
        [
          ...w.store(get('at'), 0, w.xor(w.load(get('at')), w.load(get('stream'), 16))),
          ...set('at', add(get('at'), 16), w.i32),
          ...set('stream', add(get('stream'), 16), w.i32),
        ],
        tee('blocks', w.i32Sub(get('blocks'), w.i32Const(1)), w.i32),
      ),
    ),
  ];
}

/** While a record is framed, its state and mask, which nobody uses then, hold what stood before the payload. */
function frameFunction() {
  const locals = w.createLocals(['lane', 'chain']);
  const { get, set } = locals;
  const lane = get('lane');
  const body = [
    ...w.when(word(lane, 88), xorPayload(locals)),
    ...set('before', w.i32Sub(word(lane, 12), w.i32Const(32)), w.i32),
    ...w.store(lane, 16, w.load(get('before'))),
    ...w.store(lane, 32, w.load(get('before'), 16)),
    ...w.store(get('before'), 0, w.xor(w.load(lane, headOffset), w.load(get('chain')))),
    ...w.store(get('before'), 16, w.load(lane, headOffset + 16)),
  ];
  return { name: 'frame', params: 2, declarations: locals.declarations(), body };
}

function unframeFunction() {
  const locals = w.createLocals(['lane']);
  const { get, set } = locals;
  const lane = get('lane');
  const body = [
    ...set('before', w.i32Sub(word(lane, 12), w.i32Const(32)), w.i32),
    ...w.store(get('before'), 0, w.load(lane, 16)),
    ...w.store(get('before'), 16, w.load(lane, 32)),
    ...w.whenElse(word(lane, 88), [], xorPayload(locals)),
  ];
  return { name: 'unframe', params: 1, declarations: locals.declarations(), body };
}

function countersFunction() {
  const locals = w.createLocals(['to', 'n0', 'n1', 'n2', 'blocks', 'records'], w.i32);
  const { get, set, tee } = locals;
  const nonce = ['n0', 'n1', 'n2'].reduce((all, name, i) => w.setWord(all, i, get(name)), w.vConst(Array(16).fill(0)));
  // Big-endian words, one byte further: L - 1 stands before the nonce (RFC 3610 section 2.3).
  const template = w.setByte(w.shuffle(nonce, nonce, [12, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 12, 12, 12]), 0, w.i32Const(2));
  const low = w.i32And(get('n2'), w.i32Const(255));
  const counter = w.i32Or(w.i32Shl(w.i32ShrU(get('block'), 8), 16), w.i32Shl(get('block'), 24));
  const body = w.loopWhile(
    [
      ...set('template', template, w.v128),
      ...set('block', w.i32Const(0)),
      ...w.loopWhile(
        [
          ...w.store(get('to'), 0, w.setWord(get('template'), 3, w.i32Or(low, counter))),
          ...set('to', add(get('to'), 16)),
          ...set('block', add(get('block'), 1)),
        ],
        w.i32Sub(get('blocks'), get('block')),
      ),
      ...set('n2', add(get('n2'), 1)),
    ],
    tee('records', w.i32Sub(get('records'), w.i32Const(1))),
  );
  return { name: 'counters', params: 6, declarations: locals.declarations(), body };
}

export function assembleCcmKernel() {
  const { functions, data } = aesFunctions();
  if (lanes * laneBytes > data.at || data.at + data.bytes.length > maskAt)
    throw new RangeError('the memory of the kernel overlaps');
  const zeros = Array(maskAt - data.at - data.bytes.length).fill(0);
  return w.assembleModule(
    [
      ...functions,
      beginFunction('stage', ['lane', 'key', 'record', 'length', 'stream', 'opening'], composeHead),
      beginFunction('begin', ['lane', 'key', 'at', 'length', 'stream', 'opening'], () => []),
      finishFunction(),
      frameFunction(),
      unframeFunction(),
      countersFunction(),
    ],
    { at: data.at, bytes: [...data.bytes, ...zeros, ...Array(16).fill(255)] },
  );
}

/** Swizzles by value in the module, and as many as it was given. */
export function countSwizzles() {
  return { marked: w.countMarks(assembleCcmKernel()), emitted: aesSwizzles() };
}
