/** SCTP payload protocol identifiers of WebRTC (RFC 8831 section 8). */
export const ppids = {
  /** DCEP messages (RFC 8832). */
  dcep: 50,
  text: 51,
  /** Deprecated: a piece of a binary message that ends with `binary`. Received, never sent. */
  binaryPartial: 52,
  binary: 53,
  /** Deprecated: a piece of a text that ends with `text`. Received, never sent. */
  textPartial: 54,
  /** SCTP carries no empty message: one byte goes with it, which says nothing (RFC 8831 section 6.6). */
  textEmpty: 56,
  binaryEmpty: 57,
} as const;

/** How the payload of a user message is to be read. */
export interface PayloadKind {
  readonly isText: boolean;
  /** The payload stands for an empty message, whatever bytes it has. */
  readonly isEmpty: boolean;
  /** More of the same message follows on the stream. */
  readonly isPartial: boolean;
}

const payloadKinds: ReadonlyMap<number, PayloadKind> = new Map([
  [ppids.text, { isText: true, isEmpty: false, isPartial: false }],
  [ppids.textPartial, { isText: true, isEmpty: false, isPartial: true }],
  [ppids.textEmpty, { isText: true, isEmpty: true, isPartial: false }],
  [ppids.binary, { isText: false, isEmpty: false, isPartial: false }],
  [ppids.binaryPartial, { isText: false, isEmpty: false, isPartial: true }],
  [ppids.binaryEmpty, { isText: false, isEmpty: true, isPartial: false }],
]);

/** The kind of a user message; `undefined` for DCEP and for identifiers that are not WebRTC's. */
export function payloadKind(ppid: number): PayloadKind | undefined {
  return payloadKinds.get(ppid);
}

/** The identifier to send a user message of `length` bytes under. An empty one goes with one zero byte. */
export function payloadPpid(isText: boolean, length: number): number {
  if (isText) return length === 0 ? ppids.textEmpty : ppids.text;
  return length === 0 ? ppids.binaryEmpty : ppids.binary;
}
