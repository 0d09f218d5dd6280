import type { Listener } from '@millrace/core';
import type { ChannelError } from './errors.ts';

/** How a channel is opened (RFC 8832). At most one of `maxRetransmits` and `maxPacketLifeTime`. */
export interface ChannelOptions {
  /** Default true. */
  readonly ordered?: boolean;
  /** 0 to 65535: so many retransmissions, then a message is given up. */
  readonly maxRetransmits?: number;
  /** 0 to 65535 ms: so long a message is tried. */
  readonly maxPacketLifeTime?: number;
  readonly protocol?: string;
  /** Both ends create the channel with the same `id`; nothing is announced. */
  readonly negotiated?: boolean;
  /** 0 to 65534; required with `negotiated`. */
  readonly id?: number;
}

/** A data channel of a peer. */
export interface Channel extends Listener<{ open: []; message: [string | Uint8Array]; drain: []; close: [ChannelError?] }> {
  /** The stream id; -1 while it is not decided yet. */
  readonly id: number;
  readonly label: string;
  readonly protocol: string;
  readonly ordered: boolean;
  readonly state: 'connecting' | 'open' | 'closing' | 'closed';
  /** Bytes of payload that were given to `send` and are neither acknowledged nor abandoned. */
  readonly bufferedAmount: number;
  /**
   * Queues a message; a byte array belongs to the channel from here on and must not be changed.
   * True: carry on. False: taken, now wait for `drain`. Throws ChannelError where the channel is
   * closing or closed, RangeError where the message is larger than the peer takes.
   */
  send(data: string | Uint8Array): boolean;
  /** Resolves when `send` would answer true. Rejects where the channel closes first. */
  writable(): Promise<void>;
  /** Delivers what is queued, then closes both directions. */
  close(): void;
}
