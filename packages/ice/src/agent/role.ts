import { type Random, randomBytes } from '@millrace/core';
import type { StunMessage } from '../stun/decode-stun.ts';

/** A peer that answers 487 more often than this is not settling anything. */
const maxYields = 8;

/** Which side controls, and how the two agree on it (RFC 8445 sections 7.2.5.1 and 7.3.1.1). */
export class Role {
  isControlling: boolean;
  readonly #random: Random;
  #tieBreaker: Uint8Array;
  #yields = 0;

  constructor(isControlling: boolean, random: Random) {
    this.isControlling = isControlling;
    this.#random = random;
    this.#tieBreaker = randomBytes(random, 8);
  }

  /** 8 bytes; replaced, never changed. */
  get tieBreaker(): Uint8Array {
    return this.#tieBreaker;
  }

  /**
   * Compares roles with an authentic request. Where both sides claim the same one, the larger
   * tie-breaker controls: `switched` means that this side has given way, `conflict` that the peer
   * is to be told.
   */
  settle({ iceControlling, iceControlled }: StunMessage): 'agreed' | 'switched' | 'conflict' {
    const theirs = this.isControlling ? iceControlling : iceControlled;
    if (theirs === undefined) return 'agreed';
    const isLarger = compareBytes(this.#tieBreaker, theirs) >= 0;
    if (this.isControlling === isLarger) return 'conflict';
    this.isControlling = isLarger;
    return 'switched';
  }

  /**
   * Takes a 487 answer to a request that was sent in the given role; true where the role was
   * switched. It may have been switched since the request went out.
   */
  yieldRole(sentAsControlling: boolean): boolean {
    if (sentAsControlling !== this.isControlling || this.#yields === maxYields) return false;
    this.#yields++;
    this.isControlling = !this.isControlling;
    // The old value has lost once already (RFC 8445 section 7.2.5.1).
    this.#tieBreaker = randomBytes(this.#random, 8);
    return true;
  }

  /** Whether another 487 would still be followed. */
  get mayYield(): boolean {
    return this.#yields < maxYields;
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}
