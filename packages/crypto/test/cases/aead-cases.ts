/*
 * What every engine of every provider must do as a plain AEAD.
 */
import { concatBytes, randomBytes, randomUint32, seededRandom } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import type { Aead, Engine } from '../../src/aead.ts';
import type { AeadFactories } from '../../src/record/create-record-cipher-with.ts';
import { oracleSeal } from './oracle.ts';
import { hex, hexOf, readVector } from './read-vector.ts';
import { isGuarded, roomMaker } from './room.ts';
import { sharingBytes } from './sharing-bytes.ts';

export function aeadCases(factories: AeadFactories, engines: Readonly<Record<keyof AeadFactories, readonly Engine[]>>): void {
  for (const engine of engines.createCcm) {
    describe(`CCM, ${engine}`, () => {
      nistCases(factories, engine);
      test('D24: agrees with the packets of RFC 3610 both ways, and refuses every flipped bit of a tag', () => {
        const packets: Rfc3610Packet[] = JSON.parse(readVector('rfc3610.json'));
        const aead = factories.createCcm(countUp(0xc0, 16), { tagBytes: 8, engine });
        for (const packet of packets) {
          const nonce = hex(packet.nonce);
          const plaintext = countUp(packet.aadBytes, packet.packetBytes - packet.aadBytes);
          const aad = countUp(0, packet.aadBytes);
          const data = concatBytes(plaintext, new Uint8Array(8));
          aead.seal(nonce, aad, data, 0, plaintext.length);
          expect(hexOf(data)).toBe(packet.sealed);
          expect(aead.open(nonce, aad, data, 0, data.length)).toBe(true);
          expect(data.subarray(0, plaintext.length)).toEqual(plaintext);
          for (let bit = 0; bit < 64; bit++) {
            const forged = hex(packet.sealed);
            forged[plaintext.length + (bit >>> 3)]! ^= 1 << (bit & 7);
            expect(aead.open(nonce, aad, forged, 0, forged.length), `bit ${bit}`).toBe(false);
          }
        }
        expect(packets).toHaveLength(6);
      });
      for (const keyBytes of [16, 32]) {
        for (const tagBytes of [8, 16] as const) {
          differential(`aes-${keyBytes * 8}-ccm`, keyBytes, tagBytes, engine, (key) =>
            factories.createCcm(key, { tagBytes, engine }),
          );
        }
      }
      test('options that do not fit throw', () => {
        expect(() => factories.createCcm(new Uint8Array(24), { engine })).toThrow(/key must have 16 or 32 bytes/);
        expect(() => factories.createCcm(new Uint8Array(16), { engine, tagBytes: 12 as 8 })).toThrow(/tagBytes must be 8 or 16/);
        expect(() => factories.createCcm('0'.repeat(16) as unknown as Uint8Array)).toThrow(TypeError);
      });
      test('D24: a payload longer than the nonce leaves room to count is refused', () => {
        const aead = factories.createCcm(new Uint8Array(16), { engine });
        const data = new Uint8Array(65_536 + 16);
        const aad = new Uint8Array(0);
        expect(() => aead.seal(new Uint8Array(13), aad, data, 0, 65_536)).toThrow(/at most 65535/);
        expect(aead.open(new Uint8Array(13), aad, data, 0, 65_552)).toBe(false);
        aead.seal(new Uint8Array(13), aad, data, 0, 65_535);
        expect(aead.open(new Uint8Array(13), aad, data, 0, 65_551)).toBe(true);
      });
      misuse(engine, [7, 8, 9, 10, 11, 12, 13], () => factories.createCcm(new Uint8Array(16), { engine }));
      keyIsCopied(16, (key) => factories.createCcm(key, { engine }));
    });
  }
  for (const engine of engines.createGcm) {
    describe(`GCM, ${engine}`, () => {
      differential('aes-128-gcm', 16, 16, engine, (key) => factories.createGcm(key, { engine }));
      differential('aes-256-gcm', 32, 16, engine, (key) => factories.createGcm(key, { engine }));
      misuse(engine, [12], () => factories.createGcm(new Uint8Array(16), { engine }));
      keyIsCopied(16, (key) => factories.createGcm(key, { engine }));
    });
  }
  for (const engine of engines.createChaCha20Poly1305) {
    describe(`ChaCha20-Poly1305, ${engine}`, () => {
      differential('chacha20-poly1305', 32, 16, engine, (key) => factories.createChaCha20Poly1305(key, { engine }));
      misuse(engine, [12], () => factories.createChaCha20Poly1305(new Uint8Array(32), { engine }));
      keyIsCopied(32, (key) => factories.createChaCha20Poly1305(key, { engine }));
    });
  }
}

