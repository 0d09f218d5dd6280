import type { Aead, Engine } from '../aead.ts';
import { KernelChacha } from '../kernel/kernel-chacha.ts';
import { ccmNonce, checkEngine, checkKey, checkTagBytes, noWasm, tlsNonce } from '../options.ts';
import { KernelCcm } from '../kernel/kernel-ccm.ts';
import { createCcmParts } from './ccm/create-ccm-parts.ts';
import { chachaAlgorithm, createChachaParts } from './create-chacha-parts.ts';
import { ReferenceAead, SingleBufferAead, type NativeAlgorithm } from './native-aead.ts';

const engines: readonly Engine[] = ['auto', 'node', 'single-buffer', 'reference'];
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
  return createNative({ cipher: `aes-${8 * keyBytes}-ccm`, keyBytes, tagBytes, nonce: ccmNonce }, key, engine);
}

/**
 * AES-GCM (NIST SP 800-38D) with a key of 16 or 32 bytes, which is copied, and nonces of 12 bytes.
 * Throws TypeError or RangeError on an option that does not fit.
 */
export function createGcm(key: Uint8Array, options: { engine?: Engine } = {}): Aead {
  const keyBytes = checkKey(key, [16, 32]);
  const algorithm: NativeAlgorithm = { cipher: `aes-${8 * keyBytes}-gcm`, keyBytes, tagBytes: 16, nonce: tlsNonce };
  return createNative(algorithm, key, options.engine ?? 'auto');
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
  return createNative(chachaAlgorithm, key, engine);
}

function createNative(algorithm: NativeAlgorithm, key: Uint8Array, engine: Engine): Aead {
  checkEngine(engine, engines);
  if (engine === 'reference') return new ReferenceAead(algorithm, key);
  return new SingleBufferAead(engine === 'auto' ? 'node' : (engine as 'node' | 'single-buffer'), algorithm, key);
}
