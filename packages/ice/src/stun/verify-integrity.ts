import { constantTimeEqual, readUint16, writeUint16 } from '@millrace/core';
import type { CryptoProvider } from '@millrace/crypto';
import type { StunMessage } from './decode-stun.ts';
import { stun } from './stun-constants.ts';

/**
 * Whether MESSAGE-INTEGRITY is there and made with `key` (RFC 8489 section 14.5). `data` is what the
 * message was read from; it is as before when the call returns.
 */
export function verifyIntegrity(data: Uint8Array, message: StunMessage, key: Uint8Array, crypto: CryptoProvider): boolean {
  const { start, integrityAt } = message;
  if (integrityAt < 0) return false;
  const valueAt = integrityAt + 4;
  const end = valueAt + stun.integrityBytes;
  // The HMAC covers a header whose length ends with this attribute, whatever follows it.
  const length = readUint16(data, start + 2);
  writeUint16(data, start + 2, end - start - stun.headerBytes);
  const expected = crypto.hmac('SHA-1', key, data.subarray(start, integrityAt));
  writeUint16(data, start + 2, length);
  return constantTimeEqual(expected, data.subarray(valueAt, end));
}
