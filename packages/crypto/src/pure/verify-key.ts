import { copyOf } from '@millrace/core';
import { p256, p384 } from '@noble/curves/nist.js';
import type { HashName, VerifyKey } from '../provider.ts';
import { decodePublicKeyInfo } from '../x509/public-key-info.ts';
import { verifyRsa } from './rsa.ts';

type Digest = (name: HashName, message: Uint8Array) => Uint8Array;

/** The key in a DER SubjectPublicKeyInfo, which is copied. `undefined` where it is not valid. */
export function importPureVerifyKey(spki: Uint8Array, digest: Digest): VerifyKey | undefined {
  const info = decodePublicKeyInfo(copyOf(spki));
  if (info === undefined) return undefined;
  if (info.type === 'RSA') {
    const { modulus, exponent } = info;
    return {
      type: 'RSA',
      verify: (hash, message, signature) => verifyRsa(modulus, exponent, hash, digest(hash, message), signature),
    };
  }
  const curve = info.type === 'P-256' ? p256 : p384;
  const { point, type } = info;
  if (!curve.utils.isValidPublicKey(point, false)) return undefined;
  return {
    type,
    verify(hash, message, signature) {
      try {
        // TLS does not ask for the lower of the two values that s may have.
        return curve.verify(signature, digest(hash, message), point, { prehash: false, lowS: false, format: 'der' });
      } catch {
        // The library throws on a signature that is not DER.
        return false;
      }
    },
  };
}
