import type { PayloadKind } from '../dcep/ppids.ts';

/** What the application gets for a whole message; a byte array is handed on as it is. */
export function readPayload(kind: PayloadKind, data: Uint8Array): string | Uint8Array {
  if (kind.isText) return kind.isEmpty ? '' : decoder.decode(data);
  return kind.isEmpty ? new Uint8Array(0) : data;
}

/** A byte order mark is part of the message. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
