/*
 * A protected DTLS 1.2 record (RFC 6347 section 4.1):
 *
 *    0      1        3       5                 11       13           21
 *   +------+--------+-------+-----------------+--------+------------+---------+-----+
 *   | type | version| epoch | sequence number | length | explicit   | payload | tag |
 *   |  1   |   2    |   2   |        6        |   2    | nonce 8, 0 |         |     |
 *   +------+--------+-------+-----------------+--------+------------+---------+-----+
 *
 * The additional data (RFC 5246 section 6.2.3.3, RFC 6347 section 4.1.2.1) is
 *
 *   epoch | sequence number | type | version | length of the plaintext
 */

export const headerBytes = 13;
export const explicitNonceBytes = 8;
export const aadBytes = 13;
/** Where epoch and sequence number stand, eight bytes together. */
export const epochOffset = 3;

/** Writes the additional data of the record at `data[start]` into `aad`. */
export function writeAad(aad: Uint8Array, data: Uint8Array, start: number, payloadBytes: number): void {
  for (let i = 0; i < 8; i++) aad[i] = data[start + epochOffset + i]!;
  aad[8] = data[start]!;
  aad[9] = data[start + 1]!;
  aad[10] = data[start + 2]!;
  aad[11] = payloadBytes >>> 8;
  aad[12] = payloadBytes;
}
