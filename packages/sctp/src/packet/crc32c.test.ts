import reference from 'crc-32/crc32c.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c, packetChecksum } from './crc32c.ts';

const filled = (length: number, byte: (i: number) => number): Uint8Array => Uint8Array.from({ length }, (_, i) => byte(i));

// RFC 3720 appendix B.4, which writes the bytes in the order of the wire.
test.each([
  ['32 zeros', filled(32, () => 0), 0x8a9136aa],
  ['32 ones', filled(32, () => 0xff), 0x62a8ab43],
  ['ascending', filled(32, (i) => i), 0x46dd794e],
  ['descending', filled(32, (i) => 31 - i), 0x113fdb5c],
  ['the nine digits', new TextEncoder().encode('123456789'), 0xe3069283],
])('the checksum of %s is the published one', (_, data, value) => {
  expect(crc32c(data, 0, data.length)).toBe(value);
});

test('a packet is summed as if its checksum field were zero, at any offset and length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 12, maxLength: 80 }), fc.nat(7), (packet, offset) => {
      const data = new Uint8Array(offset + packet.length);
      data.set(packet, offset);
      const zeroed = packet.slice();
      zeroed.fill(0, 8, 12);
      return packetChecksum(data, offset, data.length) === crc32c(zeroed, 0, zeroed.length);
    }),
  );
});

test('a bit flip anywhere changes it', () => {
  const data = filled(100, (i) => i * 7);
  const value = crc32c(data, 0, 100);
  for (let bit = 0; bit < 800; bit++) {
    data[bit >> 3]! ^= 1 << (bit & 7);
    expect(crc32c(data, 0, 100)).not.toBe(value);
    data[bit >> 3]! ^= 1 << (bit & 7);
  }
});

test('it agrees with an independent implementation', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (data) => crc32c(data, 0, data.length) === reference.buf(data) >>> 0));
});
