import { Listeners } from '@millrace/core';
import type { SendOptions } from 'sctp-js';
import type { Channel } from '../channel-types.ts';
import type { ChannelError } from '../errors.ts';
import type { ChannelParameters } from './channel-parameters.ts';
import { OverheadLedger } from './overhead-ledger.ts';
import { Pieces } from './pieces.ts';
import { WritableWaiters } from './writable-waiters.ts';

export type ChannelEvents = { open: []; message: [string | Uint8Array]; drain: []; close: [ChannelError?] };

/** A message given to `send` before the channel had a stream. */
export interface PendingMessage {
  readonly data: Uint8Array;
  readonly isText: boolean;
}

/**
 * What the channel manager knows of a channel. The application holds the `Channel` in front of it
 * and can't reach this.
 */
export interface ChannelRecord {
  readonly parameters: ChannelParameters;
  readonly listeners: Listeners<ChannelEvents>;
  readonly waiters: WritableWaiters;
  readonly ledger: OverheadLedger;
  /** How messages go out once the peer has answered, and before that. */
  readonly sendOptions: SendOptions;
  readonly earlySendOptions: SendOptions;
  /** What the application holds; set right after construction, as the two refer to each other. */
  face: Channel;
  id: number;
  state: Channel['state'];
  /** Something came from the peer on this channel, so it knows the channel. */
  confirmed: boolean;
  /** Whether the stream has carried, or may carry, anything of this channel. */
  attached: boolean;
  /** Messages that wait for a stream, and their bytes. */
  pending: PendingMessage[];
  pendingBytes: number;
  readonly pieces: Pieces;
  /** Bytes of label and protocol that the peer made us hold. */
  remoteTextBytes: number;
  /** `send` has answered false and `drain` has not come yet. */
  drainWanted: boolean;
  resetRequested: boolean;
  incomingReset: boolean;
  outgoingReset: boolean;
  /** Why the channel is closing, where it is not by request. */
  error: ChannelError | undefined;
  /** `bufferedAmount` at the moment the channel closed. */
  finalBufferedBytes: number;
}

/** A fresh record; its `face` is to be set by the caller. */
export function createChannelRecord(parameters: ChannelParameters, id: number): ChannelRecord {
  const { ordered, maxRetransmits, maxPacketLifeTime } = parameters;
  const reliability: SendOptions = {
    ...(maxRetransmits === undefined ? {} : { maxRetransmits }),
    ...(maxPacketLifeTime === undefined ? {} : { lifetimeMs: maxPacketLifeTime }),
  };
  return {
    parameters,
    listeners: new Listeners<ChannelEvents>(['open', 'message', 'drain', 'close']),
    waiters: new WritableWaiters(),
    ledger: new OverheadLedger(),
    sendOptions: { ...reliability, unordered: !ordered },
    // RFC 8832 section 6: user messages go ordered, whatever the channel is, until the peer has answered.
    earlySendOptions: { ...reliability, unordered: false },
    face: undefined as unknown as Channel,
    id,
    state: 'connecting',
    confirmed: parameters.negotiated,
    attached: false,
    pending: [],
    pendingBytes: 0,
    pieces: new Pieces(),
    remoteTextBytes: 0,
    drainWanted: false,
    resetRequested: false,
    incomingReset: false,
    outgoingReset: false,
    error: undefined,
    finalBufferedBytes: 0,
  };
}
