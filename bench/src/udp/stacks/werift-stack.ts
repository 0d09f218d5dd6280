import { type RTCDataChannel, RTCPeerConnection } from 'werift';
import type { BenchChannel, Stack } from '../stack.ts';

/**
 * werift wakes every queued send at each SACK, so a long queue slows it down; this is the length
 * at which it did best.
 */
const queueBytes = 64 * 1024;

export async function createWeriftStack(): Promise<Stack> {
  const connection = new RTCPeerConnection({ iceServers: [], iceUseIpv6: false, iceAdditionalHostAddresses: ['127.0.0.1'] });
  return {
    async offer() {
      const channel = connection.createDataChannel('bench', { ordered: true });
      await connection.setLocalDescription(await connection.createOffer());
      return {
        sdp: connection.localDescription!.sdp,
        accept: (answerSdp) => connection.setRemoteDescription({ type: 'answer', sdp: answerSdp }),
        channel: opened(channel),
      };
    },
    async answer(offerSdp) {
      const channel = new Promise<RTCDataChannel>((done) => connection.onDataChannel.once(done));
      await connection.setRemoteDescription({ type: 'offer', sdp: offerSdp });
      await connection.setLocalDescription(await connection.createAnswer());
      return { sdp: connection.localDescription!.sdp, channel: channel.then(wrap) };
    },
    close: () => connection.close(),
  };
}

function opened(channel: RTCDataChannel): Promise<BenchChannel> {
  return new Promise((done) => {
    channel.stateChanged.subscribe((state) => {
      if (state === 'open') done(wrap(channel));
    });
  });
}

function wrap(channel: RTCDataChannel): BenchChannel {
  channel.bufferedAmountLowThreshold = queueBytes / 4;
  return {
    send(message) {
      channel.send(message as Buffer);
      return channel.bufferedAmount < queueBytes;
    },
    onWritable: (listener) => void channel.bufferedAmountLow.subscribe(listener),
    onMessage: (listener) => void channel.onMessage.subscribe((message) => listener(message as Buffer)),
  };
}
