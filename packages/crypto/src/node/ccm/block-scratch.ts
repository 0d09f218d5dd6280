/** Views up to this many blocks, about one datagram, are made once and kept. */
const keptViews = 128;

/**
 * Scratch memory in AES blocks, with views of its first blocks that are made once. It is shared by
 * all ciphers of a thread, because whoever uses it is done with it before the next one starts.
 */
export class BlockScratch {
  bytes: Uint8Array = new Uint8Array(16 * keptViews);
  /** The same memory in 64-bit words, two a block. */
  words: BigUint64Array = new BigUint64Array(this.bytes.buffer);
  #views: (Uint8Array | undefined)[] = Array.from({ length: keptViews + 1 });

  /** Makes room for `blocks` blocks. May replace `bytes` and `words`, without what they held. */
  reserve(blocks: number): void {
    if (16 * blocks <= this.bytes.length) return;
    this.bytes = new Uint8Array(16 * 2 ** Math.ceil(Math.log2(blocks)));
    this.words = new BigUint64Array(this.bytes.buffer);
    this.#views.fill(undefined);
  }

  /** A view of the first `blocks` blocks, for which there must be room. */
  view(blocks: number): Uint8Array {
    if (blocks > keptViews) return this.bytes.subarray(0, 16 * blocks);
    return (this.#views[blocks] ??= this.bytes.subarray(0, 16 * blocks));
  }
}
