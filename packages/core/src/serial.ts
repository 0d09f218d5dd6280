/*
 * Serial numbers (RFC 1982). Protocol code unwraps a wire number once, relative to a number that
 * it knows to be near, and works with plain ascending integers from there on; so no comparison has
 * to think of the wrap again.
 */

/** The integer closest to `near` that is congruent to the 32-bit `wire`. May be negative. */
export function unwrap32(wire: number, near: number): number {
  return near + ((wire - near) | 0);
}

/** The 32 bits of an unwrapped number that go on the wire. */
export function wrap32(value: number): number {
  return value >>> 0;
}
