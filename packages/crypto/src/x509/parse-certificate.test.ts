import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { concatBytes, randomBytes, randomUint32, seededRandom } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { createCertificate } from '../node/certificate.ts';
import { derElement, derOid, derSequence, derTime, derUnsigned } from './der-writer.ts';
import { DerReader } from './der-reader.ts';
import { parseCertificate } from './parse-certificate.ts';

describe('parseCertificate', () => {
  test('reads what was written', () => {
    const now = Date.UTC(2026, 0, 31, 23, 59, 59);
    const certificate = createCertificate({ now, commonName: 'Märchen' });
    const parsed = parseCertificate(certificate.der)!;
    const spki = new X509Certificate(certificate.der).publicKey.export({ format: 'der', type: 'spki' });
    expect(parsed.spki).toEqual(new Uint8Array(spki));
    expect(parsed.subject).toBe('Märchen');
    expect(parsed.notBefore).toBe(now - 86_400_000);
    expect(parsed.notAfter).toBe(now + 30 * 86_400_000);
  });

  test('reads dates on either side of 2050', () => {
    const now = Date.UTC(2049, 11, 25);
    const parsed = parseCertificate(createCertificate({ now }).der)!;
    expect(parsed.notBefore).toBe(now - 86_400_000);
    expect(parsed.notAfter).toBe(now + 30 * 86_400_000);
  });

  test('no prefix and no trailing byte parses, nothing throws', () => {
    const { der } = createCertificate();
    for (let length = 0; length < der.length; length++) expect(parseCertificate(der.subarray(0, length))).toBeUndefined();
    expect(parseCertificate(concatBytes(der, Uint8Array.of(0)))).toBeUndefined();
  });

  test.each([1, 2, 3])('bytes changed at random (seed %d) never throw', (seed) => {
    const random = seededRandom(seed);
    const { der } = createCertificate();
    for (let i = 0; i < 5000; i++) {
      const changed = der.slice();
      for (let n = 1 + (randomUint32(random) % 3); n > 0; n--) changed[randomUint32(random) % der.length] = randomUint32(random);
      const parsed = parseCertificate(changed);
      if (parsed !== undefined) expect(Number.isFinite(parsed.notBefore)).toBe(true);
      parseCertificate(randomBytes(random, randomUint32(random) % 64));
    }
  });
});

function read(...octets: number[]): Uint8Array | undefined {
  return new DerReader(derElement(0x02, Uint8Array.from(octets))).readUnsigned();
}

describe('DER', () => {
  test('lengths that are not the shortest, indefinite or too long are refused', () => {
    const bad = ['3080', '308100', '30817f', '30820080', '30840000000100', '30ff', '3001', '30', ''];
    for (const text of bad) {
      const bytes = Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
      expect(
        new DerReader(concatBytes(bytes, text === '3001' || text.length < 4 ? new Uint8Array(0) : new Uint8Array(300))).enter(
          0x30,
        ),
      ).toBeUndefined();
    }
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const element = derElement(0x04, new Uint8Array(length));
      expect(new DerReader(element).readContent(0x04)).toHaveLength(length);
    }
  });

  test('integers are non-negative and minimal', () => {
    expect(read(0)).toEqual(Uint8Array.of(0));
    expect(read(0x7f)).toEqual(Uint8Array.of(0x7f));
    expect(read(0, 0x80)).toEqual(Uint8Array.of(0x80));
    expect(read(0, 0x7f)).toBeUndefined();
    expect(read(0x80)).toBeUndefined();
    expect(read()).toBeUndefined();
    expect(derUnsigned(Uint8Array.of(0, 0, 0x80))).toEqual(Uint8Array.of(2, 2, 0, 0x80));
    expect(derUnsigned(Uint8Array.of(0, 0))).toEqual(Uint8Array.of(2, 1, 0));
  });

  test('times that do not exist are refused', () => {
    const good = derTime(Date.UTC(2026, 5, 15));
    const at = (text: string): Uint8Array => {
      const certificate = createCertificate({ now: Date.UTC(2026, 5, 16) }).der.slice();
      const needle = Buffer.from(certificate).indexOf(Buffer.from(good));
      certificate.set(Buffer.from(text, 'latin1'), needle + 2);
      return certificate;
    };
    expect(parseCertificate(at('260615000000Z'))).toBeDefined();
    for (const text of ['260230000000Z', '261315000000Z', '260615240000Z', '260615006000Z', '26061500000aZ', '2606150000000']) {
      expect(parseCertificate(at(text)), text).toBeUndefined();
    }
  });

  test('writes an object identifier as it stands', () => {
    expect(derSequence(derOid('550403'))).toEqual(Uint8Array.of(0x30, 5, 6, 3, 0x55, 4, 3));
  });

  test('reads a certificate of OpenSSL with extensions', (context) => {
    let der: Uint8Array;
    try {
      const args = [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        '/dev/null',
        '-subj',
        '/O=x/CN=peer',
        '-outform',
        'DER',
      ];
      der = new Uint8Array(execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch {
      context.skip('openssl');
      return;
    }
    expect(parseCertificate(der)?.subject).toBe('peer');
  });
});
