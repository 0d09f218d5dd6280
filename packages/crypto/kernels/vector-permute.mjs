/*
 * The constants of vector-permute AES (Hamburg, CHES 2009): inversion in GF(16) towers by nibble
 * tables, the change of basis into it (`ipt`), and the S-box output with and without the matrix.
 */
const bytes = (low, high) =>
  [low, high].flatMap((word) => Array.from({ length: 8 }, (_, i) => Number((word >> BigInt(8 * i)) & 255n)));

export const nibbleTables = {
  inv: bytes(0x0e05060f0d080180n, 0x040703090a0b0c02n),
  inva: bytes(0x01040a060f0b0780n, 0x030d0e0c02050809n),
  iptl: bytes(0xc2b2e8985a2a7000n, 0xcabae09052227808n),
  ipth: bytes(0x4c01307d317c4d00n, 0xcd80b1fcb0fdcc81n),
  sb1u: bytes(0xb19be18fcb503e00n, 0xa5df7a6e142af544n),
  sb1t: bytes(0x3618d415fae22300n, 0x3bf7ccc10d2ed9efn),
  sb2u: bytes(0xe27a93c60b712400n, 0x5eb7e955bc982fcdn),
  sb2t: bytes(0x69eb88400ae12900n, 0xc2a163c8ab82234an),
  sbou: bytes(0xd0d26d176fbdc700n, 0x15aabf7ac502a878n),
  sbot: bytes(0xcfe474a55fbb6a00n, 0x8e1e90d1412b35fan),
};

/** A byte in the basis of the S-box. Linear over GF(2). */
const intoBasis = (byte) => nibbleTables.iptl[byte & 15] ^ nibbleTables.ipth[byte >> 4];
const outOfBasis = [];
for (let byte = 0; byte < 256; byte++) outOfBasis[intoBasis(byte)] = byte;

export const invertedBasis = {
  optl: Array.from({ length: 16 }, (_, i) => outOfBasis[i]),
  opth: Array.from({ length: 16 }, (_, i) => outOfBasis[i << 4]),
};

/** What bit i of a byte becomes in the basis of the S-box. */
export const basisOfBits = Array.from({ length: 8 }, (_, i) => intoBasis(1 << i));
