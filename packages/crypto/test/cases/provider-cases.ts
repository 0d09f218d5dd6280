/*
 * What every provider must do. The oracle is node:crypto, used directly.
 */
import * as oracle from 'node:crypto';
import { concatBytes, formatHex, seededRandom, randomBytes } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import { prfWith } from '../../src/prf.ts';
import type { Certificate, CryptoProvider, GroupName, HashName } from '../../src/provider.ts';
import type { CertificateOptions } from '../../src/x509/self-signed.ts';
import { hex, readVector } from './read-vector.ts';

const hashes: [HashName, string][] = [
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
];
const lengths = [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000];

function prfOfLength(provider: CryptoProvider, length: number): string {
  return formatHex(prfWith(provider, 'SHA-384', hex('0102'), 'label', hex('03'), length));
}

function spkiOf(pair: oracle.KeyPairKeyObjectResult): Uint8Array {
  return new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }));
}

/** A DER INTEGER, in hexadecimal from hexadecimal. */
function integer(bytes: string): string {
  const trimmed = bytes.replace(/^(00)+/, '');
  const signed = Number.parseInt(trimmed.slice(0, 2), 16) >= 0x80 ? `00${trimmed}` : trimmed;
  return `02${(signed.length / 2).toString(16).padStart(2, '0')}${signed}`;
}

