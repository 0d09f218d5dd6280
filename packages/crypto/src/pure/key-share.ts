import { x25519 } from '@noble/curves/ed25519.js';
import { p256, p384 } from '@noble/curves/nist.js';
import { invariant, copyOf } from '@millrace/core';
import type { GroupName, KeyShare } from '../provider.ts';

/** What the groups have in common: the shared secret from a private key and the peer's point. */
interface Group {
  readonly publicKeyBytes: number;
  generate(): Uint8Array;
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Throws where the point is invalid. */
  derive(privateKey: Uint8Array, peerPublicKey: Uint8Array): Uint8Array;
}

const groups: Readonly<Record<GroupName, Group>> = {
  X25519: {
    publicKeyBytes: 32,
    generate: () => x25519.utils.randomSecretKey(),
    publicKey: (privateKey) => x25519.getPublicKey(privateKey),
    derive: (privateKey, peer) => x25519.getSharedSecret(privateKey, peer),
  },
  'P-256': nistGroup(p256, 65),
  'P-384': nistGroup(p384, 97),
};

function nistGroup(curve: typeof p256, publicKeyBytes: number): Group {
  return {
    publicKeyBytes,
    generate: () => curve.utils.randomSecretKey(),
    publicKey: (privateKey) => curve.getPublicKey(privateKey, false),
    // RFC 8422 section 5.10: the secret is the x-coordinate alone, leading zeros kept.
    derive: (privateKey, peer) => copyOf(curve.getSharedSecret(privateKey, peer, true), 1),
  };
}

export function generatePureKeyShare(group: GroupName): KeyShare {
  if (!Object.hasOwn(groups, group)) throw new RangeError('group must be X25519, P-256 or P-384');
  return new PureKeyShare(group);
}

class PureKeyShare implements KeyShare {
  readonly group: GroupName;
  readonly publicKey: Uint8Array;
  #privateKey: Uint8Array | undefined;

  constructor(group: GroupName) {
    this.group = group;
    this.#privateKey = groups[group].generate();
    this.publicKey = groups[group].publicKey(this.#privateKey);
  }

  derive(peerPublicKey: Uint8Array): Uint8Array | undefined {
    const privateKey = this.#privateKey;
    invariant(privateKey !== undefined, 'derive after destroy');
    const group = groups[this.group];
    if (peerPublicKey.length !== group.publicKeyBytes) return undefined;
    // RFC 8422 section 5.1.2: only the uncompressed form.
    if (this.group !== 'X25519' && peerPublicKey[0] !== 0x04) return undefined;
    try {
      return group.derive(privateKey, peerPublicKey);
    } catch {
      // The library throws on points that are not on the curve and on an all-zero X25519 result.
      return undefined;
    }
  }

  destroy(): void {
    this.#privateKey?.fill(0);
    this.#privateKey = undefined;
  }
}
