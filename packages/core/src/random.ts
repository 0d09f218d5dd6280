/** A source of randomness. Machines are handed one; they never reach for the platform's. */
export interface Random {
  /** Overwrites `target[start, end)` with random bytes. */
  fill(target: Uint8Array, start?: number, end?: number): void;
}

/** `length` fresh random bytes, owned by the caller. */
export function randomBytes(random: Random, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  random.fill(bytes);
  return bytes;
}

/** An unsigned 32-bit random integer. */
export function randomUint32(random: Random): number {
  const scratch = new Uint8Array(4);
  random.fill(scratch);
  return ((scratch[0]! << 24) | (scratch[1]! << 16) | (scratch[2]! << 8) | scratch[3]!) >>> 0;
}

/** A random number in [0, 1) with 32 bits of resolution. */
export function randomUnit(random: Random): number {
  return randomUint32(random) / 0x1_0000_0000;
}

/**
 * A repeatable generator for simulations and tests (xorshift128, seeded by splitmix32).
 * Predictable by design: never for keys, tags or credentials outside a test.
 */
export function seededRandom(seed: number): Random {
  let mix = seed >>> 0;
  const next = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  let x = next();
  let y = next();
  let z = next();
  let w = next() | 1;
  const uint32 = (): number => {
    const t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w = (w ^ (w >>> 19) ^ t ^ (t >>> 8)) >>> 0;
    return w;
  };
  return {
    fill(target, start = 0, end = target.length) {
      let word = 0;
      for (let i = start, left = 0; i < end; i++, left--) {
        if (left === 0) {
          word = uint32();
          left = 4;
        }
        target[i] = word;
        word >>>= 8;
      }
    },
  };
}
