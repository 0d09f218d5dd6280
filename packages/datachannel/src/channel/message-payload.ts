import type { PayloadKind } from '../dcep/ppids.ts';

/** What the application gets for a whole message; a byte array is handed on as it is. */
export function readPayload(kind: PayloadKind, data: Uint8Array): string | Uint8Array {
  if (kind.isText) return kind.isEmpty ? '' : decoder.decode(data);
  return kind.isEmpty ? new Uint8Array(0) : data;
}

/** Joins the pieces of a message in the deprecated form (RFC 8831 section 6.6). */
export function joinPieces(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** A byte order mark is part of the message. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
