/*
 * Runs in the browser under test and does what the test says over a WebSocket: one request is
 * `{id, method, args}`, its reply `{id, result}` or `{id, error}`. What happens by itself is
 * reported as `{event, ...}`. Connections and channels are known by numbers.
 */

const socket = new WebSocket(`ws://${location.host}/agent${location.search}`);
const connections = new Map();
const channels = new Map();
let nextId = 1;

function report(event, detail) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ event, ...detail }));
}

function track(connection, channel) {
  const id = nextId++;
  const entry = { channel, bulk: undefined };
  channels.set(id, entry);
  channel.binaryType = 'arraybuffer';
  channel.addEventListener('open', () => report('open', { channel: id, streamId: channel.id }));
  channel.addEventListener('close', () => report('close', { channel: id }));
  channel.addEventListener('error', ({ error }) => report('error', { channel: id, message: String(error?.message ?? error) }));
  channel.addEventListener('message', ({ data }) => {
    const binary = typeof data !== 'string';
    if (entry.bulk !== undefined) entry.bulk.take(binary ? new Uint8Array(data) : new TextEncoder().encode(data));
    else report('message', { channel: id, binary, data: binary ? toHex(new Uint8Array(data)) : data });
  });
  const { label, protocol, ordered, maxRetransmits, maxPacketLifeTime } = channel;
  return { connection, channel: id, description: { label, protocol, ordered, maxRetransmits, maxPacketLifeTime } };
}

function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

async function hash(bytes) {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

async function gathered(connection) {
  if (connection.iceGatheringState === 'complete') return;
  await new Promise((resolve) => {
    connection.addEventListener('icegatheringstatechange', () => {
      if (connection.iceGatheringState === 'complete') resolve();
    });
  });
}

const methods = {
  /** Runs the default export of a script. */
  async run(path, argument) {
    return (await import(path)).default(argument);
  },

  createConnection() {
    const id = nextId++;
    const connection = new RTCPeerConnection();
    connections.set(id, connection);
    connection.addEventListener('datachannel', ({ channel }) => report('datachannel', track(id, channel)));
    connection.addEventListener('icecandidate', ({ candidate }) =>
      report('candidate', { connection: id, candidate: candidate === null ? '' : candidate.candidate }),
    );
    connection.addEventListener('connectionstatechange', () =>
      report('state', { connection: id, state: connection.connectionState }),
    );
    return id;
  },

  /** The offer, with all candidates, or without any where they are trickled. */
  async createOffer(id, trickle) {
    const connection = connections.get(id);
    const offer = await connection.createOffer();
    await connection.setLocalDescription(offer);
    if (trickle) return offer.sdp;
    await gathered(connection);
    return connection.localDescription.sdp;
  },

  async createAnswer(id, offerSdp, trickle) {
    const connection = connections.get(id);
    await connection.setRemoteDescription({ type: 'offer', sdp: offerSdp });
    const answer = await connection.createAnswer();
    await connection.setLocalDescription(answer);
    if (trickle) return answer.sdp;
    await gathered(connection);
    return connection.localDescription.sdp;
  },

  async acceptAnswer(id, sdp) {
    await connections.get(id).setRemoteDescription({ type: 'answer', sdp });
  },

  async addCandidate(id, candidate) {
    await connections.get(id).addIceCandidate({ candidate, sdpMid: '0', sdpMLineIndex: 0 });
  },

  createChannel(id, label, options) {
    return track(id, connections.get(id).createDataChannel(label, options));
  },

  sendText(id, text) {
    channels.get(id).channel.send(text);
  },

  sendBinary(id, hex) {
    channels.get(id).channel.send(fromHex(hex));
  },

  /** Sends random bytes in messages of one size and keeps the buffer filled; their SHA-256. */
  async sendBulk(id, totalBytes, messageBytes) {
    const { channel } = channels.get(id);
    const bytes = new Uint8Array(totalBytes);
    for (let at = 0; at < totalBytes; at += 65536) crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65536, totalBytes)));
    channel.bufferedAmountLowThreshold = 1 << 20;
    for (let at = 0; at < totalBytes; at += messageBytes) {
      if (channel.bufferedAmount > 4 << 20)
        await new Promise((resolve, reject) => {
          channel.addEventListener('bufferedamountlow', resolve, { once: true });
          channel.addEventListener('close', () => reject(new Error('closed while sending')), { once: true });
        });
      channel.send(bytes.subarray(at, Math.min(at + messageBytes, totalBytes)));
    }
    return hash(bytes);
  },

  /** From now on messages are gathered, until `totalBytes` have come: `bulk` reports their SHA-256. */
  receiveBulk(id, totalBytes) {
    const bytes = new Uint8Array(totalBytes);
    const entry = channels.get(id);
    let length = 0;
    let messages = 0;
    entry.bulk = {
      take(data) {
        messages += 1;
        if (length + data.length > totalBytes) throw new RangeError('more bytes than were announced');
        bytes.set(data, length);
        length += data.length;
        if (length === totalBytes) {
          entry.bulk = undefined;
          hash(bytes).then((sha256) => report('bulk', { channel: id, sha256, messages }));
        }
      },
    };
  },

  closeChannel(id) {
    channels.get(id).channel.close();
  },

  closeConnection(id) {
    connections.get(id).close();
  },

  /** The statistics of one kind. */
  async stats(id, type) {
    const all = await connections.get(id).getStats();
    return [...all.values()].filter((entry) => entry.type === type);
  },
};

addEventListener('error', (event) => report('failure', { message: String(event.error?.stack ?? event.message) }));
addEventListener('unhandledrejection', (event) => report('failure', { message: String(event.reason?.stack ?? event.reason) }));

socket.addEventListener('message', async ({ data }) => {
  const { id, method, args } = JSON.parse(data);
  try {
    const result = await methods[method](...args);
    socket.send(JSON.stringify({ id, result }));
  } catch (error) {
    socket.send(JSON.stringify({ id, error: String(error?.stack ?? error) }));
  }
});
