import type { OutgoingStream } from './outgoing-stream.ts';

/** A message on its way. Fragments are ranges of `data`, cut when a packet has room for them. */
export interface OutgoingMessage {
  readonly stream: OutgoingStream;
  readonly ppid: number;
  readonly data: Uint8Array;
  readonly unordered: boolean;
  /** Infinity where there is no limit. */
  readonly maxRetransmits: number;
  /** On the caller's clock; Infinity where there is no limit. */
  readonly expiresAt: number;
  /** Assigned with the first fragment, so that a message given up before has no number; -1 until then. */
  ssn: number;
  /** Bytes that have been cut into fragments. */
  cutBytes: number;
  /** Unwrapped TSNs of its fragments so far; -1 until there are any. */
  firstTsn: number;
  lastTsn: number;
  abandoned: boolean;
}
