import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { formatFingerprint, parseFingerprint } from './fingerprint.ts';
import { createCertificate, fingerprintOf, matchFingerprint } from './node/index.ts';

const { der } = createCertificate();
const other = createCertificate().der;

describe('fingerprint', () => {
  test('agrees with the oracle', () => {
    const oracle = new X509Certificate(der);
    expect(fingerprintOf(der).value).toBe(oracle.fingerprint256);
    expect(fingerprintOf(der, 'sha-1').value).toBe(oracle.fingerprint);
    expect(fingerprintOf(der, 'sha-512').value).toBe(oracle.fingerprint512);
    expect(fingerprintOf(der, 'sha-384').value).toHaveLength(48 * 3 - 1);
    expect(() => fingerprintOf(der, 'md5' as 'sha-1')).toThrow(/algorithm must be one of/);
    expect(() => fingerprintOf(der, 'constructor' as 'sha-1')).toThrow(RangeError);
  });

  test('text goes both ways and is normalized', () => {
    const fingerprint = fingerprintOf(der);
    expect(parseFingerprint(formatFingerprint(fingerprint))).toEqual(fingerprint);
    expect(parseFingerprint(`SHA-256 ${fingerprint.value.toLowerCase()}`)).toEqual(fingerprint);
  });

  test('malformed text is refused', () => {
    const value = fingerprintOf(der).value;
    const bad = [
      '',
      'sha-256',
      `sha-256  ${value}`,
      `sha-256 ${value}:00`,
      `sha-256 ${value.slice(3)}`,
      `sha-256 ${value.replaceAll(':', '')}`,
    ];
    for (const text of [...bad, `sha-256 ${value} `, `sha-512 ${value}`, `sha-256 ${value.replace(/^../, 'zz')}`]) {
      expect(parseFingerprint(text), text).toBeUndefined();
    }
    expect(parseFingerprint('sha-999 00:11')).toEqual({ algorithm: 'sha-999', value: '00:11' });
  });

  test('a certificate matches its own fingerprint, in any case, and no other', () => {
    expect(matchFingerprint(der, [fingerprintOf(der)])).toBe(true);
    expect(matchFingerprint(der, [{ algorithm: 'SHA-256', value: fingerprintOf(der).value.toLowerCase() }])).toBe(true);
    expect(matchFingerprint(other, [fingerprintOf(der)])).toBe(false);
    expect(matchFingerprint(der, [])).toBe(false);
    expect(matchFingerprint(der, [{ algorithm: 'md5', value: '00' }])).toBe(false);
  });

  test('of several fingerprints each known hash must have a match', () => {
    expect(matchFingerprint(der, [fingerprintOf(other), fingerprintOf(der)])).toBe(true);
    expect(matchFingerprint(der, [{ algorithm: 'sha-999', value: '00' }, fingerprintOf(der)])).toBe(true);
    expect(matchFingerprint(der, [fingerprintOf(der, 'sha-1'), fingerprintOf(other, 'sha-256')])).toBe(false);
    expect(matchFingerprint(der, [fingerprintOf(other, 'sha-1'), fingerprintOf(der, 'sha-512')])).toBe(false);
    expect(matchFingerprint(der, [fingerprintOf(der, 'sha-1'), fingerprintOf(der, 'sha-512')])).toBe(true);
  });
});
