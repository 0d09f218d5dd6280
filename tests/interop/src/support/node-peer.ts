import { createHash, randomBytes } from 'node:crypto';
import type { Channel, Peer } from '@millrace/datachannel/server';
import { EventLog } from './event-log.ts';

type ChannelEvent =
  | { readonly type: 'open' }
  | { readonly type: 'message'; readonly data: string | Uint8Array }
  | { readonly type: 'close'; readonly error: Error | undefined };

/** A channel of ours whose events a test waits for. */
export class NodeChannel {
  readonly channel: Channel;
  readonly #events: EventLog<ChannelEvent> = new EventLog();

  /** Made in the turn in which the channel came, so that nothing is missed. */
  constructor(channel: Channel) {
    this.channel = channel;
    channel.on('open', () => this.#events.push({ type: 'open' }));
    channel.on('message', (data) => this.#events.push({ type: 'message', data }));
    channel.on('close', (error) => this.#events.push({ type: 'close', error }));
  }

  async opened(): Promise<void> {
    await this.#events.take(`'open' of channel '${this.channel.label}' in Node`, ({ type }) => type === 'open');
  }

  /** The error that it closed with, if there was one. */
  async closed(limitMs?: number): Promise<Error | undefined> {
    const event = await this.#events.take(
      `'close' of channel '${this.channel.label}' in Node`,
      ({ type }) => type === 'close',
      limitMs,
    );
    return event.type === 'close' ? event.error : undefined;
  }

  async nextMessage(limitMs?: number): Promise<string | Uint8Array> {
    const event = await this.#events.take(
      `message on channel '${this.channel.label}' in Node`,
      ({ type }) => type === 'message',
      limitMs,
    );
    return event.type === 'message' ? event.data : '';
  }

  /** Sends random bytes with back-pressure; their SHA-256. */
  async sendBulk(totalBytes: number, messageBytes: number): Promise<string> {
    const bytes = randomBytes(totalBytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (let at = 0; at < totalBytes; at += messageBytes) {
      const message = new Uint8Array(bytes.buffer, bytes.byteOffset + at, Math.min(messageBytes, totalBytes - at));
      if (!this.channel.send(message)) await this.channel.writable();
    }
    return sha256;
  }

  /** Takes messages until `totalBytes` have come; their SHA-256. */
  async receiveBulk(totalBytes: number): Promise<{ sha256: string; messages: number }> {
    const hash = createHash('sha256');
    let messages = 0;
    for (let length = 0; length < totalBytes; messages++) {
      const message = await this.nextMessage(60_000);
      hash.update(message);
      length += message.length;
    }
    return { sha256: hash.digest('hex'), messages };
  }
}

type PeerEvent =
  | { readonly type: 'connected' }
  | { readonly type: 'channel'; readonly channel: NodeChannel }
  | { readonly type: 'close'; readonly error: Error | undefined };

/** A peer of ours whose events a test waits for. */
export class NodePeer {
  readonly peer: Peer;
  readonly #events: EventLog<PeerEvent> = new EventLog();

  constructor(peer: Peer) {
    this.peer = peer;
    peer.on('connected', () => this.#events.push({ type: 'connected' }));
    peer.on('channel', (channel) => this.#events.push({ type: 'channel', channel: new NodeChannel(channel) }));
    peer.on('close', (error) => this.#events.push({ type: 'close', error }));
  }

  async connected(): Promise<void> {
    await this.#events.take('connection in Node', ({ type }) => type === 'connected');
  }

  /** The next channel that the other end opens. */
  async nextChannel(): Promise<NodeChannel> {
    const event = await this.#events.take('channel opened by the browser', ({ type }) => type === 'channel');
    if (event.type !== 'channel') throw new Error('unreachable');
    return event.channel;
  }

  createChannel(...args: Parameters<Peer['createChannel']>): NodeChannel {
    return new NodeChannel(this.peer.createChannel(...args));
  }

  /** The error that it closed with, if there was one. */
  async closed(limitMs?: number): Promise<Error | undefined> {
    const event = await this.#events.take("'close' of the peer in Node", ({ type }) => type === 'close', limitMs);
    return event.type === 'close' ? event.error : undefined;
  }
}
