/** AES of the platform for one key, where it has one that is called synchronously. */
export interface NativeAes {
  /** Encrypts whole blocks (ECB) from one part of a memory to another, which may be the same. */
  encryptBlocks(memory: Uint8Array, from: number, bytes: number): void;
  /** The last ciphertext block of the chain so far: XORed into the first block of the next message, it cancels it. */
  readonly chained: Uint8Array;
  /** Chains whole blocks (CBC) of a memory; `chained` holds their MAC then. */
  chainBlocks(memory: Uint8Array, from: number, bytes: number): void;
  destroy(): void;
}

/** What calls `releaseIdle` of a pool while something is held there. */
export type WatchPool = (pool: { readonly isHeld: boolean; releaseIdle(): void }) => void;
