import type { WebSocket } from 'ws';
import { EventLog } from '../support/event-log.ts';

/** What the script in the page reports by itself; see agent.js. */
type AgentEvent =
  | { readonly event: 'open'; readonly channel: number; readonly streamId: number }
  | { readonly event: 'close'; readonly channel: number }
  | { readonly event: 'error'; readonly channel: number; readonly message: string }
  | { readonly event: 'message'; readonly channel: number; readonly binary: boolean; readonly data: string }
  | { readonly event: 'bulk'; readonly channel: number; readonly sha256: string; readonly messages: number }
  | ({ readonly event: 'datachannel' } & NewChannel)
  | { readonly event: 'candidate'; readonly connection: number; readonly candidate: string }
  | { readonly event: 'state'; readonly connection: number; readonly state: string }
  | { readonly event: 'failure'; readonly message: string };

/** What a channel of the page says of itself. */
interface ChannelDescription {
  readonly label: string;
  readonly protocol: string;
  readonly ordered: boolean;
  readonly maxRetransmits: number | null;
  readonly maxPacketLifeTime: number | null;
}

interface NewChannel {
  readonly connection: number;
  readonly channel: number;
  readonly description: ChannelDescription;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** `RTCDataChannelInit`. */
export interface RemoteChannelOptions {
  readonly ordered?: boolean;
  readonly maxRetransmits?: number;
  readonly maxPacketLifeTime?: number;
  readonly protocol?: string;
  readonly negotiated?: boolean;
  readonly id?: number;
}

/** A page under test, told what to do through its WebSocket. */
export class RemotePage {
  readonly events: EventLog<AgentEvent> = new EventLog();
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #nextCall = 1;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#handle(JSON.parse(String(data)) as Reply | AgentEvent));
    socket.on('close', () => this.#fail(new Error('the page went away')));
    socket.on('error', (error) => this.#fail(error));
  }

  call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    const id = this.#nextCall++;
    return new Promise<T>((resolve, reject) => {
      this.#calls.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#socket.send(JSON.stringify({ id, method, args }));
    });
  }

  async createConnection(): Promise<RemoteConnection> {
    return new RemoteConnection(this, await this.call<number>('createConnection'));
  }

  #handle(message: Reply | AgentEvent): void {
    if (!('event' in message)) {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.error !== undefined) call?.reject(new Error(`in the page: ${message.error}`));
      else call?.resolve(message.result);
    } else if (message.event === 'failure') this.#fail(new Error(`in the page: ${message.message}`));
    else this.events.push(message);
  }

  #fail(error: Error): void {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
    this.events.fail(error);
  }
}

/** An `RTCPeerConnection` of the page. */
export class RemoteConnection {
  readonly #page: RemotePage;
  readonly #id: number;

  constructor(page: RemotePage, id: number) {
    this.#page = page;
    this.#id = id;
  }

  /** With all candidates; with none of them where they are trickled. */
  createOffer(options: { readonly trickle?: boolean } = {}): Promise<string> {
    return this.#page.call('createOffer', this.#id, options.trickle ?? false);
  }

  createAnswer(offerSdp: string, options: { readonly trickle?: boolean } = {}): Promise<string> {
    return this.#page.call('createAnswer', this.#id, offerSdp, options.trickle ?? false);
  }

  acceptAnswer(sdp: string): Promise<void> {
    return this.#page.call('acceptAnswer', this.#id, sdp);
  }

  addCandidate(candidate: string): Promise<void> {
    return this.#page.call('addCandidate', this.#id, candidate);
  }

  /** The next local candidate; empty after the last. */
  async nextCandidate(): Promise<string> {
    const event = await this.#page.events.take(
      'local candidate',
      (entry) => entry.event === 'candidate' && entry.connection === this.#id,
    );
    return event.event === 'candidate' ? event.candidate : '';
  }

  async createChannel(label: string, options: RemoteChannelOptions = {}): Promise<RemoteChannel> {
    return new RemoteChannel(this.#page, await this.#page.call<NewChannel>('createChannel', this.#id, label, options));
  }

  /** The next channel that the other end opens. */
  async nextChannel(): Promise<RemoteChannel> {
    const event = await this.#page.events.take(
      'channel opened by Node',
      (entry) => entry.event === 'datachannel' && entry.connection === this.#id,
    );
    return new RemoteChannel(this.#page, event as NewChannel);
  }

  /** Resolves once `connectionState` is one that `state` matches. */
  async becomes(state: RegExp, limitMs?: number): Promise<void> {
    await this.#page.events.take(
      `connection state ${state}`,
      (entry) => entry.event === 'state' && entry.connection === this.#id && state.test(entry.state),
      limitMs,
    );
  }

  stats(type: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#page.call('stats', this.#id, type);
  }

  close(): Promise<void> {
    return this.#page.call('closeConnection', this.#id);
  }
}

/** An `RTCDataChannel` of the page. */
export class RemoteChannel {
  readonly description: ChannelDescription;
  readonly #page: RemotePage;
  readonly #id: number;

  constructor(page: RemotePage, { channel, description }: NewChannel) {
    this.description = description;
    this.#page = page;
    this.#id = channel;
  }

  /** The stream id, once the channel is open. */
  async opened(): Promise<number> {
    const event = await this.#take('open');
    return event.event === 'open' ? event.streamId : -1;
  }

  async closed(): Promise<void> {
    await this.#take('close');
  }

  /** What the channel's `error` event says. */
  async failed(): Promise<string> {
    const event = await this.#take('error');
    return event.event === 'error' ? event.message : '';
  }

  async nextMessage(): Promise<string | Uint8Array> {
    const event = await this.#take('message');
    if (event.event !== 'message') return '';
    return event.binary ? new Uint8Array(Buffer.from(event.data, 'hex')) : event.data;
  }

  send(data: string | Uint8Array): Promise<void> {
    if (typeof data === 'string') return this.#page.call('sendText', this.#id, data);
    return this.#page.call('sendBinary', this.#id, Buffer.from(data).toString('hex'));
  }

  /** Sends random bytes; their SHA-256. */
  sendBulk(totalBytes: number, messageBytes: number): Promise<string> {
    return this.#page.call('sendBulk', this.#id, totalBytes, messageBytes);
  }

  /**
   * Prepares the page for so many bytes. The inner function resolves with their SHA-256 and the
   * number of messages.
   */
  async receiveBulk(totalBytes: number): Promise<() => Promise<{ sha256: string; messages: number }>> {
    await this.#page.call('receiveBulk', this.#id, totalBytes);
    return async () => {
      const event = await this.#take('bulk', 60_000);
      return event.event === 'bulk' ? event : { sha256: '', messages: 0 };
    };
  }

  close(): Promise<void> {
    return this.#page.call('closeChannel', this.#id);
  }

  #take(kind: AgentEvent['event'], limitMs?: number): Promise<AgentEvent> {
    return this.#page.events.take(
      `'${kind}' of channel '${this.description.label}' in the page`,
      (entry) => entry.event === kind && 'channel' in entry && entry.channel === this.#id,
      limitMs,
    );
  }
}
