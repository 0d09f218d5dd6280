import { reclaim } from '../reclaim.ts';

/** Blocks of keystream as node:crypto returned them, in bytes and in 64-bit words. */
export class Keystream {
  bytes: Uint8Array = new Uint8Array(0);
  #words: BigUint64Array | undefined;

  /** Takes over `bytes`, which nobody else may hold, and clears what it held before. */
  replace(bytes: Uint8Array): void {
    const before = this.bytes;
    // Words need an aligned start. node:crypto returns memory of its own, but does not promise it.
    this.bytes = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
    this.#words = undefined;
    before.fill(0);
    reclaim(before);
  }

  /** Made when first asked for: a short record does without. */
  get words(): BigUint64Array {
    return (this.#words ??= new BigUint64Array(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length >>> 3));
  }

  wipe(): void {
    this.bytes.fill(0);
  }
}
