import { concatBytes, copyOf } from '@millrace/core';
import type { CryptoProvider, HashName } from './provider.ts';

/**
 * The pseudorandom function of TLS 1.2 (RFC 5246 section 5):
 *
 *     PRF(secret, label, seed) = P_hash(secret, label + seed)
 *     P_hash = HMAC(secret, A(1) + seed) + HMAC(secret, A(2) + seed) + …
 *     A(0) = seed, A(i) = HMAC(secret, A(i - 1))
 *
 * `label` is ASCII. Returns `length` fresh bytes; throws RangeError where that is not 0 to 2^16.
 */
export function prfWith(
  provider: CryptoProvider,
  hash: HashName,
  secret: Uint8Array,
  label: string,
  seed: Uint8Array,
  length: number,
): Uint8Array {
  if (!Number.isInteger(length) || length < 0 || length > 65_536)
    throw new RangeError('length must be an integer from 0 to 65536');
  const labelAndSeed = concatBytes(
    Uint8Array.from(label, (character) => character.charCodeAt(0)),
    seed,
  );
  const out = new Uint8Array(length);
  let a = copyOf(labelAndSeed);
  for (let at = 0; at < length; ) {
    const next = provider.hmac(hash, secret, a);
    a.fill(0);
    a = next;
    const input = concatBytes(a, labelAndSeed);
    const block = provider.hmac(hash, secret, input);
    const taken = Math.min(block.length, length - at);
    out.set(taken < block.length ? block.subarray(0, taken) : block, at);
    at += taken;
    // What the output was made of is as secret as the output.
    block.fill(0);
    input.fill(0);
  }
  a.fill(0);
  return out;
}
