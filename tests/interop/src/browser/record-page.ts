/*
 * Runs in the browser under test: seals and opens records that node:crypto has made, with one engine.
 */
import {
  createRecordArena,
  createRecordCipher,
  createRecordQueue,
  type Engine,
  type RecordAlgorithm,
  type RecordCipher,
} from '@millrace/crypto';

/** Bytes are hexadecimal. */
export interface RecordCase {
  readonly algorithm: RecordAlgorithm;
  readonly engine: Engine;
  readonly inArena: boolean;
  readonly key: string;
  readonly iv: string;
  readonly payloads: readonly string[];
  /** The sealed records, with ascending sequence numbers. */
  readonly records: readonly string[];
}

export interface RecordOutcome {
  /** What the cipher says of itself. */
  readonly engine: Engine;
  readonly failures: readonly string[];
}

const headerBytes = 13;
const slotBytes = 17_000;
const batch = 4;

export default function run(given: RecordCase): RecordOutcome {
  const { algorithm, engine, inArena } = given;
  const key = fromHex(given.key);
  const iv = fromHex(given.iv);
  const make = (): RecordCipher => createRecordCipher({ algorithm, key, iv, engine });
  const records = given.records.map(fromHex);
  const payloads = given.payloads.map(fromHex);
  const failures: string[] = [];
  const check = (holds: boolean, what: string, index: number): void => {
    if (!holds) failures.push(`${what}, payload of ${payloads[index]!.length} bytes`);
  };
  const arena = createRecordArena({ slotBytes, slots: batch, payloadSkew: 11 });
  const slots = Array.from({ length: batch }, () => arena.take());
  const data = inArena ? arena.data : new Uint8Array(batch * slotBytes + 3);
  const startOf = (place: number): number => (inArena ? slots[place]! : 3 + place * slotBytes);
  const cipher = make();
  const payloadOffset = headerBytes + cipher.explicitNonceBytes;

  /** The record without its nonce, ciphertext and tag, with its payload. */
  const putPlain = (index: number, place: number): [start: number, end: number] => {
    const start = startOf(place);
    const end = start + records[index]!.length;
    data.fill(0, start, end);
    data.set(records[index]!.subarray(0, headerBytes), start);
    data.set(payloads[index]!, start + payloadOffset);
    return [start, end];
  };
  const putSealed = (index: number, place: number): [start: number, end: number] => {
    const start = startOf(place);
    data.set(records[index]!, start);
    return [start, start + records[index]!.length];
  };
  const isSealed = (index: number, start: number): boolean => records[index]!.every((byte, i) => byte === data[start + i]);
  const isOpened = (index: number, start: number): boolean =>
    payloads[index]!.every((byte, i) => byte === data[start + payloadOffset + i]);

  for (const index of records.keys()) {
    const [start, end] = putPlain(index, 0);
    cipher.sealRecord(data, start, end);
    check(isSealed(index, start), 'sealed alone', index);
  }
  const opener = make();
  for (const index of records.keys()) {
    const [start, end] = putSealed(index, 0);
    check(opener.openRecord(data, start, end) && isOpened(index, start), 'opened alone', index);
    for (let at = 0; at < end - start; at = at < 24 ? at + 1 : at + Math.ceil((end - start) / 5)) {
      // The length is what the caller says, and the version is checked before.
      if (at === 1 || at === 2 || at === 11 || at === 12) continue;
      putSealed(index, 0);
      data[start + at]! ^= 1 << (at & 7);
      const isRefused = !opener.openRecord(data, start, end);
      const isWiped = data.subarray(start + payloadOffset, end - opener.tagBytes).every((byte) => byte === 0);
      check(isRefused && isWiped, `refused with byte ${at} changed`, index);
    }
  }

  const queue = createRecordQueue(inArena ? arena : undefined);
  const sealers = Array.from({ length: batch }, make);
  const openers = Array.from({ length: batch }, make);
  for (let first = 0; first < records.length; first += batch) {
    const indices = [...records.keys()].slice(first, first + batch);
    const placed = indices.map((index, place) => putPlain(index, place));
    for (const [place, [start, end]] of placed.entries()) queue.seal(sealers[place]!, data, start, end);
    queue.flush();
    for (const [place, index] of indices.entries()) check(isSealed(index, placed[place]![0]), 'sealed in a batch', index);
    const results: boolean[] = [];
    const sink = { recordOpened: (_d: Uint8Array, _s: number, _e: number, authentic: boolean) => void results.push(authentic) };
    for (const [place, [start, end]] of placed.entries()) queue.open(openers[place]!, data, start, end, sink);
    queue.flush();
    for (const [place, index] of indices.entries()) {
      check(results[place] === true && isOpened(index, placed[place]![0]), 'opened in a batch', index);
    }
  }
  return { engine: cipher.engine, failures };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