export function providerCases(
  provider: CryptoProvider,
  createCertificate: (options?: CertificateOptions) => Certificate,
  certificateTypes: readonly ('P-256' | 'P-384' | 'RSA')[],
): void {
  describe('random', () => {
    test('fills exactly the range', () => {
      const bytes = new Uint8Array(70_002);
      provider.random.fill(bytes, 1, 70_001);
      expect(bytes[0]).toBe(0);
      expect(bytes[70_001]).toBe(0);
      expect(new Set(bytes).size).toBe(256);
      const other = new Uint8Array(32);
      provider.random.fill(other);
      expect(other).not.toEqual(bytes.slice(1, 33));
    });
  });

  describe('hash', () => {
    test.each(hashes)('%s agrees over lengths around the block size', (name, node) => {
      for (const length of lengths) {
        const data = randomBytes(seededRandom(length), length);
        const expected = oracle.createHash(node).update(data).digest('hex');
        expect(formatHex(provider.digest(name, data)), `${length} bytes`).toBe(expected);
      }
    });

    test.each(hashes)('a running %s may be read several times', (name, node) => {
      const hash = provider.createHash(name);
      const data = randomBytes(seededRandom(7), 300);
      for (let at = 0; at < 300; at += 50) {
        expect(formatHex(hash.digest())).toBe(oracle.createHash(node).update(data.subarray(0, at)).digest('hex'));
        hash.update(data.subarray(at, at + 50));
      }
      expect(formatHex(hash.digest())).toBe(oracle.createHash(node).update(data).digest('hex'));
    });

    test.each(hashes)('HMAC with %s agrees for keys around the block size', (name, node) => {
      for (const length of lengths) {
        const key = randomBytes(seededRandom(length), length);
        const data = randomBytes(seededRandom(1), 77);
        expect(formatHex(provider.hmac(name, key, data))).toBe(oracle.createHmac(node, key).update(data).digest('hex'));
      }
    });
  });

  describe('TLS 1.2 PRF', () => {
    test('agrees with the vectors', () => {
      let cases = 0;
      for (const block of readVector('tls12-prf.txt').split(/\n\s*\n/)) {
        if (!/^Ctrl.digest = /m.test(block)) continue;
        const field = (pattern: RegExp): string => pattern.exec(block)?.[1] ?? '';
        expect(field(/digest:(\w+)/)).toBe('SHA256');
        const seeds = [...block.matchAll(/hexseed:([0-9a-f]+)/g)].map((match) => hex(match[1]!));
        const output = field(/^Output = ([0-9a-f]+)/m);
        const secret = hex(field(/hexsecret:([0-9a-f]+)/));
        const label = field(/= seed:(.+)/);
        expect(formatHex(prfWith(provider, 'SHA-256', secret, label, concatBytes(...seeds), output.length / 2))).toBe(output);
        cases++;
      }
      expect(cases).toBe(3);
    });

    test('a shorter output is a prefix of a longer one, also with SHA-384', () => {
      const run = prfOfLength.bind(undefined, provider);
      for (const length of [0, 1, 47, 48, 49, 96]) expect(run(200).startsWith(run(length))).toBe(true);
      expect(run(200)).toHaveLength(400);
    });
  });

  describe('key agreement', () => {
    const groups: [GroupName, number, number][] = [
      ['X25519', 32, 32],
      ['P-256', 65, 32],
      ['P-384', 97, 48],
    ];
    test.each(groups)('%s agrees on both sides and with the oracle', (group, publicBytes, secretBytes) => {
      const a = provider.generateKeyShare(group);
      const b = provider.generateKeyShare(group);
      expect(a.group).toBe(group);
      expect(a.publicKey).toHaveLength(publicBytes);
      const secret = a.derive(b.publicKey)!;
      expect(secret).toHaveLength(secretBytes);
      expect(b.derive(a.publicKey)).toEqual(secret);
      expect(b.publicKey).not.toEqual(a.publicKey);
      if (group !== 'X25519') {
        const other = oracle.createECDH(group === 'P-256' ? 'prime256v1' : 'secp384r1');
        other.generateKeys();
        expect(formatHex(a.derive(other.getPublicKey())!)).toBe(formatHex(other.computeSecret(a.publicKey)));
      } else {
        const other = oracle.generateKeyPairSync('x25519');
        const prefix = hex('302a300506032b656e032100');
        const der = Buffer.from(concatBytes(prefix, a.publicKey));
        const publicKey = oracle.createPublicKey({ key: der, format: 'der', type: 'spki' });
        const mine = a.derive(other.publicKey.export({ format: 'der', type: 'spki' }).subarray(12))!;
        expect(formatHex(mine)).toBe(oracle.diffieHellman({ privateKey: other.privateKey, publicKey }).toString('hex'));
      }
    });

    test('a secret keeps its leading zeros', () => {
      const a = provider.generateKeyShare('P-256');
      for (let i = 0; i < 20_000; i++) {
        const other = oracle.createECDH('prime256v1');
        other.generateKeys();
        const expected = other.computeSecret(a.publicKey);
        if (expected[0] !== 0) continue;
        expect(formatHex(a.derive(other.getPublicKey())!)).toBe(expected.toString('hex'));
        return;
      }
      expect.fail('no secret with a leading zero came up');
    });

    test('points that are not on the curve, compressed or short are refused', () => {
      for (const group of ['P-256', 'P-384'] as const) {
        const a = provider.generateKeyShare(group);
        const good = provider.generateKeyShare(group).publicKey;
        const off = good.slice();
        off[off.length - 1]! ^= 1;
        const compressed = good.slice(0, (good.length + 1) / 2);
        compressed[0] = 2 + (good[good.length - 1]! & 1);
        const hybrid = good.slice();
        hybrid[0] = 6 + (good[good.length - 1]! & 1);
        const infinity = Uint8Array.of(0);
        const zeros = new Uint8Array(good.length);
        zeros[0] = 4;
        for (const bad of [off, compressed, hybrid, infinity, zeros, good.slice(1), new Uint8Array(0)]) {
          expect(a.derive(bad)).toBeUndefined();
        }
        expect(a.derive(good)).toBeDefined();
      }
    });

    test('X25519 points of small order and wrong lengths are refused', () => {
      const a = provider.generateKeyShare('X25519');
      const one = new Uint8Array(32);
      one[0] = 1;
      for (const bad of [new Uint8Array(32), one, new Uint8Array(31), new Uint8Array(33), new Uint8Array(0)]) {
        expect(a.derive(bad)).toBeUndefined();
      }
    });

    test('a group that is unknown throws RangeError', () => {
      expect(() => provider.generateKeyShare('P-521' as GroupName)).toThrow(RangeError);
    });
  });

  describe('certificates', () => {
    const pick: Record<'P-256' | 'P-384' | 'RSA', HashName> = { 'P-256': 'SHA-256', 'P-384': 'SHA-384', RSA: 'SHA-256' };

    test.each(certificateTypes)('%s: the oracle verifies the self-signature and the fields', (type) => {
      const now = Date.UTC(2026, 1, 28, 12, 0, 0);
      const certificate = createCertificate({ type, now, commonName: 'töst' });
      const parsed = new oracle.X509Certificate(certificate.der);
      expect(parsed.verify(parsed.publicKey)).toBe(true);
      expect(parsed.checkIssued(parsed)).toBe(true);
      expect(parsed.subject).toContain('CN=');
      expect(new Date(parsed.validFrom).getTime()).toBe(now - 86_400_000);
      expect(new Date(parsed.validTo).getTime()).toBe(now + 30 * 86_400_000);
      expect(certificate.expires).toBe(now + 30 * 86_400_000);
      expect(parsed.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
      expect(certificate.fingerprint).toEqual({ algorithm: 'sha-256', value: parsed.fingerprint256 });
      expect(certificate.type).toBe(type);
    });

    test.each(certificateTypes)('%s: a signature verifies here and at the oracle, a changed one nowhere', (type) => {
      const certificate = createCertificate({ type });
      const publicKey = new oracle.X509Certificate(certificate.der).publicKey;
      const spki = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }));
      const key = provider.importVerifyKey(spki)!;
      expect(key.type).toBe(type);
      const message = hex('0102030405');
      for (const hash of [pick[type], 'SHA-256', 'SHA-384', 'SHA-512', 'SHA-1'] as const) {
        const signature = certificate.sign(hash, message);
        const node = hashes.find(([name]) => name === hash)![1];
        expect(oracle.verify(node, message, publicKey, signature)).toBe(true);
        expect(key.verify(hash, message, signature)).toBe(true);
        expect(key.verify(hash, hex('0102030406'), signature)).toBe(false);
        expect(key.verify(hash === 'SHA-1' ? 'SHA-256' : 'SHA-1', message, signature)).toBe(false);
        const changed = signature.slice();
        changed[changed.length - 3]! ^= 1;
        expect(key.verify(hash, message, changed)).toBe(false);
        expect(key.verify(hash, message, signature.slice(1))).toBe(false);
        expect(key.verify(hash, message, new Uint8Array(0))).toBe(false);
      }
    });

    test('serials and keys differ from certificate to certificate', () => {
      const a = createCertificate();
      const b = createCertificate();
      expect(a.fingerprint.value).not.toBe(b.fingerprint.value);
    });

    test('options out of range throw RangeError and name what is allowed', () => {
      expect(() => createCertificate({ type: 'Ed25519' as 'P-256' })).toThrow(/type must be one of P-256/);
      expect(() => createCertificate({ validForMs: 0 })).toThrow(/validForMs must be/);
      expect(() => createCertificate({ validForMs: Number.NaN })).toThrow(RangeError);
      expect(() => createCertificate({ commonName: '' })).toThrow(/commonName must have/);
    });

    test('verifies what the oracle signed with RSA and with either curve', () => {
      const pairs = [
        ['RSA', oracle.generateKeyPairSync('rsa', { modulusLength: 2048 })],
        ['P-256', oracle.generateKeyPairSync('ec', { namedCurve: 'P-256' })],
        ['P-384', oracle.generateKeyPairSync('ec', { namedCurve: 'P-384' })],
      ] as const;
      for (const [type, pair] of pairs) {
        const key = provider.importVerifyKey(new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' })))!;
        expect(key.type).toBe(type);
        for (const [name, node] of hashes) {
          const message = randomBytes(seededRandom(3), 100);
          const signature = new Uint8Array(oracle.sign(node, message, pair.privateKey));
          expect(key.verify(name, message, signature)).toBe(true);
          signature[10]! ^= 4;
          expect(key.verify(name, message, signature)).toBe(false);
        }
      }
    });

    test('ECDSA with a high s verifies, as TLS does not forbid it', () => {
      const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
      const pair = oracle.generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = provider.importVerifyKey(new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' })))!;
      const message = hex('00');
      const raw = oracle.sign('sha256', message, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
      const s = BigInt(`0x${raw.toString('hex', 32)}`);
      for (const candidate of [s, order - s]) {
        const body = integer(raw.toString('hex', 0, 32)) + integer(candidate.toString(16).padStart(64, '0'));
        expect(key.verify('SHA-256', message, hex(`30${(body.length / 2).toString(16)}${body}`))).toBe(true);
      }
    });

    test('keys that are malformed or of another kind are refused', () => {
      const good = spkiOf(oracle.generateKeyPairSync('ec', { namedCurve: 'P-256' }));
      const off = good.slice();
      off[off.length - 1]! ^= 1;
      const others = [
        off,
        good.slice(0, -1),
        concatBytes(good, hex('00')),
        new Uint8Array(0),
        spkiOf(oracle.generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
        spkiOf(oracle.generateKeyPairSync('ed25519')),
        spkiOf(oracle.generateKeyPairSync('rsa', { modulusLength: 768 })),
      ];
      for (const spki of others) expect(provider.importVerifyKey(spki)).toBeUndefined();
      expect(provider.importVerifyKey(good)).toBeDefined();
    });
  });
}
