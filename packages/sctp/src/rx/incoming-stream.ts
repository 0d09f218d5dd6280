/** A whole message that waits for its turn. */
export interface WaitingMessage {
  readonly ppid: number;
  readonly data: Uint8Array;
}

/** What is known of one incoming stream: the order of its messages. */
export class IncomingStream {
  /** The SSN that is delivered next. */
  nextSsn = 0;
  /** Bytes of its last message of several fragments: a guess at the next. */
  lastMessageBytes = 0;
  /** Whole ordered messages that came before their predecessors, by SSN; made when there is one. */
  waiting: Map<number, WaitingMessage> | undefined;
}
