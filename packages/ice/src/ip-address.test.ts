import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIpAddress, parseIpAddress } from './ip-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['::', '::'],
  ['::1', '::1'],
  ['1::', '1::'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['::ffff:c000:201', '::ffff:192.0.2.1'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['fe80::0001', 'fe80::1'],
])('%s is written as %s', (text, canonical) => {
  expect(formatIpAddress(parseIpAddress(text)!)).toBe(canonical);
});

test.each([
  '',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '01.2.3.4',
  '1.2.3.4 ',
  'a.local',
  ':',
  ':::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1::2::3',
  '1:2:3:4:5:6:7:8::',
  '::1:2:3:4:5:6:7:8',
  '12345::',
  'g::',
  '::1.2.3',
  '1.2.3.4::',
  '::1.2.3.4:5',
  'fe80::1%eth0',
  '[::1]',
  ' ::1',
])('%j is no literal', (text) => {
  expect(parseIpAddress(text)).toBeUndefined();
});

test('bytes survive their text', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
    fc.array(fc.constantFrom(0, 0, 0, 1, 255), { minLength: 16, maxLength: 16 }).map((all) => Uint8Array.from(all)),
  );
  fc.assert(
    fc.property(bytes, (all) => {
      expect(parseIpAddress(formatIpAddress(all))).toEqual(all);
    }),
  );
});

test('no text makes the parser throw', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.') }), fc.ipV6(), fc.ipV4());
  fc.assert(
    fc.property(text, (t) => {
      const bytes = parseIpAddress(t);
      if (bytes !== undefined) expect([4, 16]).toContain(bytes.length);
    }),
  );
});
