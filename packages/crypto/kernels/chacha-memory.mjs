/** Where ChaCha20-Poly1305 keeps what it works on: see src/kernel/memory-layout.ts. */
export const stateAt = 20_480;
/** Accumulator (40), key (32), and what is added at the end (16, aligned). */
export const polyAt = stateAt + 64;
export const tagAt = polyAt + 96;
/** Keystream of four blocks. */
export const streamAt = tagAt + 16;
export const zerosAt = streamAt + 256;
/** Additional data, padded with zeros. */
export const aadAt = zerosAt + 256;
/** The last bytes of the text, padded, and the block of lengths. */
export const lastAt = aadAt + 1024 + 16;
/** Sixteen bytes of ones, then zeros: read at 16 - n, the mask of n bytes. */
export const maskAt = lastAt + 32;
