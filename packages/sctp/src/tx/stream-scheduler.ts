import { Ring } from '@millrace/core';
import type { OutgoingStream } from './outgoing-stream.ts';

/**
 * Round robin over the streams that have something to send, a message at a time: without
 * interleaving (RFC 8260) the fragments of a message have TSNs without a hole, so a message that
 * was begun is finished first.
 */
export class StreamScheduler {
  readonly #turn: Ring<OutgoingStream> = new Ring<OutgoingStream>();

  /** Gives the stream a turn at the end of the row, unless it has one. */
  add(stream: OutgoingStream): void {
    if (stream.scheduled || !stream.sendable) return;
    stream.scheduled = true;
    this.#turn.push(stream);
  }

  /** The stream whose turn it is. */
  current(): OutgoingStream | undefined {
    for (;;) {
      const stream = this.#turn.front();
      if (stream === undefined || stream.sendable) return stream;
      stream.scheduled = false;
      this.#turn.shift();
    }
  }

  clear(): void {
    this.#turn.clear();
  }

  /** The current stream has finished a message. */
  rotate(): void {
    const stream = this.#turn.shift();
    if (stream === undefined) return;
    stream.scheduled = false;
    this.add(stream);
  }
}
