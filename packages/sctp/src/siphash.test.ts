import { formatHex } from '@millrace/core';
import { expect, test } from 'vitest';
import { sipHash } from './siphash.ts';

test('the vectors of the SipHash paper', () => {
  const key = Uint8Array.from({ length: 16 }, (_, i) => i);
  const data = Uint8Array.from({ length: 64 }, (_, i) => i);
  expect(formatHex(sipHash(key, data, 0, 15))).toBe('e545be4961ca29a1');
  expect(formatHex(sipHash(key, data, 0, 0))).toBe('310e0edd47db6f72');
  expect(formatHex(sipHash(key, data, 0, 8))).toBe('622493 9a79f5f593'.replace(' ', ''));
});
