/*
 * AEADs and DTLS 1.2 records by node:crypto, written for the tests without a thought of speed.
 */
import { createCipheriv, type CipherGCMTypes } from 'node:crypto';
import { concatBytes } from '@millrace/core';
import type { RecordAlgorithm } from '../../src/record.ts';

export const algorithms: readonly {
  readonly algorithm: RecordAlgorithm;
  readonly cipher: string;
  readonly keyBytes: number;
  readonly ivBytes: number;
  readonly tagBytes: number;
}[] = [
  { algorithm: 'AES-128-CCM', cipher: 'aes-128-ccm', keyBytes: 16, ivBytes: 4, tagBytes: 16 },
  { algorithm: 'AES-128-CCM-8', cipher: 'aes-128-ccm', keyBytes: 16, ivBytes: 4, tagBytes: 8 },
  { algorithm: 'AES-128-GCM', cipher: 'aes-128-gcm', keyBytes: 16, ivBytes: 4, tagBytes: 16 },
  { algorithm: 'AES-256-GCM', cipher: 'aes-256-gcm', keyBytes: 32, ivBytes: 4, tagBytes: 16 },
  { algorithm: 'CHACHA20-POLY1305', cipher: 'chacha20-poly1305', keyBytes: 32, ivBytes: 12, tagBytes: 16 },
];

/** Ciphertext and tag. */
export function oracleSeal(
  cipher: string,
  key: Uint8Array,
  nonce: Uint8Array,
  aad: Uint8Array,
  plaintext: Uint8Array,
  tagBytes: number,
): Uint8Array {
  const context = createCipheriv(cipher as CipherGCMTypes, key, nonce, { authTagLength: tagBytes });
  context.setAAD(aad, { plaintextLength: plaintext.length });
  // A view into a longer buffer: an empty array has no address, which OpenSSL's CCM takes for another call.
  const input = concatBytes(plaintext, Uint8Array.of(0)).subarray(0, plaintext.length);
  return concatBytes(context.update(input), context.final(), context.getAuthTag());
}

export interface OracleRecord {
  readonly type?: number;
  readonly epoch?: number;
  readonly sequenceNumber?: number;
  /** With AES; default epoch and sequence number. */
  readonly explicitNonce?: Uint8Array;
  readonly payload: Uint8Array;
}

/** A whole protected record. */
export function oracleRecord(algorithm: RecordAlgorithm, key: Uint8Array, iv: Uint8Array, record: OracleRecord): Uint8Array {
  const shape = algorithms.find((entry) => entry.algorithm === algorithm)!;
  const { type = 23, epoch = 1, sequenceNumber = 0, payload } = record;
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint8(0, type);
  view.setUint16(1, 0xfefd);
  view.setUint16(3, epoch);
  view.setUint16(5, Math.floor(sequenceNumber / 2 ** 32));
  view.setUint32(7, sequenceNumber % 2 ** 32);
  const epochAndSequence = header.slice(3, 11);
  const aad = concatBytes(epochAndSequence, header.slice(0, 3), Uint8Array.of(payload.length >>> 8, payload.length));
  const implicit = shape.ivBytes === 12;
  const explicit = implicit ? new Uint8Array(0) : (record.explicitNonce ?? epochAndSequence);
  const nonce = implicit ? iv.map((byte, i) => (i < 4 ? byte : byte ^ epochAndSequence[i - 4]!)) : concatBytes(iv, explicit);
  view.setUint16(11, explicit.length + payload.length + shape.tagBytes);
  return concatBytes(header, explicit, oracleSeal(shape.cipher, key, nonce, aad, payload, shape.tagBytes));
}