interface Rfc3610Packet {
  readonly nonce: string;
  readonly aadBytes: number;
  readonly packetBytes: number;
  readonly sealed: string;
}

function countUp(first: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => first + i);
}

function misuse(engine: Engine, nonceLengths: readonly number[], create: () => Aead): void {
  test('D24: a nonce of another length is refused at once, whichever way', () => {
    const aead = create();
    const aad = new Uint8Array(13);
    for (let length = 0; length <= 20; length++) {
      const data = new Uint8Array(64);
      const nonce = new Uint8Array(length);
      if (nonceLengths.includes(length)) {
        aead.seal(nonce, aad, data, 0, 40);
        expect(aead.open(nonce, aad, data, 0, 40 + aead.tagBytes)).toBe(true);
      } else {
        expect(() => aead.seal(nonce, aad, data, 0, 40)).toThrow(/nonce must have/);
        expect(() => aead.open(nonce, aad, data, 0, 56)).toThrow(RangeError);
      }
    }
  });

  test('arguments that do not fit throw and name what is wrong', () => {
    const aead = create();
    const bytes = new Uint8Array(12);
    const data = new Uint8Array(64);
    for (const [start, end] of [
      [-1, 10],
      [10, 9],
      [0, 49],
      [0, 65],
      [0.5, 10],
      [0, Number.NaN],
    ] as const) {
      expect(() => aead.seal(bytes, bytes, data, start, end), `${start} to ${end}`).toThrow(/start and end must/);
    }
    for (const [start, end] of [
      [-1, 30],
      [30, 9],
      [0, 65],
      [0.5, 30],
      [Number.NaN, 30],
    ] as const) {
      expect(() => aead.open(bytes, bytes, data, start, end), `${start} to ${end}`).toThrow(/start and end must/);
    }
    expect(() => aead.seal(bytes, bytes, [] as unknown as Uint8Array, 0, 0)).toThrow(/data must be/);
    expect(() => aead.seal(bytes, undefined as unknown as Uint8Array, data, 0, 0)).toThrow(/aad must be/);
    expect(() => aead.open('nonce' as unknown as Uint8Array, bytes, data, 0, 20)).toThrow(TypeError);
    expect(data.every((byte) => byte === 0)).toBe(true);
  });

  test('after destroy it does nothing but throw', () => {
    const aead = create();
    const bytes = new Uint8Array(12);
    const data = new Uint8Array(64);
    aead.seal(bytes, bytes, data, 0, 40);
    aead.destroy();
    aead.destroy();
    expect(() => aead.seal(bytes, bytes, data, 0, 40)).toThrow(/destroyed/);
    expect(() => aead.open(bytes, bytes, data, 0, 40 + aead.tagBytes)).toThrow(/destroyed/);
    expect(aead.engine === engine || engine === 'auto').toBe(true);
  });
}

function keyIsCopied(keyBytes: number, create: (key: Uint8Array) => Aead): void {
  test.each([30, 1300, 9000])('the key is copied, whatever kind of bytes it comes in (%i bytes of payload)', (size) => {
    const seal = (aead: Aead): Uint8Array => {
      const data = new Uint8Array(size + 16);
      for (const n of [1, 2]) aead.seal(new Uint8Array(12).fill(n), new Uint8Array(13), data, 0, size);
      return data;
    };
    const key = countUp(1, keyBytes);
    const given = sharingBytes(key);
    const aead = create(given);
    given.fill(0);
    const sealed = seal(aead);
    expect(hexOf(sealed)).toBe(hexOf(seal(create(key))));
    given.set(key);
    aead.destroy();
    expect(hexOf(given)).toBe(hexOf(key));
  });
}

