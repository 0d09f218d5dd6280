import type { KernelExports } from './instantiate.ts';
import { chachaAadAt, chachaStateAt } from './memory-layout.ts';

const nonceOffset = 52;

/** Four numbers, the last 1 to open; 0 where a tag is wrong. */
type Protect = (first: number, at: number, length: number, opening: number) => number;

/** The kernel of kernels/chacha-kernel.mjs over one memory. */
export class ChachaKernel {
  readonly #bytes: Uint8Array;
  readonly #record: Protect;
  readonly #protect: Protect;

  constructor(bytes: Uint8Array, exports: KernelExports) {
    this.#bytes = bytes;
    this.#record = exports['record'] as Protect;
    this.#protect = exports['protect'] as Protect;
  }

  /** Protects a record with `length` bytes of payload in place. False, and nothing changed, where a tag is wrong. */
  protectRecord(key: number, record: number, length: number, opening: boolean): boolean {
    return this.#record(key, record, length, opening ? 1 : 0) === 1;
  }

  /** The same for any nonce and at most `maxChachaAadBytes` of additional data. */
  protect(key: number, nonce: Uint8Array, aad: Uint8Array, at: number, length: number, opening: boolean): boolean {
    const bytes = this.#bytes;
    bytes.copyWithin(chachaStateAt + 16, key, key + 32);
    // The counter begins at 0.
    for (let i = -4; i < 0; i++) bytes[chachaStateAt + nonceOffset + i] = 0;
    for (let i = 0; i < 12; i++) bytes[chachaStateAt + nonceOffset + i] = nonce[i]!;
    const aadBytes = aad.length;
    for (let i = 0; i < aadBytes; i++) bytes[chachaAadAt + i] = aad[i]!;
    for (let i = aadBytes; (i & 15) !== 0; i++) bytes[chachaAadAt + i] = 0;
    return this.#protect(aadBytes, at, length, opening ? 1 : 0) === 1;
  }
}
