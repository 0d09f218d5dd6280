/*
 * What every engine of every provider must do with the records of one algorithm.
 */
import { copyOf, randomBytes, randomUint32, seededRandom } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/aead.ts';
import type { RecordAlgorithm, RecordCipher } from '../../src/record.ts';
import type { RecordCipherOptions } from '../../src/record/record-cipher-options.ts';
import { algorithms, oracleRecord, type OracleRecord } from './oracle.ts';
import { hexOf } from './read-vector.ts';
import { isGuarded, type Room, roomMaker } from './room.ts';
import { sharingBytes } from './sharing-bytes.ts';

/** A record in a room. */
interface Placed extends Room {
  readonly start: number;
  readonly end: number;
}

const sizes = [
  0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 511, 1023, 1024, 1200, 1399, 1400, 4096, 16_383, 16_384,
];
const limit = 2 ** 48 - 1;

export function recordCases(
  createRecordCipher: (options: RecordCipherOptions) => RecordCipher,
  algorithm: RecordAlgorithm,
  engine: Engine,
  inArena = false,
): void {
  const makeRoom = roomMaker(inArena);
  const { keyBytes, ivBytes, tagBytes } = algorithms.find((entry) => entry.algorithm === algorithm)!;
  const random = seededRandom(algorithm.length * 31 + engine.length);
  const key = randomBytes(random, keyBytes);
  const iv = randomBytes(random, ivBytes);
  const nonceBytes = ivBytes === 4 ? 8 : 0;
  const create = (): RecordCipher => make({});
  const oracle = (record: OracleRecord): Uint8Array => oracleRecord(algorithm, key, iv, record);

  function make(change: Partial<RecordCipherOptions>): RecordCipher {
    return createRecordCipher({ algorithm, key, iv, engine, ...change });
  }

  function place(offset: number, ...parts: readonly (readonly [number, Uint8Array])[]): Placed {
    const bytes = Math.max(...parts.map(([at, part]) => at + part.length));
    const room = makeRoom(offset + bytes + 40);
    const start = room.from + offset;
    for (const [at, part] of parts) room.data.set(part, start + at);
    return { ...room, start, end: start + bytes };
  }

  /** A record ready to be sealed, `offset` bytes into a room with guard bytes around it. */
  function unsealed(record: OracleRecord, offset: number): Placed {
    const whole = oracle(record);
    const tag = new Uint8Array(tagBytes);
    return place(offset, [0, whole.subarray(0, 13)], [13 + nonceBytes, record.payload], [whole.length - tagBytes, tag]);
  }

  /** A sealed record, `offset` bytes into a room with guard bytes around it. */
  function sealed(record: OracleRecord, offset: number): Placed {
    return place(offset, [0, oracle(record)]);
  }

  function expectSeals(cipher: RecordCipher, record: OracleRecord, offset: number): void {
    const placed = unsealed(record, offset);
    const { data, start, end } = placed;
    cipher.sealRecord(data, start, end);
    const message = `${record.payload.length} bytes at ${offset}, sequence number ${record.sequenceNumber}`;
    expect(hexOf(data.subarray(start, end)), message).toBe(hexOf(oracle(record)));
    expect(isGuarded(placed, start, end), message).toBe(true);
  }

  function expectOpens(cipher: RecordCipher, record: OracleRecord, offset: number): void {
    const placed = sealed(record, offset);
    const { data, start, end } = placed;
    const message = `${record.payload.length} bytes at ${offset}, sequence number ${record.sequenceNumber}`;
    expect(cipher.openRecord(data, start, end), message).toBe(true);
    const payloadStart = start + 13 + nonceBytes;
    expect(hexOf(data.subarray(payloadStart, payloadStart + record.payload.length)), message).toBe(hexOf(record.payload));
    expect(data.subarray(start, start + 13)).toEqual(oracle(record).subarray(0, 13));
    expect(isGuarded(placed, start, end), message).toBe(true);
  }

  function expectRejects(cipher: RecordCipher, placed: Placed, message: string): void {
    const { data, start, end } = placed;
    expect(cipher.openRecord(data, start, end), message).toBe(false);
    const payloadStart = start + 13 + nonceBytes;
    expect(
      data.subarray(payloadStart, end - tagBytes).every((byte) => byte === 0),
      `${message}: plaintext is wiped`,
    ).toBe(true);
    expect(isGuarded(placed, start, end), message).toBe(true);
  }

  describe(`${algorithm}, ${engine}, ${inArena ? 'in a record arena' : 'in buffers'}`, () => {
    test('says what it is', () => {
      const cipher = create();
      expect(cipher.algorithm).toBe(algorithm);
      expect(cipher.tagBytes).toBe(tagBytes);
      expect(cipher.explicitNonceBytes).toBe(nonceBytes);
      if (engine !== 'auto') expect(cipher.engine).toBe(engine);
      cipher.destroy();
    });

    test('seals ascending records of every size as the oracle does', () => {
      const cipher = create();
      let sequenceNumber = 0;
      for (const offset of [0, 3, 11, 16]) {
        for (const size of sizes)
          expectSeals(cipher, { sequenceNumber: sequenceNumber++, payload: randomBytes(random, size) }, offset);
      }
    });

    test('opens ascending records of every size', () => {
      const cipher = create();
      let sequenceNumber = 0;
      for (const offset of [0, 3, 11, 16]) {
        for (const size of sizes)
          expectOpens(cipher, { sequenceNumber: sequenceNumber++, payload: randomBytes(random, size) }, offset);
      }
    });

    test('keeps step through hundreds of records of one size, then of another', () => {
      const seal = create();
      const open = create();
      let sequenceNumber = 5;
      for (const size of [1200, 40, 1200, 0, 300]) {
        for (let i = 0; i < 120; i++) {
          const record = { sequenceNumber: sequenceNumber++, payload: randomBytes(random, size) };
          expectSeals(seal, record, 5);
          expectOpens(open, record, 5);
        }
      }
    });

    test.each([1, 2, 3])('takes sequence numbers with gaps, out of order and repeated (seed %d)', (seed) => {
      const order = seededRandom(seed);
      const seal = create();
      const open = create();
      let base = 0;
      for (let i = 0; i < 300; i++) {
        const kind = randomUint32(order) % 10;
        if (kind < 6) base++;
        else if (kind < 8) base += randomUint32(order) % 40;
        else if (kind === 8) base += 2 ** 32 + randomUint32(order);
        const sequenceNumber = Math.min(limit, kind === 9 ? Math.max(0, base - (randomUint32(order) % 64)) : base);
        const record = { epoch: 1 + (i >> 7), sequenceNumber, payload: randomBytes(order, randomUint32(order) % 1500) };
        expectSeals(seal, record, i % 16);
        expectOpens(open, record, i % 16);
      }
    });

    test('works around the largest sequence numbers and the carry into their high half', () => {
      const seal = create();
      const open = create();
      for (const base of [2 ** 32 - 40, limit - 80]) {
        for (let i = 0; i < 80; i++) {
          const record = { epoch: 65_535, sequenceNumber: base + i, payload: randomBytes(random, 100) };
          expectSeals(seal, record, 0);
          expectOpens(open, record, 0);
        }
      }
    });

    test('binds content type, version and epoch', () => {
      const cipher = create();
      for (const type of [20, 21, 22, 23, 24]) expectOpens(cipher, { type, epoch: 7, payload: randomBytes(random, 20) }, 1);
      const record = { sequenceNumber: 9, payload: randomBytes(random, 50) };
      for (let at = 0; at < 11; at++) {
        const placed = sealed(record, 8);
        placed.data[placed.start + at]! ^= 1;
        expectRejects(cipher, placed, `header byte ${at}`);
      }
    });

    test('a bit changed in any field is found and the plaintext wiped', () => {
      const cipher = create();
      for (const size of [0, 1, 16, 40, 300, 1200]) {
        const record = { sequenceNumber: size, payload: randomBytes(random, size) };
        const whole = oracle(record);
        const step = Math.max(1, Math.floor(whole.length / 60));
        for (let at = 13; at < whole.length; at += at > whole.length - tagBytes - 2 ? 1 : step) {
          const placed = sealed(record, 4);
          placed.data[placed.start + at]! ^= 1 << (at & 7);
          expectRejects(cipher, placed, `${size} bytes, byte ${at}`);
        }
        expectOpens(cipher, record, 4);
      }
    });

    test('forged records between good ones disturb nothing', () => {
      const cipher = create();
      for (let i = 0; i < 200; i++) {
        const forged = sealed(
          { sequenceNumber: (randomUint32(random) % 2) * 2 ** 33 + randomUint32(random), payload: randomBytes(random, 200) },
          0,
        );
        forged.data[forged.end - 1]! ^= 0x80;
        expectRejects(cipher, forged, 'forged');
        expectOpens(cipher, { sequenceNumber: i, payload: randomBytes(random, 200) }, 0);
      }
    });

    if (nonceBytes === 8) {
      test('D24: opens records whose explicit nonce has nothing to do with the sequence number', () => {
        const cipher = create();
        for (let i = 0; i < 100; i++) {
          expectOpens(
            cipher,
            { sequenceNumber: i, explicitNonce: randomBytes(random, 8), payload: randomBytes(random, i * 13) },
            i % 5,
          );
        }
        for (let i = 0; i < 50; i++) expectOpens(cipher, { sequenceNumber: i, payload: randomBytes(random, 64) }, 2);
      });
    }

    test('records that are too short are refused and never throw', () => {
      const cipher = create();
      const shortest = 13 + nonceBytes + tagBytes;
      for (let length = 0; length < shortest; length++) expect(cipher.openRecord(new Uint8Array(64), 0, length)).toBe(false);
      expect(cipher.openRecord(new Uint8Array(64), 0, shortest)).toBe(false);
      expect(cipher.openRecord(new Uint8Array(64), 40, 70)).toBe(false);
      expect(() => cipher.sealRecord(new Uint8Array(64), 0, shortest - 1)).toThrow(RangeError);
      expect(() => cipher.sealRecord(new Uint8Array(64), 40, 80)).toThrow(RangeError);
    });

    test('a key that the caller wipes after creation makes no difference', () => {
      for (const copy of [copyOf, sharingBytes]) {
        const keyCopy = copy(key);
        const ivCopy = copy(iv);
        const cipher = createRecordCipher({ algorithm, key: keyCopy, iv: ivCopy, engine });
        keyCopy.fill(0);
        ivCopy.fill(0);
        for (const sequenceNumber of [0, 1, 5]) {
          for (const size of [30, 1300, 7000]) expectSeals(cipher, { sequenceNumber, payload: randomBytes(random, size) }, 0);
        }
      }
    });

    test('what the caller gave is neither changed nor wiped', () => {
      const given = { key: sharingBytes(key), iv: sharingBytes(iv) };
      const cipher = createRecordCipher({ algorithm, ...given, engine });
      for (const size of [30, 7000]) expectSeals(cipher, { payload: randomBytes(random, size) }, 0);
      cipher.destroy();
      expect(hexOf(given.key)).toBe(hexOf(key));
      expect(hexOf(given.iv)).toBe(hexOf(iv));
    });

    test('options that do not fit throw and name what is allowed', () => {
      expect(() => make({ key: key.subarray(1) })).toThrow(/key must have/);
      expect(() => make({ key: 'secret' as unknown as Uint8Array })).toThrow(TypeError);
      expect(() => make({ iv: new Uint8Array(5) })).toThrow(/iv must have/);
      expect(() => make({ engine: 'fast' as Engine })).toThrow(/engine must be one of/);
      expect(() => make({ algorithm: 'toString' as RecordAlgorithm })).toThrow(/algorithm must be one of/);
    });
  });
}
