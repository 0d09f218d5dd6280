import { createServer, type Channel, type Peer, type Server } from '@millrace/datachannel/server';
import type { Signaling } from '../signaling/join-signaling.ts';
import type { Assignment } from './protocol.ts';

export interface Connection {
  readonly server: Server;
  readonly peer: Peer;
  readonly channel: Channel;
}

/** Connects with the other endpoint: the sender offers and opens the channel, the receiver answers. */
export async function connect(assignment: Assignment, signaling: Signaling): Promise<Connection> {
  const server = await createServer({
    addresses: ['127.0.0.1'],
    cipherSuites: [assignment.suite.name],
    engine: assignment.engine,
    maxDatagramBytes: assignment.datagramBytes,
  });
  if (assignment.role === 'sender') {
    const { peer, sdp, accept } = await server.offer();
    const channel = peer.createChannel('bulk');
    const open = opened(peer, channel);
    signaling.send(sdp);
    await accept(await signaling.receive());
    await open;
    return { server, peer, channel };
  }
  const { peer, sdp } = await server.answer(await signaling.receive());
  const arrived = new Promise<Channel>((resolve, reject) => {
    peer.once('channel', resolve);
    peer.once('close', (error) => reject(error ?? new Error('the sender closed the connection')));
  });
  signaling.send(sdp);
  return { server, peer, channel: await arrived };
}

function opened(peer: Peer, channel: Channel): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.once('open', resolve);
    peer.once('close', (error) => reject(error ?? new Error('the receiver closed the connection')));
  });
}
