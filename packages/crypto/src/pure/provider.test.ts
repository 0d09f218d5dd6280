import { describe, expect, test } from 'vitest';
import { providerCases } from '../../test/cases/provider-cases.ts';
import * as pure from '../index.ts';
import * as node from '../node/index.ts';

describe('pure provider', () => {
  providerCases(pure.pureProvider, pure.createCertificate, ['P-256', 'P-384']);

  test('generateCertificate refuses what it cannot make', async () => {
    expect((await pure.generateCertificate()).type).toBe('P-256');
    await expect(pure.generateCertificate({ type: 'RSA' })).rejects.toThrow(/type must be one of P-256, P-384/);
  });

  test('both platforms export the same names, but for their provider', () => {
    const names = (exports: object): string[] =>
      Object.keys(exports)
        .filter((name) => name !== 'pureProvider' && name !== 'nodeProvider')
        .sort();
    expect(names(pure)).toEqual(names(node));
    expect(pure.defaultProvider.name).toBe('pure');
    expect(node.defaultProvider.name).toBe('node');
  });

  test('both agree on fingerprints, and on secrets with each other', () => {
    const { der } = node.createCertificate();
    expect(pure.fingerprintOf(der)).toEqual(node.fingerprintOf(der));
    expect(pure.matchFingerprint(der, [node.fingerprintOf(der, 'sha-512')])).toBe(true);
    const secret = Uint8Array.of(1, 2, 3);
    expect(pure.prf('SHA-256', secret, 'key expansion', secret, 104)).toEqual(
      node.prf('SHA-256', secret, 'key expansion', secret, 104),
    );
    for (const group of ['X25519', 'P-256', 'P-384'] as const) {
      const a = pure.pureProvider.generateKeyShare(group);
      const b = node.nodeProvider.generateKeyShare(group);
      expect(a.derive(b.publicKey)).toEqual(b.derive(a.publicKey));
    }
  });
});
