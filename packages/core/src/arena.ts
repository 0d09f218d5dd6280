import { invariant } from './errors.ts';

/**
 * Fixed-stride slots over one buffer that never moves. A WebAssembly.Memory fixed at creation (one
 * that grows detaches every view) makes the slots visible to kernels; any ArrayBuffer will do
 * where there are none.
 *
 * Slots start at a multiple of 16 plus `payloadSkew`, chosen so that the part which kernels work
 * on is aligned. A slot is free again only when its user gives it back: a send that waits in the
 * socket keeps its slot.
 */
export interface Arena {
  /** One view over the whole buffer; slot offsets index into it. */
  readonly data: Uint8Array;
  readonly slotBytes: number;
  readonly slots: number;
  readonly free: number;
  /** The offset of a free slot, or -1 where all are in use. */
  take(): number;
  /** Gives a slot back by its offset. Giving back what is free is a bug and throws. */
  give(offset: number): void;
}

export interface ArenaOptions {
  /** First byte of the arena in `buffer`; a multiple of 16. Default 0. */
  readonly offset?: number;
  /** Usable bytes per slot; the stride is rounded up to a multiple of 16. */
  readonly slotBytes: number;
  /** Bytes added to each slot's start, 0 to 15. Default 0. */
  readonly payloadSkew?: number;
  readonly slots: number;
}

/** Lays an arena over `buffer`, which the caller keeps. Throws RangeError where it does not fit. */
export function createArena(buffer: ArrayBuffer, options: ArenaOptions): Arena {
  const { offset = 0, slotBytes, slots, payloadSkew = 0 } = options;
  if (!Number.isInteger(offset) || offset < 0 || offset % 16 !== 0) throw new RangeError('offset must be a multiple of 16');
  if (!Number.isInteger(payloadSkew) || payloadSkew < 0 || payloadSkew > 15) throw new RangeError('payloadSkew must be 0 to 15');
  if (!Number.isInteger(slotBytes) || slotBytes < 1) throw new RangeError('slotBytes must be a positive integer');
  if (!Number.isInteger(slots) || slots < 1) throw new RangeError('slots must be a positive integer');
  const stride = (payloadSkew + slotBytes + 15) & ~15;
  if (offset + stride * slots > buffer.byteLength) {
    throw new RangeError(`the arena needs ${offset + stride * slots} bytes, the buffer has ${buffer.byteLength}`);
  }
  return new FixedArena(buffer, offset + payloadSkew, stride, slotBytes, slots);
}

class FixedArena implements Arena {
  readonly data: Uint8Array;
  readonly slotBytes: number;
  readonly slots: number;
  readonly #first: number;
  readonly #stride: number;
  readonly #stack: Int32Array;
  readonly #taken: Uint8Array;
  #free: number;

  constructor(buffer: ArrayBuffer, first: number, stride: number, slotBytes: number, slots: number) {
    this.data = new Uint8Array(buffer);
    this.#first = first;
    this.#stride = stride;
    this.slotBytes = slotBytes;
    this.slots = slots;
    this.#stack = Int32Array.from({ length: slots }, (_, i) => slots - 1 - i);
    this.#taken = new Uint8Array(slots);
    this.#free = slots;
  }

  get free(): number {
    return this.#free;
  }

  take(): number {
    if (this.#free === 0) return -1;
    const slot = this.#stack[--this.#free]!;
    this.#taken[slot] = 1;
    return this.#first + slot * this.#stride;
  }

  give(offset: number): void {
    const slot = (offset - this.#first) / this.#stride;
    invariant(this.#taken[slot] === 1, 'a slot was given back that was not taken');
    this.#taken[slot] = 0;
    this.#stack[this.#free++] = slot;
  }
}
