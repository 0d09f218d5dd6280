/**
 * How an AEAD does its work. `reference` makes a cipher object and fresh buffers per record, as
 * straightforward code does; `single-buffer` computes the exact size once and seals into the final
 * buffer with a reused nonce; `node` keeps long-lived cipher contexts where that pays, and gives
 * native memory back at once; `wasm` is kernels alone, constant in time; `js` needs no platform; `auto` picks what was measured to be fastest.
 * An engine that the platform does not have is refused with RangeError.
 */
export type Engine = 'auto' | 'node' | 'wasm' | 'js' | 'single-buffer' | 'reference';

/** An authenticated cipher that works in place, in the caller's buffer. */
export interface Aead {
  readonly engine: Engine;
  readonly keyBytes: 16 | 32;
  readonly tagBytes: 8 | 16;
  /**
   * Encrypts `data[start, end)` in place and writes the tag at `[end, end + tagBytes)`.
   * `nonce` and `aad` are read during the call and may be reused by the caller afterwards.
   */
  seal(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): void;
  /**
   * Verifies and decrypts `data[start, end)`, which is ciphertext followed by the tag, in place.
   * False where the tag is wrong; the range then holds zeros, never unauthenticated plaintext.
   */
  open(nonce: Uint8Array, aad: Uint8Array, data: Uint8Array, start: number, end: number): boolean;
  /** Forgets the key. The object is dead afterwards. */
  destroy(): void;
}
