import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatHex, parseHex, writeUint16, writeUint32 } from '@millrace/core';
import { defaultProvider as crypto } from '@millrace/crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiBytes } from '../agent/credentials.ts';
import { crc32 } from './crc32.ts';
import { decodeStun } from './decode-stun.ts';
import { encodeStun, maxStunBytes, type StunFields } from './encode-stun.ts';
import { peekUfrag } from './peek-ufrag.ts';
import { bindingType } from './stun-constants.ts';
import { verifyIntegrity } from './verify-integrity.ts';

interface Vectors {
  readonly credentials: {
    readonly short_term: { readonly password: string };
    readonly long_term: { readonly username: string; readonly password: string; readonly realm: string };
  };
  readonly messages: readonly { readonly name: string; readonly hex: string }[];
}

const vectors = JSON.parse(readFileSync(new URL('../../test/vectors/rfc5769.json', import.meta.url), 'utf8')) as Vectors;
const vectorBytes = (part: string): Uint8Array => parseHex(vectors.messages.find(({ name }) => name.startsWith(part))!.hex)!;
const password = asciiBytes(vectors.credentials.short_term.password);
const transactionId = parseHex('b7e7a701bc34d686fa87dfae')!;

const fields: StunFields = {
  type: bindingType.request,
  transactionId,
  username: asciiBytes('evtj:h6vY'),
  priority: 0x6e0001ff,
  iceControlled: parseHex('932ff9b151263b36')!,
};

function encode(message: StunFields, key = password): Uint8Array {
  const out = new Uint8Array(maxStunBytes);
  return out.slice(0, encodeStun(out, 0, message, key, crypto));
}

test('RFC 5769 2.1: the request is read, with integrity and fingerprint', () => {
  const data = vectorBytes('2.1');
  const message = decodeStun(data, 0, data.length)!;
  expect(message).toMatchObject({
    type: bindingType.request,
    username: 'evtj:h6vY',
    priority: 0x6e0001ff,
    useCandidate: false,
    iceControlled: fields.iceControlled,
    iceControlling: undefined,
    fingerprint: 'valid',
    unknownRequired: [],
  });
  expect(message.transactionId).toEqual(transactionId);
  expect(verifyIntegrity(data, message, password, crypto)).toBe(true);
  expect(formatHex(data)).toBe(formatHex(vectorBytes('2.1')));
});

test.each([
  ['2.2', { family: 4, address: '192.0.2.1', port: 32853 }],
  ['2.3', { family: 6, address: '2001:db8:1234:5678:11:2233:4455:6677', port: 32853 }],
])('RFC 5769 %s: the response is read, with its address', (part, mappedAddress) => {
  const data = vectorBytes(part);
  const message = decodeStun(data, 0, data.length)!;
  expect(message).toMatchObject({ type: bindingType.success, mappedAddress, fingerprint: 'valid' });
  expect(verifyIntegrity(data, message, password, crypto)).toBe(true);
});

test('RFC 5769 2.4: the request with long-term credentials is read', () => {
  const data = vectorBytes('2.4');
  const message = decodeStun(data, 0, data.length)!;
  const { username, realm, password: secret } = vectors.credentials.long_term;
  expect(message).toMatchObject({ fingerprint: 'absent', unknownRequired: [] });
  expect(new TextDecoder().decode(asciiBytes(message.username!))).toBe(username);
  // RFC 8489 section 9.2.2: the long-term key is a hash of name, realm and password.
  const key = createHash('md5').update(`${username}:${realm}:${secret}`).digest();
  expect(verifyIntegrity(data, message, key, crypto)).toBe(true);
});

test.each(['2.1', '2.2', '2.3'])('RFC 5769 %s: any flipped bit is noticed', (part) => {
  const original = vectorBytes(part);
  for (let bit = 0; bit < original.length * 8; bit++) {
    const data = original.slice();
    data[bit >> 3]! ^= 1 << (bit & 7);
    const message = decodeStun(data, 0, data.length);
    const isTaken = message?.fingerprint === 'valid' && verifyIntegrity(data, message, password, crypto);
    expect(isTaken, `bit ${bit}`).toBe(false);
  }
});

