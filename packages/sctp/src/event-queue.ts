import { Ring } from '@millrace/core';
import type { AssociationEvent } from './types.ts';

/** What each message that waits costs beside its bytes, so that many small ones are bounded too. */
const messageOverheadBytes = 64;

/** Events on their way to the application; received messages in it still fill the receive window. */
export class EventQueue {
  readonly #events: Ring<AssociationEvent> = new Ring<AssociationEvent>();
  /** Bytes of messages that the application has not taken. */
  messageBytes = 0;
  /** Messages that arrive while this holds wait until the association is established. */
  held = false;

  push(event: AssociationEvent): void {
    if (event.type === 'message') this.messageBytes += event.data.length + messageOverheadBytes;
    this.#events.push(event);
  }

  /** Puts the event before all that wait, and lets them go. */
  release(event: AssociationEvent): void {
    this.#events.unshift(event);
    this.held = false;
  }

  poll(): AssociationEvent | undefined {
    if (this.held) return undefined;
    const event = this.#events.shift();
    if (event !== undefined && event.type === 'message') this.messageBytes -= event.data.length + messageOverheadBytes;
    return event;
  }
}
