import { hmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import type { CryptoProvider, Hash, HashName } from '../provider.ts';
import { generatePureKeyShare } from './key-share.ts';
import { importPureVerifyKey } from './verify-key.ts';

const hashes: Readonly<Record<HashName, typeof sha1 | typeof sha256 | typeof sha512>> = {
  'SHA-1': sha1,
  'SHA-256': sha256,
  'SHA-384': sha384,
  'SHA-512': sha512,
};

/** The most that `getRandomValues` gives at a time (W3C Web Cryptography API section 10.1.1). */
const maxRandomBytes = 65_536;

/** The primitives without a platform, but for its randomness: over @noble. */
export const pureProvider: CryptoProvider = {
  name: 'pure',
  random: {
    fill(target, start = 0, end = target.length) {
      for (let at = start; at < end; at += maxRandomBytes) {
        globalThis.crypto.getRandomValues(target.subarray(at, Math.min(end, at + maxRandomBytes)));
      }
    },
  },
  createHash(name): Hash {
    const hash = hashes[name].create();
    return {
      update(data) {
        hash.update(data);
      },
      digest: () => hash.clone().digest(),
    };
  },
  digest: (name, data) => hashes[name](data),
  hmac: (name, key, data) => hmac(hashes[name], key, data),
  generateKeyShare: generatePureKeyShare,
  importVerifyKey: (spki) => importPureVerifyKey(spki, (name, message) => hashes[name](message)),
};
