import type { Engine } from './aead.ts';

/** The length of a key. Throws RangeError where it is none of `allowed`. */
export function checkKey<N extends 16 | 32>(key: Uint8Array, allowed: readonly N[]): N {
  if (!(key instanceof Uint8Array)) throw new TypeError('key must be a Uint8Array');
  if (!allowed.includes(key.length as N)) throw new RangeError(`key must have ${allowed.join(' or ')} bytes`);
  return key.length as N;
}

export function checkTagBytes(tagBytes: number): void {
  if (tagBytes !== 8 && tagBytes !== 16) throw new RangeError('tagBytes must be 8 or 16');
}

export function checkEngine(engine: Engine, allowed: readonly Engine[]): void {
  if (!allowed.includes(engine)) throw new RangeError(`engine must be one of ${allowed.join(', ')}`);
}

/** What an AEAD takes as nonce: 12 bytes, or 7 to 13 with CCM (NIST SP 800-38C appendix A.1). */
export interface NonceRange {
  readonly minBytes: number;
  readonly maxBytes: number;
}

export const tlsNonce: NonceRange = { minBytes: 12, maxBytes: 12 };
export const ccmNonce: NonceRange = { minBytes: 7, maxBytes: 13 };

function checkNonceAndAad(nonce: Uint8Array, range: NonceRange, aad: Uint8Array): void {
  if (!(nonce instanceof Uint8Array)) throw new TypeError('nonce must be a Uint8Array');
  const { minBytes, maxBytes } = range;
  if (nonce.length < minBytes || nonce.length > maxBytes) {
    throw new RangeError(`nonce must have ${minBytes === maxBytes ? minBytes : `${minBytes} to ${maxBytes}`} bytes`);
  }
  if (!(aad instanceof Uint8Array)) throw new TypeError('aad must be a Uint8Array');
}

/** By nonce length: CCM counts the payload in the 15 bytes that the nonce leaves (RFC 3610 section 2.1). */
const maxCcmPayloadBytes: readonly number[] = Array.from({ length: 14 }, (_, nonceBytes) =>
  Math.min(2 ** (8 * (15 - nonceBytes)) - 1, Number.MAX_SAFE_INTEGER),
);

function maxPayloadBytes(nonce: Uint8Array, range: NonceRange): number {
  return range === ccmNonce ? maxCcmPayloadBytes[nonce.length]! : Number.MAX_SAFE_INTEGER;
}

/** Throws TypeError or RangeError where an argument of `Aead.seal` does not fit. */
export function checkSeal(
  nonce: Uint8Array,
  range: NonceRange,
  aad: Uint8Array,
  data: Uint8Array,
  start: number,
  end: number,
  tagBytes: number,
): void {
  checkNonceAndAad(nonce, range, aad);
  if (!(data instanceof Uint8Array)) throw new TypeError('data must be a Uint8Array');
  if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end >= start && end + tagBytes <= data.length)) {
    throw new RangeError(`start and end must be integers that leave ${tagBytes} bytes for the tag within data`);
  }
  if (end - start > maxPayloadBytes(nonce, range)) {
    throw new RangeError(`end - start must be at most ${maxPayloadBytes(nonce, range)} with a nonce of ${nonce.length} bytes`);
  }
}

/**
 * Whether `[start, end)` can hold a tag and no more than the nonce allows. Throws TypeError or
 * RangeError where an argument of `Aead.open` does not fit.
 */
export function checkOpen(
  nonce: Uint8Array,
  range: NonceRange,
  aad: Uint8Array,
  data: Uint8Array,
  start: number,
  end: number,
  tagBytes: number,
): boolean {
  checkNonceAndAad(nonce, range, aad);
  if (!(data instanceof Uint8Array)) throw new TypeError('data must be a Uint8Array');
  if (!(Number.isInteger(start) && Number.isInteger(end) && start >= 0 && end >= start && end <= data.length)) {
    throw new RangeError('start and end must be integers within data');
  }
  return end - start >= tagBytes && end - start - tagBytes <= maxPayloadBytes(nonce, range);
}

/** A destroyed cipher would protect with a key of zeros. */
export function checkAlive(destroyed: boolean): void {
  if (destroyed) throw new TypeError('the cipher was destroyed');
}

/** What a platform says that can't have engine `wasm`. */
export const noWasm = 'engine wasm needs WebAssembly with SIMD, which this platform does not have';
