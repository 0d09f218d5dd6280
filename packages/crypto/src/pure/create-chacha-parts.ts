import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { type ChachaParts, createChachaKey } from '../kernel/kernel-chacha.ts';
import { sharedKernels } from '../kernel/kernel-memory.ts';
import { maxChachaPayloadBytes } from '../kernel/memory-layout.ts';
import type { CreateChachaParts } from '../record/create-record-cipher-with.ts';
import { NobleAead } from './noble-aead.ts';

/** ChaCha20-Poly1305 by the kernels, for `auto` and `wasm`; undefined where there is no WASM SIMD. */
export const createChachaParts: CreateChachaParts = (key, engine, iv): ChachaParts | undefined => {
  const shared = engine === 'auto' || engine === 'wasm' ? sharedKernels() : undefined;
  if (shared === undefined) return undefined;
  const other = new NobleAead(chacha20poly1305, key);
  return { engine, key: createChachaKey(key, iv), shared, maxBytes: maxChachaPayloadBytes, other };
};
