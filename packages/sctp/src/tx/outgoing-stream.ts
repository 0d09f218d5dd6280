import { Ring } from '@millrace/core';
import type { OutgoingMessage } from './outgoing-message.ts';

/** What is known of one outgoing stream; it exists only while the stream is in use. */
export class OutgoingStream {
  readonly id: number;
  readonly queue: Ring<OutgoingMessage> = new Ring<OutgoingMessage>(4);
  /** Bytes neither acknowledged nor abandoned. */
  bufferedBytes = 0;
  lowThreshold = 0;
  nextSsn = 0;
  /** A reset has been asked for: the `beforeReset` messages still go, later ones wait for its end. */
  resetting = false;
  /** Messages queued before the reset was asked for and not yet cut to the end. */
  beforeReset = 0;
  /** Whether the scheduler has it. */
  scheduled = false;

  constructor(id: number) {
    this.id = id;
  }

  /** Whether its first message may be sent now. */
  get sendable(): boolean {
    return this.queue.length > 0 && (!this.resetting || this.beforeReset > 0);
  }
}