test('the fields of RFC 5769 2.1 make the same attributes', () => {
  const sample = formatHex(vectorBytes('2.1'));
  const ours = formatHex(encode(fields));
  for (const attribute of ['000600096576746a3a68367659', '002400046e0001ff', '80290008932ff9b151263b36']) {
    expect(sample).toContain(attribute);
    expect(ours).toContain(attribute);
  }
  expect(ours.slice(8, 40)).toBe(sample.slice(8, 40));
});

test('the check value of CRC-32 is the known one', () => {
  expect(crc32(asciiBytes('123456789'), 0, 9)).toBe(0xcbf43926);
});

test('what is written is read back, wherever it stands in the buffer', () => {
  const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });
  const address = fc.oneof(
    fc.record({ family: fc.constant(4 as const), address: fc.ipV4(), port: fc.nat(65535) }),
    fc.record({
      family: fc.constant(6 as const),
      address: fc.constantFrom('::1', '2001:db8::1', 'fe80::a:b'),
      port: fc.nat(65535),
    }),
  );
  const message = fc.record(
    {
      type: fc.constantFrom(...Object.values(bindingType)),
      transactionId: bytes(12),
      username: fc.uint8Array({ maxLength: 513 }),
      priority: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
      iceControlling: bytes(8),
      iceControlled: bytes(8),
      useCandidate: fc.boolean(),
      mappedAddress: address,
      errorCode: fc.constantFrom(400, 401, 420, 487, 500),
    },
    { requiredKeys: ['type', 'transactionId'] },
  );
  fc.assert(
    fc.property(message, fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(9), (m, key, start) => {
      const out = new Uint8Array(maxStunBytes + start).fill(0xaa);
      const length = encodeStun(out, start, m as StunFields, key, crypto);
      expect(length).toBeLessThanOrEqual(maxStunBytes);
      const read = decodeStun(out, start, start + length)!;
      expect(read).toMatchObject({ ...m, username: m.username && String.fromCharCode(...m.username), fingerprint: 'valid' });
      expect(verifyIntegrity(out, read, key, crypto)).toBe(true);
      expect(verifyIntegrity(out, read, Uint8Array.of(...key, 1), crypto)).toBe(false);
      expect(out.subarray(0, start).every((byte) => byte === 0xaa)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('attributes that must be understood and are not are listed, others are skipped', () => {
  const base = encode({ ...fields, unknownAttributes: [0x7fff] });
  expect(decodeStun(base, 0, base.length)!.unknownRequired).toEqual([]);
  const extra = withAttributes([
    [0x7f01, 3],
    [0xc057, 4],
    [0x7f02, 0],
    ...Array.from({ length: 20 }, (_, i): [number, number] => [0x3000 + i, 0]),
  ]);
  expect(decodeStun(extra, 0, extra.length)!.unknownRequired).toEqual([
    0x7f01, 0x7f02, 0x3000, 0x3001, 0x3002, 0x3003, 0x3004, 0x3005,
  ]);
});

test('what stands behind the integrity is not believed', () => {
  const signed = encode({ type: bindingType.request, transactionId }).slice(0, 44);
  const data = new Uint8Array([...signed, 0x00, 0x25, 0x00, 0x00, 0x00, 0x24, 0x00, 0x04, 1, 2, 3, 4]);
  writeUint16(data, 2, data.length - 20);
  const message = decodeStun(data, 0, data.length)!;
  expect(message).toMatchObject({ useCandidate: false, priority: undefined });
  expect(verifyIntegrity(data, message, password, crypto)).toBe(true);
});

/** A request of attributes that are all zeros. */
function withAttributes(attributes: readonly (readonly [type: number, bytes: number])[]): Uint8Array {
  const data = new Uint8Array(20 + attributes.reduce((sum, [, bytes]) => sum + 4 + ((bytes + 3) & ~3), 0));
  writeUint16(data, 0, bindingType.request);
  writeUint16(data, 2, data.length - 20);
  writeUint32(data, 4, 0x2112a442);
  let at = 20;
  for (const [type, bytes] of attributes) {
    writeUint16(data, at, type);
    writeUint16(data, at + 2, bytes);
    at += 4 + ((bytes + 3) & ~3);
  }
  return data;
}

test.each<[string, readonly (readonly [number, number])[]]>([
  ['USERNAME above 513 bytes', [[0x0006, 514]]],
  ['PRIORITY of 3 bytes', [[0x0024, 3]]],
  ['USE-CANDIDATE with a value', [[0x0025, 4]]],
  ['ICE-CONTROLLING of 4 bytes', [[0x802a, 4]]],
  ['ICE-CONTROLLED of 12 bytes', [[0x8029, 12]]],
  ['MESSAGE-INTEGRITY of 16 bytes', [[0x0008, 16]]],
  ['XOR-MAPPED-ADDRESS of no family', [[0x0020, 8]]],
  ['ERROR-CODE of class 0', [[0x0009, 4]]],
  ['FINGERPRINT of 8 bytes', [[0x8028, 8]]],
  [
    'FINGERPRINT before the end',
    [
      [0x8028, 4],
      [0x8022, 4],
    ],
  ],
])('%s is malformed', (_, attributes) => {
  const data = withAttributes(attributes);
  expect(decodeStun(data, 0, data.length)).toBeUndefined();
});

test('a header that is short, has another length, another cookie or another first octet is malformed', () => {
  const good = withAttributes([[0x8022, 4]]);
  expect(decodeStun(good, 0, good.length)).toBeDefined();
  expect(decodeStun(good, 0, 19)).toBeUndefined();
  expect(decodeStun(good, 0, good.length - 4)).toBeUndefined();
  for (const [at, value] of [
    [0, 4],
    [3, 9],
    [4, 0x20],
    [21, 0xff],
    [23, 8],
  ] as const) {
    const bad = good.slice();
    bad[at] = value;
    if (at !== 21) expect(decodeStun(bad, 0, bad.length), `byte ${at}`).toBeUndefined();
  }
});

test('no bytes make the reader throw or read past the end', () => {
  const noise = fc.uint8Array({ maxLength: 120 });
  const framed = fc.uint8Array({ maxLength: 100 }).map((body) => {
    const data = new Uint8Array(20 + (body.length & ~3));
    data.set(body.subarray(0, body.length & ~3), 20);
    writeUint16(data, 0, bindingType.request);
    writeUint16(data, 2, data.length - 20);
    writeUint32(data, 4, 0x2112a442);
    return data;
  });
  const mutated = fc
    .tuple(fc.constantFrom('2.1', '2.2', '2.3', '2.4'), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
    .map(([part, changes]) => {
      const data = vectorBytes(part);
      for (const [at, value] of changes) data[20 + (at % (data.length - 20))] = value;
      return data;
    });
  fc.assert(
    fc.property(fc.oneof(noise, framed, mutated), (data) => {
      const before = formatHex(data);
      const message = decodeStun(data, 0, data.length);
      if (message !== undefined) verifyIntegrity(data, message, password, crypto);
      peekUfrag(data, 0, data.length);
      expect(formatHex(data)).toBe(before);
    }),
    { numRuns: 3000 },
  );
});

test('the fragment that a request is for is found without a key', () => {
  const request = encode({ ...fields, username: asciiBytes('ours:theirs') });
  const shifted = new Uint8Array([9, 9, 9, ...request, 9]);
  expect(peekUfrag(shifted, 3, shifted.length - 1)).toBe('ours');
  const response = encode({ ...fields, type: bindingType.success });
  expect(peekUfrag(response, 0, response.length)).toBeUndefined();
  const without = encode({ type: bindingType.request, transactionId });
  expect(peekUfrag(without, 0, without.length)).toBeUndefined();
  const long = encode({ ...fields, username: new Uint8Array(400).fill(0x41) });
  expect(peekUfrag(long, 0, long.length)).toBeUndefined();
});
