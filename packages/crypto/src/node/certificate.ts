import { generateKeyPair, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Certificate } from '../provider.ts';
import { certificateType, selfSign, type CertificateKey, type CertificateOptions } from '../x509/self-signed.ts';
import { nodeHashName, nodeProvider } from './provider.ts';

const allowed = ['P-256', 'P-384', 'RSA'] as const;
const generateKeyPairAsync = promisify(generateKeyPair);

/**
 * Makes a key and its self-signed certificate off the main thread. RSA keys have 2048 bits.
 * Rejects with RangeError on an option out of range.
 */
export async function generateCertificate(options: CertificateOptions = {}): Promise<Certificate> {
  const type = certificateType(options, allowed);
  const pair =
    type === 'RSA'
      ? await generateKeyPairAsync('rsa', { modulusLength: 2048 })
      : await generateKeyPairAsync('ec', { namedCurve: type });
  return selfSign(nodeProvider, type, certificateKey(pair.privateKey, pair.publicKey), options, Date.now);
}

/** As `generateCertificate`, at once: for tests and tools, as an RSA key takes tens of ms. */
export function createCertificate(options: CertificateOptions = {}): Certificate {
  const type = certificateType(options, allowed);
  const pair =
    type === 'RSA' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: type });
  return selfSign(nodeProvider, type, certificateKey(pair.privateKey, pair.publicKey), options, Date.now);
}

function certificateKey(privateKey: KeyObject, publicKey: KeyObject): CertificateKey {
  return {
    spki: new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })),
    sign: (hash, message) => new Uint8Array(sign(nodeHashName[hash], message, { key: privateKey, dsaEncoding: 'der' })),
  };
}
