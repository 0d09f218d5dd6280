import { describe, expect, test } from 'vitest';
import { providerCases } from '../../test/cases/provider-cases.ts';
import { createCertificate, generateCertificate } from './certificate.ts';
import { nodeProvider } from './provider.ts';

describe('node provider', () => {
  providerCases(nodeProvider, createCertificate, ['P-256', 'P-384', 'RSA']);

  test('generateCertificate makes a certificate off the main thread', async () => {
    const certificate = await generateCertificate();
    expect(certificate.type).toBe('P-256');
    expect(Math.abs(certificate.expires - Date.now() - 30 * 86_400_000)).toBeLessThan(60_000);
    await expect(generateCertificate({ type: 'DSA' as 'RSA' })).rejects.toThrow(RangeError);
  });
});
