import { type Channel, createServer, type Peer } from '@millrace/datachannel/server';
import { type BenchChannel, highWaterBytes, type Stack } from '../stack.ts';

/** Millrace with its default suites and datagram size. */
export async function createMillraceStack(): Promise<Stack> {
  const server = await createServer({ addresses: ['127.0.0.1'], highWaterBytes, lowWaterBytes: highWaterBytes / 4 });
  return {
    async offer() {
      const { peer, sdp, accept } = await server.offer();
      const channel = peer.createChannel('bench');
      return { sdp, accept, channel: opened(channel) };
    },
    async answer(offerSdp) {
      const { peer, sdp } = await server.answer(offerSdp);
      return { sdp, channel: firstChannel(peer) };
    },
    close: () => server.close(),
  };
}

function firstChannel(peer: Peer): Promise<BenchChannel> {
  return new Promise((done, fail) => {
    peer.once('channel', (channel) => done(wrap(channel)));
    peer.once('close', (error) => fail(error ?? new Error('the peer closed')));
  });
}

function opened(channel: Channel): Promise<BenchChannel> {
  return new Promise((done, fail) => {
    channel.once('open', () => done(wrap(channel)));
    channel.once('close', (error) => fail(error ?? new Error('the channel closed')));
  });
}

function wrap(channel: Channel): BenchChannel {
  return {
    send: (message) => channel.send(message),
    onWritable: (listener) => channel.on('drain', listener),
    onMessage: (listener) => channel.on('message', (message) => listener(message as Uint8Array)),
  };
}
