import { createECDH, createPublicKey, diffieHellman, generateKeyPairSync, type ECDH, type KeyObject } from 'node:crypto';
import { concatBytes, invariant, parseHex } from '@millrace/core';
import type { GroupName, KeyShare } from '../provider.ts';

/** SubjectPublicKeyInfo of an X25519 key up to its 32 bytes (RFC 8410 section 4). */
const x25519Prefix: Uint8Array = parseHex('302a300506032b656e032100')!;

export function generateNodeKeyShare(group: GroupName): KeyShare {
  switch (group) {
    case 'X25519':
      return new X25519Share();
    case 'P-256':
      return new EcdhShare('P-256', 'prime256v1', 65);
    case 'P-384':
      return new EcdhShare('P-384', 'secp384r1', 97);
    default:
      throw new RangeError('group must be X25519, P-256 or P-384');
  }
}

class X25519Share implements KeyShare {
  readonly group = 'X25519';
  readonly publicKey: Uint8Array;
  #privateKey: KeyObject | undefined;

  constructor() {
    const pair = generateKeyPairSync('x25519');
    this.#privateKey = pair.privateKey;
    this.publicKey = new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(x25519Prefix.length));
  }

  derive(peerPublicKey: Uint8Array): Uint8Array | undefined {
    const privateKey = this.#privateKey;
    invariant(privateKey !== undefined, 'derive after destroy');
    if (peerPublicKey.length !== 32) return undefined;
    try {
      const key = Buffer.from(concatBytes(x25519Prefix, peerPublicKey));
      const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
      const secret = new Uint8Array(diffieHellman({ privateKey, publicKey }));
      // RFC 7748 section 6.1: a point of small order gives zeros.
      return secret.every((byte) => byte === 0) ? undefined : secret;
    } catch {
      return undefined;
    }
  }

  destroy(): void {
    this.#privateKey = undefined;
  }
}

class EcdhShare implements KeyShare {
  readonly group: GroupName;
  readonly publicKey: Uint8Array;
  #ecdh: ECDH | undefined;

  constructor(group: GroupName, curve: string, publicKeyBytes: number) {
    this.group = group;
    this.#ecdh = createECDH(curve);
    this.publicKey = new Uint8Array(this.#ecdh.generateKeys());
    invariant(this.publicKey.length === publicKeyBytes, 'an uncompressed point has a fixed length');
  }

  derive(peerPublicKey: Uint8Array): Uint8Array | undefined {
    const ecdh = this.#ecdh;
    invariant(ecdh !== undefined, 'derive after destroy');
    // RFC 8422 section 5.1.2: only the uncompressed form.
    if (peerPublicKey.length !== this.publicKey.length || peerPublicKey[0] !== 0x04) return undefined;
    try {
      return new Uint8Array(ecdh.computeSecret(peerPublicKey));
    } catch {
      return undefined;
    }
  }

  destroy(): void {
    this.#ecdh = undefined;
  }
}
