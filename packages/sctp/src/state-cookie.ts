import { constantTimeEqual, readUint16, readUint32, writeUint16, writeUint32 } from '@millrace/core';
import { sipHash } from './siphash.ts';
import type { TcbParameters } from './tcb.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------------------------------------------------------+
 * |                           Local Tag                           |
 * |                       Local Initial TSN                       |
 * |                            Peer Tag                           |
 * |                        Peer Initial TSN                       |
 * |                          Peer a_rwnd                          |
 * +-------------------------------+-------------------------------+
 * |       Outgoing Streams        |       Incoming Streams        |
 * +-------------------------------+-------------------------------+
 * |                       Local Tie-Tag or 0                      |
 * |                       Peer Tie-Tag or 0                       |
 * +---------------------------------------------------------------+
 * |            Time of creation in ms (64-bit float)              |
 * |                                                               |
 * +---------------------------------------------------------------+
 * |      Extensions: 1 FORWARD-TSN, 2 RE-CONFIG, 4 zero checksum  |
 * +---------------------------------------------------------------+
 * |                      SipHash of all above                     |
 * |                                                               |
 * +---------------------------------------------------------------+
 *
 * Private to the side that makes it (RFC 9260 section 5.1.3): no state is kept for an INIT.
 */

const macAt = 44;
const cookieBytes = macAt + 8;

/** Valid.Cookie.Life (RFC 9260 section 16). */
const lifeMs = 60_000;

export interface StateCookie {
  readonly parameters: TcbParameters;
  /** The tags of the association that existed when the cookie was made; 0 for none (RFC 9260 section 5.2.2). */
  readonly localTieTag: number;
  readonly peerTieTag: number;
  readonly createdAt: number;
}

export function encodeStateCookie(secret: Uint8Array, cookie: StateCookie): Uint8Array {
  const out = new Uint8Array(cookieBytes);
  const p = cookie.parameters;
  writeUint32(out, 0, p.localTag);
  writeUint32(out, 4, p.localInitialTsn);
  writeUint32(out, 8, p.peerTag);
  writeUint32(out, 12, p.peerInitialTsn);
  writeUint32(out, 16, p.peerARwnd);
  writeUint16(out, 20, p.outgoingStreams);
  writeUint16(out, 22, p.incomingStreams);
  writeUint32(out, 24, cookie.localTieTag);
  writeUint32(out, 28, cookie.peerTieTag);
  new DataView(out.buffer).setFloat64(32, cookie.createdAt);
  writeUint32(out, 40, (p.forwardTsn ? 1 : 0) | (p.reConfig ? 2 : 0) | (p.zeroChecksum ? 4 : 0));
  out.set(sipHash(secret, out, 0, macAt), macAt);
  return out;
}

/** Checks and decodes a cookie that came back; `undefined` where it is not one of ours. */
export function decodeStateCookie(secret: Uint8Array, bytes: Uint8Array): StateCookie | undefined {
  if (bytes.length !== cookieBytes) return undefined;
  if (!constantTimeEqual(bytes.subarray(macAt), sipHash(secret, bytes, 0, macAt))) return undefined;
  const extensions = readUint32(bytes, 40);
  return {
    parameters: {
      localTag: readUint32(bytes, 0),
      localInitialTsn: readUint32(bytes, 4),
      peerTag: readUint32(bytes, 8),
      peerInitialTsn: readUint32(bytes, 12),
      peerARwnd: readUint32(bytes, 16),
      outgoingStreams: readUint16(bytes, 20),
      incomingStreams: readUint16(bytes, 22),
      forwardTsn: (extensions & 1) !== 0,
      reConfig: (extensions & 2) !== 0,
      zeroChecksum: (extensions & 4) !== 0,
    },
    localTieTag: readUint32(bytes, 24),
    peerTieTag: readUint32(bytes, 28),
    createdAt: new DataView(bytes.buffer, bytes.byteOffset).getFloat64(32),
  };
}

/** How long the cookie has been out of date, in ms; 0 while it is good. */
export function cookieStalenessMs(cookie: StateCookie, now: number): number {
  return Math.max(0, now - cookie.createdAt - lifeMs);
}
