import { poolAt, poolBytes } from './memory-layout.ts';

/** The smallest and the largest piece, as powers of two: 256 bytes and 64 KiB. */
const minOrder = 8;
const maxOrder = 16;

/** One who holds a piece of the pool. */
export interface PoolUser {
  /** Gives the piece back where it was not used since the last call. */
  releaseIdle(): void;
}

/**
 * Memory for keystream that is made ahead, in pieces of powers of two that split and merge (a buddy
 * allocator). It bounds what all ciphers together hold.
 */
export class KeystreamPool {
  readonly #bytes: Uint8Array;
  /** Free pieces of each order, by address. */
  readonly #free: Set<number>[] = Array.from({ length: maxOrder + 1 }, () => new Set());
  readonly #users = new Set<PoolUser>();
  #fresh: number = poolAt;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isHeld(): boolean {
    return this.#users.size > 0;
  }

  /** The address of a piece of `2 ** order` bytes, or -1 where there is none. */
  take(order: number, user: PoolUser): number {
    const at = this.#take(order);
    if (at !== -1) this.#users.add(user);
    return at;
  }

  /** Wipes a piece and takes it back. */
  give(at: number, order: number, user: PoolUser): void {
    this.#users.delete(user);
    this.#bytes.fill(0, at, at + 2 ** order);
    let merged = at;
    let size = order;
    for (; size < maxOrder; size++) {
      const buddy = poolAt + ((merged - poolAt) ^ (2 ** size));
      if (!this.#free[size]!.delete(buddy)) break;
      merged = Math.min(merged, buddy);
    }
    this.#free[size]!.add(merged);
  }

  /** Called now and then: who did not use a piece since the last time gives it back. */
  releaseIdle(): void {
    for (const user of this.#users) user.releaseIdle();
  }

  #take(order: number): number {
    for (const at of this.#free[order]!) {
      this.#free[order]!.delete(at);
      return at;
    }
    if (order < maxOrder) {
      const at = this.#take(order + 1);
      if (at !== -1) this.#free[order]!.add(at + 2 ** order);
      return at;
    }
    if (this.#fresh === poolAt + poolBytes) return -1;
    this.#fresh += 2 ** maxOrder;
    return this.#fresh - 2 ** maxOrder;
  }
}

/** The order of the smallest piece of `bytes` bytes, or one above the largest. */
export function orderOf(bytes: number): number {
  return Math.min(maxOrder + 1, Math.max(minOrder, 32 - Math.clz32(bytes - 1)));
}

/** The bytes of the largest piece. */
export const maxPieceBytes: number = 2 ** maxOrder;
