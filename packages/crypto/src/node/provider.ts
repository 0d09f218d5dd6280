import {
  createHash as createNodeHash,
  createHmac,
  createPublicKey,
  randomFillSync,
  verify,
  type Hash as NodeHash,
  type KeyObject,
} from 'node:crypto';
import type { CryptoProvider, Hash, HashName, VerifyKey } from '../provider.ts';
import { decodePublicKeyInfo } from '../x509/public-key-info.ts';
import { generateNodeKeyShare } from './key-share.ts';

export const nodeHashName: Readonly<Record<HashName, string>> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
};

/** The primitives over node:crypto. */
export const nodeProvider: CryptoProvider = {
  name: 'node',
  random: {
    fill(target, start = 0, end = target.length) {
      randomFillSync(target, start, end - start);
    },
  },
  createHash(name): Hash {
    return new RunningHash(createNodeHash(nodeHashName[name]));
  },
  digest(name, data) {
    return owned(createNodeHash(nodeHashName[name]).update(data).digest());
  },
  hmac(name, key, data) {
    return owned(createHmac(nodeHashName[name], key).update(data).digest());
  },
  generateKeyShare: generateNodeKeyShare,
  importVerifyKey(spki): VerifyKey | undefined {
    const info = decodePublicKeyInfo(spki);
    if (info === undefined) return undefined;
    try {
      // DER of a copy: node:crypto wants a Buffer, and the caller may reuse its bytes.
      const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
      return new NodeVerifyKey(info.type, key);
    } catch {
      return undefined;
    }
  },
};

class RunningHash implements Hash {
  readonly #hash: NodeHash;

  constructor(hash: NodeHash) {
    this.#hash = hash;
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Uint8Array {
    return owned(this.#hash.copy().digest());
  }
}

class NodeVerifyKey implements VerifyKey {
  readonly type: VerifyKey['type'];
  readonly #key: KeyObject;

  constructor(type: VerifyKey['type'], key: KeyObject) {
    this.type = type;
    this.#key = key;
  }

  verify(hash: HashName, message: Uint8Array, signature: Uint8Array): boolean {
    try {
      return verify(nodeHashName[hash], message, { key: this.#key, dsaEncoding: 'der' }, signature);
    } catch {
      return false;
    }
  }
}

/** A plain array of the caller's own: small Buffers share a pool, where others' leftovers must not stay. */
function owned(bytes: Buffer): Uint8Array {
  const copy = new Uint8Array(bytes);
  bytes.fill(0);
  return copy;
}
