/*
 * The AES key schedule (FIPS 197 section 5.2) in the form that the kernels take, without a table that
 * a secret would index: the S-box is computed.
 */

/** What each bit of a byte becomes in the basis of the kernels' S-box, a linear map. */
const basisOfBits: readonly number[] = [112, 42, 152, 8, 77, 124, 125, 129];

/** Bytes of a schedule: one key per round and one before, and the last once more for chains. */
export function scheduleBytes(keyBytes: 16 | 32): number {
  return 16 * (keyBytes === 16 ? 12 : 16);
}

/** Writes the schedule of `key` to `out[at, at + scheduleBytes)`. */
export function expandKey(key: Uint8Array, out: Uint8Array, at: number): void {
  const rounds = key.length === 16 ? 10 : 14;
  const plain = new Uint8Array(16 * (rounds + 1));
  plain.set(key);
  expand(plain, key.length);
  for (let i = 0; i < 16; i++) out[at + i] = intoBasis(plain[i]!);
  for (let round = 1; round <= rounds; round++) {
    for (let i = 0; i < 16; i++) {
      const byte = plain[16 * round + unshifted(i, round)]! ^ 0x63;
      out[at + 16 * round + i] = round === rounds ? byte : intoBasis(byte);
    }
  }
  for (let i = 0; i < 16; i++) {
    const from = unshifted(i, rounds);
    out[at + 16 * (rounds + 1) + i] = intoBasis(plain[16 * rounds + from]! ^ 0x63) ^ intoBasis(plain[from]!);
  }
  plain.fill(0);
}

/** The rows of round n stand shifted n times less in the kernels: where byte i of the state really is. */
function unshifted(i: number, round: number): number {
  const row = i & 3;
  return ((((i >> 2) - row * round) & 3) << 2) | row;
}

function expand(schedule: Uint8Array, keyBytes: number): void {
  const word = new Uint8Array(4);
  let constant = 1;
  for (let i = keyBytes; i < schedule.length; i += 4) {
    for (let k = 0; k < 4; k++) word[k] = schedule[i - 4 + k]!;
    if (i % keyBytes === 0) {
      const first = word[0]!;
      word[0] = substitute(word[1]!) ^ constant;
      word[1] = substitute(word[2]!);
      word[2] = substitute(word[3]!);
      word[3] = substitute(first);
      constant = double(constant);
    } else if (keyBytes === 32 && i % 32 === 16) {
      for (let k = 0; k < 4; k++) word[k] = substitute(word[k]!);
    }
    for (let k = 0; k < 4; k++) schedule[i + k] = schedule[i - keyBytes + k]! ^ word[k]!;
  }
  word.fill(0);
}

function double(a: number): number {
  return ((a << 1) ^ (0x11b & -(a >> 7))) & 0xff;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = a;
  for (let bit = 0; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1);
    shifted = double(shifted);
  }
  return product;
}

/** The S-box: the inverse as the 254th power, then the affine map (FIPS 197 section 5.1.1). */
function substitute(byte: number): number {
  let power = byte;
  let inverse = 1;
  for (let i = 1; i < 8; i++) {
    power = multiply(power, power);
    inverse = multiply(inverse, power);
  }
  const twice = inverse | (inverse << 8);
  return (inverse ^ (twice >> 7) ^ (twice >> 6) ^ (twice >> 5) ^ (twice >> 4) ^ 0x63) & 0xff;
}

function intoBasis(byte: number): number {
  let out = 0;
  for (let bit = 0; bit < 8; bit++) out ^= basisOfBits[bit]! & -((byte >> bit) & 1);
  return out;
}
