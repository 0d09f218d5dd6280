import nodeDataChannel, { type DataChannel } from 'node-datachannel';
import { type BenchChannel, highWaterBytes, type Stack } from '../stack.ts';

/** libdatachannel, native, with threads of its own. */
export async function createNodeDataChannelStack(): Promise<Stack> {
  const connection = new nodeDataChannel.PeerConnection('bench', { iceServers: [], bindAddress: '127.0.0.1' });
  const described = (): Promise<string> =>
    new Promise((done) => {
      connection.onGatheringStateChange((state) => {
        if (state === 'complete') done(connection.localDescription()!.sdp);
      });
    });
  return {
    async offer() {
      const description = described();
      const channel = opened(connection.createDataChannel('bench'));
      return {
        sdp: await description,
        accept: async (answerSdp) => connection.setRemoteDescription(answerSdp, 'answer' as never),
        channel,
      };
    },
    async answer(offerSdp) {
      const channel = new Promise<BenchChannel>((done) => connection.onDataChannel((incoming) => done(wrap(incoming))));
      const description = described();
      connection.setRemoteDescription(offerSdp, 'offer' as never);
      return { sdp: await description, channel };
    },
    async close() {
      connection.close();
      nodeDataChannel.cleanup();
    },
  };
}

function opened(channel: DataChannel): Promise<BenchChannel> {
  return new Promise((done) => channel.onOpen(() => done(wrap(channel))));
}

function wrap(channel: DataChannel): BenchChannel {
  channel.setBufferedAmountLowThreshold(highWaterBytes / 4);
  return {
    send(message) {
      channel.sendMessageBinary(message);
      return channel.bufferedAmount() < highWaterBytes;
    },
    onWritable: (listener) => channel.onBufferedAmountLow(listener),
    onMessage: (listener) => channel.onMessage((message) => listener(message as Buffer)),
  };
}
