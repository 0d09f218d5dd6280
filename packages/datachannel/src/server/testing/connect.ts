import type { Channel } from '../../channel-types.ts';
import { createServer } from '../create-server.ts';
import type { Peer, PeerOptions, Server, ServerOptions } from '../types.ts';
import { UdpRelay } from './udp-relay.ts';

const open: Server[] = [];
const relays: UdpRelay[] = [];

/** A server on the loopback address that `closeAll` closes. */
export async function listen(options: ServerOptions = {}): Promise<Server> {
  const server = await createServer({ addresses: ['127.0.0.1'], ...options });
  open.push(server);
  return server;
}

export async function closeAll(): Promise<void> {
  for (const relay of relays) relay.tamper = (datagram) => [datagram];
  await Promise.all(open.splice(0).map((server) => server.close()));
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
}

export interface Connection {
  readonly offerer: Peer;
  readonly answerer: Peer;
}

interface SignalOptions {
  readonly offer?: PeerOptions;
  readonly answer?: PeerOptions;
  /** Between the two; the offering side is its `a`. */
  readonly relay?: UdpRelay;
}

/** A relay between two servers, which `closeAll` closes. */
export async function relayBetween(from: Server, to: Server): Promise<UdpRelay> {
  const relay = await UdpRelay.create({ a: from.port, b: to.port });
  relays.push(relay);
  return relay;
}

/** Signals between two servers; does not wait for the connection. */
export async function signal(from: Server, to: Server, options: SignalOptions = {}): Promise<Connection> {
  const { relay } = options;
  const { peer: offerer, sdp, accept } = await from.offer(options.offer);
  const { peer: answerer, sdp: answer } = await to.answer(movePort(sdp, from.port, relay?.portForB), options.answer);
  await accept(movePort(answer, to.port, relay?.portForA));
  return { offerer, answerer };
}

function movePort(sdp: string, from: number, to: number | undefined): string {
  return to === undefined ? sdp : sdp.replaceAll(` ${from} typ host`, ` ${to} typ host`);
}

export function once(peer: Peer, event: 'connected'): Promise<void>;
export function once(peer: Peer, event: 'channel'): Promise<Channel>;
export function once(peer: Peer, event: 'close'): Promise<Error | undefined>;
export function once(peer: Peer, event: 'connected' | 'channel' | 'close'): Promise<unknown> {
  return new Promise((done) => (peer as { once(event: string, fn: (value: unknown) => void): void }).once(event, done));
}

export async function connect(from: Server, to: Server, options: SignalOptions = {}): Promise<Connection> {
  const connection = await signal(from, to, options);
  await Promise.all([once(connection.offerer, 'connected'), once(connection.answerer, 'connected')]);
  return connection;
}

/** The next `count` messages of a channel. */
export function messages(channel: Channel, count: number): Promise<(string | Uint8Array)[]> {
  return new Promise((done, fail) => {
    const got: (string | Uint8Array)[] = [];
    channel.on('message', (data) => {
      got.push(data);
      if (got.length === count) done(got);
    });
    channel.once('close', (error) => fail(error ?? new Error(`closed after ${got.length} of ${count} messages`)));
  });
}

/** The first messages of the next channel that the other side opens. They may come with the channel itself. */
export function incoming(peer: Peer, count: number): Promise<(string | Uint8Array)[]> {
  return new Promise((done, fail) => peer.once('channel', (channel) => messages(channel, count).then(done, fail)));
}
