export type { Channel, ChannelOptions } from '../channel-types.ts';
export { ChannelError, type ChannelErrorCode } from '../errors.ts';
export type {
  Answer,
  ConnectionOptions,
  Offer,
  Peer,
  PeerOptions,
  PeerState,
  PeerStats,
  Server,
  ServerOptions,
  ServerStats,
} from './types.ts';
