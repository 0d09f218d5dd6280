import { gcm } from '@noble/ciphers/aes.js';
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import type { Aead, Engine } from '../aead.ts';
import { KernelCcm } from '../kernel/kernel-ccm.ts';
import { KernelChacha } from '../kernel/kernel-chacha.ts';
import { checkEngine, checkKey, checkTagBytes, noWasm } from '../options.ts';
import { createCcmParts } from './create-ccm-parts.ts';
import { createChachaParts } from './create-chacha-parts.ts';
import { JsCcm } from './js-ccm.ts';
import { NobleAead } from './noble-aead.ts';

const engines: readonly Engine[] = ['auto', 'js'];
/**
 * AES-CCM (RFC 3610, NIST SP 800-38C) with a key of 16 or 32 bytes, which is copied. Nonces have
 * 7 to 13 bytes. Throws TypeError or RangeError on an option that does not fit.
 */
export function createCcm(key: Uint8Array, options: { tagBytes?: 8 | 16; engine?: Engine } = {}): Aead {
  const { tagBytes = 16, engine = 'auto' } = options;
  const keyBytes = checkKey(key, [16, 32]);
  checkTagBytes(tagBytes);
  checkEngine(engine, [...engines, 'wasm']);
  const parts = createCcmParts(key, tagBytes, engine);
  if (parts !== undefined) return new KernelCcm(parts);
  if (engine === 'wasm') throw new RangeError(noWasm);
  return new JsCcm(keyBytes, tagBytes, key);
}

/**
 * AES-GCM (NIST SP 800-38D) with a key of 16 or 32 bytes, which is copied, and nonces of 12 bytes.
 * Throws TypeError or RangeError on an option that does not fit.
 */
export function createGcm(key: Uint8Array, options: { engine?: Engine } = {}): Aead {
  checkKey(key, [16, 32]);
  checkEngine(options.engine ?? 'auto', engines);
  return new NobleAead(gcm, key);
}

/**
 * ChaCha20-Poly1305 (RFC 8439) with a key of 32 bytes, which is copied, and nonces of 12 bytes.
 * Throws TypeError or RangeError on an option that does not fit.
 */
export function createChaCha20Poly1305(key: Uint8Array, options: { engine?: Engine } = {}): Aead {
  checkKey(key, [32]);
  const { engine = 'auto' } = options;
  checkEngine(engine, [...engines, 'wasm']);
  const parts = createChachaParts(key, engine);
  if (parts !== undefined) return new KernelChacha(parts);
  if (engine === 'wasm') throw new RangeError(noWasm);
  return new NobleAead(chacha20poly1305, key);
}
