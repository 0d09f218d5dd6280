import type { ChannelError } from '../errors.ts';
import type { Channel } from '../channel-types.ts';

/** What happened to a channel; within one channel always in the order open, messages, closed. */
export type ChannelEvent =
  /** The peer has opened a channel. */
  | { readonly type: 'channel'; readonly channel: Channel }
  | { readonly type: 'channel-open'; readonly channel: Channel }
  /** A byte array belongs to the receiver of the event. */
  | { readonly type: 'channel-message'; readonly channel: Channel; readonly data: string | Uint8Array }
  | { readonly type: 'channel-drain'; readonly channel: Channel }
  /** The end. With an error where something went wrong or was left undelivered. */
  | { readonly type: 'channel-closed'; readonly channel: Channel; readonly error?: ChannelError };
