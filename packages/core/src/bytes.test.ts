import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  copyOf,
  bytesEqual,
  concatBytes,
  constantTimeEqual,
  formatHex,
  parseHex,
  readUint16,
  readUint24,
  readUint32,
  readUint48,
  writeUint16,
  writeUint24,
  writeUint32,
  writeUint48,
} from './bytes.ts';

test('integers are written big-endian', () => {
  const data = new Uint8Array(15);
  writeUint16(data, 0, 0x0102);
  writeUint24(data, 2, 0x030405);
  writeUint32(data, 5, 0x86070809);
  writeUint48(data, 9, 0x8a0b0c0d0e0f);
  expect(formatHex(data)).toBe('0102030405860708098a0b0c0d0e0f');
});

test.each([
  ['16', 2 ** 16 - 1, readUint16, writeUint16],
  ['24', 2 ** 24 - 1, readUint24, writeUint24],
  ['32', 2 ** 32 - 1, readUint32, writeUint32],
  ['48', 2 ** 48 - 1, readUint48, writeUint48],
] as const)('what is written with %s bits is read back, at any offset', (_, max, read, write) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max }), fc.integer({ min: 0, max: 5 }), (value, at) => {
      const data = new Uint8Array(16);
      write(data, at, value);
      return read(data, at) === value;
    }),
  );
});

test('equality is by content, whichever comparison is used', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 4 }), (a, b) => {
      const same = formatHex(a) === formatHex(b);
      return bytesEqual(a, b) === same && constantTimeEqual(a, b) === same && bytesEqual(a, a.slice());
    }),
  );
});

test('joined bytes are a copy', () => {
  const a = Uint8Array.of(1, 2);
  const joined = concatBytes(a, new Uint8Array(0), Uint8Array.of(3));
  a[0] = 9;
  expect([...joined]).toEqual([1, 2, 3]);
});

test('hexadecimal text is parsed strictly', () => {
  expect(parseHex('00fFa0')).toEqual(Uint8Array.of(0, 255, 160));
  expect(parseHex('')).toEqual(new Uint8Array(0));
  for (const text of ['0', '0g', ' 00', '0x00', '-1']) expect(parseHex(text), text).toBeUndefined();
});

test('a copy has an ArrayBuffer of its own, whatever kind of bytes is copied', () => {
  const ranges: [[number?, number?], number[]][] = [
    [[], [1, 2, 3, 4, 5]],
    [
      [1, 3],
      [2, 3],
    ],
    [[3], [4, 5]],
    [[4, 99], [5]],
    [[3, 2], []],
  ];
  for (const source of [Uint8Array.of(1, 2, 3, 4, 5), Buffer.from([1, 2, 3, 4, 5])]) {
    for (const [range, expected] of ranges) {
      const copy = copyOf(source, ...range);
      expect(copy).toEqual(Uint8Array.from(expected));
      expect(copy.constructor).toBe(Uint8Array);
      expect(copy.buffer.byteLength).toBe(expected.length);
      expect(copy.buffer).not.toBe(source.buffer);
    }
  }
});