/** A bad tag, an emptied record and every byte beyond the range are checked as well. */
function differential(
  cipher: string,
  keyBytes: number,
  tagBytes: 8 | 16,
  engine: Engine,
  create: (key: Uint8Array) => Aead,
): void {
  test.each([
    [11, 'in buffers'],
    [12, 'in a record arena'],
  ])(`${cipher}, tag of ${tagBytes}: agrees with the oracle over random sizes to 17000 (seed %d, %s)`, (seed, place) => {
    const makeRoom = roomMaker(place === 'in a record arena');
    const random = seededRandom(seed);
    const key = randomBytes(random, keyBytes);
    const aead = create(key);
    expect(aead.keyBytes).toBe(keyBytes);
    expect(aead.tagBytes).toBe(tagBytes);
    if (engine !== 'auto') expect(aead.engine).toBe(engine);
    for (let i = 0; i < 120; i++) {
      const size = i < 40 ? i : randomUint32(random) % (i < 100 ? 2000 : 17_001);
      const skip = randomUint32(random) % 20;
      const nonce = randomBytes(random, 12);
      const aad = randomBytes(random, i % 3 === 0 ? 13 : randomUint32(random) % 50);
      const plaintext = randomBytes(random, size);
      const expected = oracleSeal(cipher, key, nonce, aad, plaintext, tagBytes);
      const room = makeRoom(skip + size + tagBytes + 9);
      const { data } = room;
      const offset = room.from + skip;
      data.set(plaintext, offset);
      const end = offset + size;
      const message = `seed ${seed}, run ${i}: ${size} bytes at ${skip}, ${aad.length} of additional data`;
      aead.seal(nonce, aad, data, offset, end);
      expect(hexOf(data.subarray(offset, end + tagBytes)), message).toBe(hexOf(expected));
      expect(aead.open(nonce, aad, data, offset, end + tagBytes), message).toBe(true);
      expect(hexOf(data.subarray(offset, end)), message).toBe(hexOf(plaintext));

      data.set(expected, offset);
      const fields = [
        () => (data[offset + (randomUint32(random) % (size + tagBytes))]! ^= 1),
        () => (nonce[randomUint32(random) % 12]! ^= 16),
        () => aad.length > 0 && (aad[randomUint32(random) % aad.length]! ^= 128),
        () => (data[end + (randomUint32(random) % tagBytes)]! ^= 2),
      ];
      if (fields[i % 4]!() !== false) {
        expect(aead.open(nonce, aad, data, offset, end + tagBytes), `${message}, tampered ${i % 4}`).toBe(false);
        expect(
          data.subarray(offset, end).every((byte) => byte === 0),
          `${message}, wiped`,
        ).toBe(true);
      }
      expect(isGuarded(room, offset, end + tagBytes), message).toBe(true);
    }
    expect(aead.open(new Uint8Array(12), new Uint8Array(0), new Uint8Array(40), 0, tagBytes - 1)).toBe(false);
    aead.destroy();
  });
}

/** The parts of the CAVP files whose tag length and nonce length exist in TLS or in RFC 6655's reach. */
function nistCases(factories: AeadFactories, engine: Engine): void {
  test.each(['VADT', 'VNT', 'VPT', 'VTT', 'DVPT'])('agrees with the NIST vectors %s', (name) => {
    let cases = 0;
    for (const bits of [128, 256]) {
      const state: Record<string, string> = {};
      for (const line of readVector(`${name}${bits}.rsp`).split(/\r?\n/)) {
        for (const match of line.matchAll(/(\w+) = (\w*)/g)) state[match[1]!] = match[2]!;
        const [payloadBytes, aadBytes, tagBytes] = [Number(state['Plen']), Number(state['Alen']), Number(state['Tlen'])];
        const decrypts = name === 'DVPT';
        const complete = decrypts ? /^(Payload = |Result = Fail)/.test(line) : line.startsWith('CT = ');
        if (!complete || (tagBytes !== 8 && tagBytes !== 16)) continue;
        // An empty field is written as 00.
        const aad = hex(state['Adata']!).subarray(0, aadBytes);
        const ciphertext = hex(state['CT']!);
        const nonce = hex(state['Nonce']!);
        const aead = factories.createCcm(hex(state['Key']!), { tagBytes, engine });
        const data = concatBytes(ciphertext, Uint8Array.of(0));
        const opened = aead.open(nonce, aad, data, 0, ciphertext.length);
        cases++;
        if (decrypts && !line.startsWith('Payload')) {
          expect(opened, line).toBe(false);
          continue;
        }
        const payload = hex(state['Payload']!).subarray(0, payloadBytes);
        expect(opened, line).toBe(true);
        expect(data.subarray(0, payloadBytes)).toEqual(payload);
        aead.seal(nonce, aad, data, 0, payloadBytes);
        expect(hexOf(data.subarray(0, ciphertext.length))).toBe(state['CT']);
      }
    }
    expect(cases).toBeGreaterThan(name === 'VTT' ? 30 : 100);
  });
}
