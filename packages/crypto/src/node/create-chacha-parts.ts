import { type ChachaParts, createChachaKey } from '../kernel/kernel-chacha.ts';
import { sharedKernels } from '../kernel/kernel-memory.ts';
import { maxChachaPayloadBytes } from '../kernel/memory-layout.ts';
import { tlsNonce } from '../options.ts';
import type { CreateChachaParts } from '../record/create-record-cipher-with.ts';
import { type NativeAlgorithm, SingleBufferAead } from './native-aead.ts';

export const chachaAlgorithm: NativeAlgorithm = { cipher: 'chacha20-poly1305', keyBytes: 32, tagBytes: 16, nonce: tlsNonce };

/**
 * Longer payloads go to node:crypto. Measured, kernel against native: 6.3 to 8.2 us to seal and 6.4 to
 * 7.7 us to open at 6144 bytes, 10.4 to 9.6 and 10.5 to 8.9 us at 10240. See docs/decisions/0004.
 */
const maxAutoBytes = 7680;

/** ChaCha20-Poly1305 by the kernels and node:crypto, for `auto` and `wasm`; undefined where there is no WASM SIMD. */
export const createChachaParts: CreateChachaParts = (key, engine, iv): ChachaParts | undefined => {
  const shared = engine === 'auto' || engine === 'wasm' ? sharedKernels() : undefined;
  if (shared === undefined) return undefined;
  const maxBytes = engine === 'auto' ? maxAutoBytes : maxChachaPayloadBytes;
  const other = new SingleBufferAead('node', chachaAlgorithm, key);
  return { engine, key: createChachaKey(key, iv), shared, maxBytes, other };
};
