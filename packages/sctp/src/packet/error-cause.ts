import { readUint16, writeUint16 } from '@millrace/core';
import { chunkHeaderBytes, chunkLength, encodeChunk, encodeParameter, joinParameters, nextChunk } from './chunk.ts';
import { chunkType } from './chunk-type.ts';

/*
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-------------------------------+-------------------------------+
 * |          Cause Code           |         Cause Length          |
 * +-------------------------------+-------------------------------+
 * \                  Cause-Specific Information                   \
 * +---------------------------------------------------------------+
 *
 * RFC 9260 section 3.3.10; ABORT (section 3.3.7) and ERROR carry a list of them. The T bit of an
 * ABORT says that its verification tag is the receiver's own (section 8.5.1).
 */

export const errorCause = {
  invalidStreamIdentifier: 1,
  missingMandatoryParameter: 2,
  staleCookie: 3,
  unrecognizedChunkType: 6,
  invalidMandatoryParameter: 7,
  unrecognizedParameters: 8,
  noUserData: 9,
  userInitiatedAbort: 12,
  protocolViolation: 13,
} as const;

/** The T bit of ABORT and SHUTDOWN COMPLETE. */
export const tagReflected = 1;

/** A cause with a text behind it (user-initiated ABORT, protocol violation). ASCII is all that is sent. */
export function encodeTextCause(code: number, text: string): Uint8Array {
  const bytes = new Uint8Array(Math.min(text.length, 256));
  for (let i = 0; i < bytes.length; i++) {
    const unit = text.charCodeAt(i);
    bytes[i] = unit < 0x80 ? unit : 0x3f;
  }
  return encodeParameter(code, bytes);
}

/** RFC 9260 section 3.3.10.1. */
export function encodeInvalidStreamCause(streamId: number): Uint8Array {
  const value = new Uint8Array(4);
  writeUint16(value, 0, streamId);
  return encodeParameter(errorCause.invalidStreamIdentifier, value);
}

export function encodeError(causes: readonly Uint8Array[]): Uint8Array {
  return encodeChunk(chunkType.error, 0, joinParameters(causes));
}

export function encodeAbort(causes: readonly Uint8Array[], flags = 0): Uint8Array {
  return encodeChunk(chunkType.abort, flags, joinParameters(causes));
}

export interface DecodedCause {
  readonly code: number;
  /** The information as text, printable ASCII kept and the rest replaced: it came from the network. */
  readonly text: string;
}

/** The first cause of an ABORT or ERROR; a broken list has none. */
export function decodeFirstCause(data: Uint8Array, at: number, length: number): DecodedCause | undefined {
  const from = at + chunkHeaderBytes;
  const size = chunkLength(data, from, at + length);
  if (size < 0) return undefined;
  let text = '';
  for (let i = from + 4; i < from + Math.min(size, 132); i++) {
    const byte = data[i]!;
    text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?';
  }
  return { code: readUint16(data, from), text };
}

/** Whether the list holds the cause `code`. */
export function hasCause(data: Uint8Array, at: number, length: number, code: number): boolean {
  const end = at + length;
  for (let p = at + chunkHeaderBytes; p < end; ) {
    const size = chunkLength(data, p, end);
    if (size < 0) return false;
    if (readUint16(data, p) === code) return true;
    p = nextChunk(p, size, end);
  }
  return false;
}
