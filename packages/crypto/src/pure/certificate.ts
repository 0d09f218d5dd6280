import { p256, p384 } from '@noble/curves/nist.js';
import type { Certificate } from '../provider.ts';
import { encodeEcPublicKeyInfo } from '../x509/public-key-info.ts';
import { certificateType, selfSign, type CertificateOptions } from '../x509/self-signed.ts';
import { pureProvider } from './provider.ts';

/** Without a platform's help an RSA key would take seconds to make. */
const allowed = ['P-256', 'P-384'] as const;

/** Makes a key and its self-signed certificate. Rejects with RangeError on an option out of range. */
export async function generateCertificate(options: CertificateOptions = {}): Promise<Certificate> {
  return createCertificate(options);
}

/** As `generateCertificate`, at once. */
export function createCertificate(options: CertificateOptions = {}): Certificate {
  const type = certificateType(options, allowed) as 'P-256' | 'P-384';
  const curve = type === 'P-256' ? p256 : p384;
  const privateKey = curve.utils.randomSecretKey();
  const spki = encodeEcPublicKeyInfo(type, curve.getPublicKey(privateKey, false));
  const key: Parameters<typeof selfSign>[2] = {
    spki,
    // Hedged: deterministic nonces (RFC 6979) with randomness mixed in.
    sign: (hash, message) =>
      curve.sign(pureProvider.digest(hash, message), privateKey, {
        prehash: false,
        lowS: false,
        format: 'der',
        extraEntropy: true,
      }),
  };
  return selfSign(pureProvider, type, key, options, Date.now);
}
