export type { Channel, ChannelOptions } from '../channel-types.ts';
export { ChannelError, type ChannelErrorCode } from '../errors.ts';
export { createServer } from './create-server.ts';
export type { PeerState, PeerStats } from '../peer/peer-stats.ts';
export type {
  Answer,
  ConnectionOptions,
  Offer,
  Peer,
  PeerOptions,
  Server,
  ServerOptions,
  ServerStats,
} from './types.ts';
