import type { Engine } from './aead.ts';

/** The length of a key. Throws RangeError where it is none of `allowed`. */
export function checkKey<N extends 16 | 32>(key: Uint8Array, allowed: readonly N[]): N {
  if (!(key instanceof Uint8Array)) throw new TypeError('key must be a Uint8Array');
  if (!allowed.includes(key.length as N)) throw new RangeError(`key must have ${allowed.join(' or ')} bytes`);
  return key.length as N;
}

export function checkTagBytes(tagBytes: number, allowed: readonly number[]): void {
  if (!allowed.includes(tagBytes)) throw new RangeError(`tagBytes must be ${allowed.join(' or ')}`);
}

export function checkEngine(engine: Engine, allowed: readonly Engine[]): void {
  if (!allowed.includes(engine)) throw new RangeError(`engine must be one of ${allowed.join(', ')}`);
}

/** Throws RangeError where `[start, end)` and a tag after it do not lie in `data`. */
export function checkSealRange(data: Uint8Array, start: number, end: number, tagBytes: number): void {
  if (!(start >= 0 && end >= start && end + tagBytes <= data.length)) {
    throw new RangeError(`start and end must leave ${tagBytes} bytes for the tag within data`);
  }
}
