import { readUint16 } from '@millrace/core';
import { decodeHandshakeHeader, encodeHandshakeHeader, handshakeHeaderBytes } from '../src/handshake/handshake-header.ts';
import { contentType, encodeRecordHeader, recordHeaderBytes } from '../src/record/record-header.ts';

/** The records of a datagram. */
export function recordsOf(datagram: Uint8Array): Uint8Array[] {
  const records: Uint8Array[] = [];
  for (let at = 0; at < datagram.length; ) {
    const next = at + recordHeaderBytes + readUint16(datagram, at + 11);
    records.push(datagram.slice(at, next));
    at = next;
  }
  return records;
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

export function record(type: number, epoch: number, sequenceNumber: number, payload: ArrayLike<number>): Uint8Array {
  const out = new Uint8Array(recordHeaderBytes + payload.length);
  encodeRecordHeader(out, 0, type, epoch, sequenceNumber, payload.length);
  out.set(payload, recordHeaderBytes);
  return out;
}

/** A record with one handshake fragment. */
export function fragment(
  type: number,
  messageSeq: number,
  body: Uint8Array,
  from = 0,
  to: number = body.length,
  sequenceNumber = 0,
): Uint8Array {
  const payload = new Uint8Array(handshakeHeaderBytes + to - from);
  const header = { type, length: body.length, messageSeq, fragmentOffset: from, fragmentLength: to - from };
  encodeHandshakeHeader(payload, 0, header);
  payload.set(body.subarray(from, to), handshakeHeaderBytes);
  return record(contentType.handshake, 0, sequenceNumber, payload);
}

/** Type and body of a record that holds one whole handshake message in the clear. */
export function messageOf(bytes: Uint8Array): { type: number; messageSeq: number; body: Uint8Array } {
  const header = decodeHandshakeHeader(bytes, recordHeaderBytes, bytes.length)!;
  const start = recordHeaderBytes + handshakeHeaderBytes + header.fragmentOffset;
  return { type: header.type, messageSeq: header.messageSeq, body: bytes.slice(start, start + header.fragmentLength) };
}

/** Whether a record is a handshake message in the clear. */
export function isPlainHandshake(bytes: Uint8Array): boolean {
  return bytes[0] === contentType.handshake && readUint16(bytes, 3) === 0;
}

/** Cuts the plain handshake message of a record into fragments of `size` bytes, `shift` bytes off. */
export function refragment(bytes: Uint8Array, size: number, shift = 0): Uint8Array[] {
  const { type, messageSeq, body } = messageOf(bytes);
  const cuts = [0];
  for (let at = shift > 0 ? shift : size; at < body.length; at += size) cuts.push(at);
  cuts.push(body.length);
  return cuts.slice(1).map((to, i) => fragment(type, messageSeq, body, cuts[i], to));
}
