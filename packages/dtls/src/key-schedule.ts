/*
 * Secrets of TLS 1.2. Every suite here uses the PRF with SHA-256 (RFC 5246 section 5).
 */
import { concatBytes, formatHex, writeUint16 } from '@millrace/core';
import { type CryptoProvider, prf } from '@millrace/crypto';
import type { CipherSuiteParameters } from './cipher-suites.ts';

const masterSecretBytes = 48;
/** RFC 5246 section 7.4.9. */
export const verifyDataBytes = 12;

export interface Randoms {
  readonly client: Uint8Array;
  readonly server: Uint8Array;
}

/** RFC 5246 section 8.1, for a peer without the extended master secret. */
export function deriveMasterSecret(crypto: CryptoProvider, premasterSecret: Uint8Array, randoms: Randoms): Uint8Array {
  const seed = concatBytes(randoms.client, randoms.server);
  return prf('SHA-256', premasterSecret, 'master secret', seed, masterSecretBytes, crypto);
}

/** RFC 7627 section 4; `sessionHash` covers the messages up to ClientKeyExchange. */
export function deriveExtendedMasterSecret(
  crypto: CryptoProvider,
  premasterSecret: Uint8Array,
  sessionHash: Uint8Array,
): Uint8Array {
  return prf('SHA-256', premasterSecret, 'extended master secret', sessionHash, masterSecretBytes, crypto);
}

export interface DirectionKeys {
  readonly key: Uint8Array;
  readonly salt: Uint8Array;
}

export interface KeyBlock {
  readonly client: DirectionKeys;
  readonly server: DirectionKeys;
  /** Zeroes all keys. */
  destroy(): void;
}

/** RFC 5246 section 6.3; AEAD suites have no MAC keys. */
export function deriveKeyBlock(
  crypto: CryptoProvider,
  suite: CipherSuiteParameters,
  masterSecret: Uint8Array,
  randoms: Randoms,
): KeyBlock {
  const { keyBytes, saltBytes } = suite;
  const seed = concatBytes(randoms.server, randoms.client);
  const block = prf('SHA-256', masterSecret, 'key expansion', seed, 2 * (keyBytes + saltBytes), crypto);
  const salts = 2 * keyBytes;
  return {
    client: { key: block.subarray(0, keyBytes), salt: block.subarray(salts, salts + saltBytes) },
    server: { key: block.subarray(keyBytes, salts), salt: block.subarray(salts + saltBytes) },
    destroy: () => block.fill(0),
  };
}

/** The content of Finished (RFC 5246 section 7.4.9). */
export function deriveVerifyData(
  crypto: CryptoProvider,
  masterSecret: Uint8Array,
  sender: 'client' | 'server',
  transcriptHash: Uint8Array,
): Uint8Array {
  return prf('SHA-256', masterSecret, `${sender} finished`, transcriptHash, verifyDataBytes, crypto);
}

/** A line of the NSS key log format, for TLS up to 1.2. */
export function formatKeyLogLine(clientRandom: Uint8Array, masterSecret: Uint8Array): string {
  return `CLIENT_RANDOM ${formatHex(clientRandom)} ${formatHex(masterSecret)}`;
}

/** Labels that TLS uses itself; an exporter must not repeat them (RFC 5705 section 4). */
const reservedLabels = ['client finished', 'server finished', 'master secret', 'extended master secret', 'key expansion'];

/** RFC 5705 section 4. Throws RangeError on a label or length that is not allowed. */
export function exportKeyingMaterial(
  crypto: CryptoProvider,
  masterSecret: Uint8Array,
  randoms: Randoms,
  label: string,
  context: Uint8Array | undefined,
  length: number,
): Uint8Array {
  if (!/^[\x20-\x7e]+$/.test(label) || reservedLabels.includes(label)) {
    throw new RangeError(`label must be printable ASCII and none of ${reservedLabels.join(', ')}`);
  }
  if (!Number.isInteger(length) || length < 1 || length > 65_535)
    throw new RangeError('length must be an integer from 1 to 65535');
  if (context !== undefined && context.length > 65_535) throw new RangeError('context must have at most 65535 bytes');
  let seed = concatBytes(randoms.client, randoms.server);
  if (context !== undefined) {
    // An empty context differs from none.
    const contextLength = new Uint8Array(2);
    writeUint16(contextLength, 0, context.length);
    seed = concatBytes(seed, contextLength, context);
  }
  return prf('SHA-256', masterSecret, label, seed, length, crypto);
}
