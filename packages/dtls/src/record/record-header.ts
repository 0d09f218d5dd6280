/*
 * The record header of DTLS 1.2 (RFC 6347 section 4.1):
 *
 *     0               1               2               3
 *    +---------------+---------------+---------------+---------------+
 *    |      type     |            version            |     epoch     :
 *    +---------------+---------------+---------------+---------------+
 *    :     epoch     |                sequence number                :
 *    +---------------+---------------+---------------+---------------+
 *    :                sequence number                |     length    :
 *    +---------------+---------------+---------------+---------------+
 *    :     length    |  fragment …
 *    +---------------+
 */
import { writeUint16, writeUint48 } from '@millrace/core';

export const contentType: {
  readonly changeCipherSpec: 20;
  readonly alert: 21;
  readonly handshake: 22;
  readonly applicationData: 23;
} = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 };

/** Versions on the wire: the ones' complement of the number, so that 1.0 is larger than 1.2. */
export const protocolVersion: { readonly dtls10: 0xfeff; readonly dtls12: 0xfefd; readonly dtls13: 0xfefc } = {
  dtls10: 0xfeff,
  dtls12: 0xfefd,
  dtls13: 0xfefc,
};

export const recordHeaderBytes = 13;

/** RFC 5246 section 6.2.3: a protected fragment is at most 2^14 + 2048 bytes. */
export const maxFragmentBytes: number = 2 ** 14 + 2048;

/** RFC 5246 section 6.2.1: plaintext is at most 2^14 bytes. */
export const maxPlaintextBytes: number = 2 ** 14;

/** Offsets into the header. */
export const recordOffset: {
  readonly version: 1;
  readonly epoch: 3;
  readonly sequenceNumber: 5;
  readonly length: 11;
} = { version: 1, epoch: 3, sequenceNumber: 5, length: 11 };

/** The largest sequence number of an epoch. */
export const maxSequenceNumber: number = 2 ** 48 - 1;

/** Writes a header; `length` counts the bytes after it. */
export function encodeRecordHeader(
  out: Uint8Array,
  at: number,
  type: number,
  epoch: number,
  sequenceNumber: number,
  length: number,
): void {
  out[at] = type;
  writeUint16(out, at + recordOffset.version, protocolVersion.dtls12);
  writeUint16(out, at + recordOffset.epoch, epoch);
  writeUint48(out, at + recordOffset.sequenceNumber, sequenceNumber);
  writeUint16(out, at + recordOffset.length, length);
}
