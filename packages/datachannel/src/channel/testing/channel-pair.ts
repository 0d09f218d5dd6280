import type { Association, AssociationEvent, AssociationStats, SendOptions } from 'sctp-js';
import type { Channel } from '../../channel-types.ts';
import { DataChannel } from '../channel.ts';
import type { ChannelEvent } from '../channel-event.ts';
import { ChannelManager, type ChannelManagerOptions } from '../channel-manager.ts';

interface Outgoing {
  readonly streamId: number;
  /** Without it, the stream is reset here. */
  readonly message?: { readonly ppid: number; readonly data: Uint8Array; readonly options: SendOptions };
}

/** An association over a perfect network, which moves only when the pair is settled. */
export class FakeAssociation implements Pick<Association, 'state' | 'send' | 'bufferedBytes' | 'resetStreams'> {
  readonly state = 'established';
  readonly sent: Outgoing[] = [];
  readonly queue: Outgoing[] = [];
  refuseResets = false;
  #isAbove = false;
  readonly #highWaterBytes: number;

  constructor(highWaterBytes: number) {
    this.#highWaterBytes = highWaterBytes;
  }

  send(_now: number, streamId: number, ppid: number, data: Uint8Array, options: SendOptions = {}): boolean {
    const outgoing = { streamId, message: { ppid, data, options } };
    this.sent.push(outgoing);
    this.queue.push(outgoing);
    const isBelow = this.bufferedBytes() < this.#highWaterBytes;
    this.#isAbove ||= !isBelow;
    return isBelow;
  }

  bufferedBytes(streamId?: number): number {
    return this.queue
      .filter((outgoing) => streamId === undefined || outgoing.streamId === streamId)
      .reduce((sum, { message }) => sum + (message?.data.length ?? 0), 0);
  }

  resetStreams(_now: number, streamIds: readonly number[]): void {
    for (const streamId of streamIds) this.queue.push({ streamId });
  }

  /** True once after `send` has answered false and the queue is empty again. */
  takeDrain(): boolean {
    const wasAbove = this.#isAbove && this.queue.length === 0;
    if (wasAbove) this.#isAbove = false;
    return wasAbove;
  }

  asAssociation(): Association {
    return this as unknown as Association & { stats: AssociationStats };
  }
}

export class ChannelEnd {
  readonly manager: ChannelManager;
  readonly association: FakeAssociation;
  /** What the application saw, as text. */
  readonly log: string[] = [];
  readonly events: ChannelEvent[] = [];
  wakes = 0;

  constructor(options: Partial<ChannelManagerOptions>) {
    const highWaterBytes = options.highWaterBytes ?? 1 << 20;
    this.association = new FakeAssociation(highWaterBytes);
    this.manager = new ChannelManager({
      now: () => 0,
      wake: () => this.wakes++,
      highWaterBytes,
      maxChannels: 65_535,
      maxMessageSize: 262_144,
      ...options,
    });
  }

  /** Listens to a channel and writes down what it says. */
  watch(channel: Channel): Channel {
    const log = (text: string): void => void this.log.push(`${channel.label}: ${text}`);
    return channel
      .on('open', () => log('open'))
      .on('message', (data) => log(typeof data === 'string' ? `text ${data}` : `bytes ${data.join(' ')}`))
      .on('drain', () => log('drain'))
      .on('close', (error) => log(error === undefined ? 'close' : `close ${(error as { code?: string }).code}`));
  }

  create(label: string, options?: Parameters<ChannelManager['createChannel']>[1]): Channel {
    return this.watch(this.manager.createChannel(label, options));
  }

  handle(event: AssociationEvent): void {
    this.manager.handleAssociationEvent(event);
    this.drain();
  }

  drain(): void {
    for (let event = this.manager.pollEvent(); event !== undefined; event = this.manager.pollEvent()) {
      this.events.push(event);
      if (event.type === 'channel') {
        this.log.push(`${event.channel.label}: channel`);
        this.watch(event.channel);
      } else {
        DataChannel.deliver(event);
      }
    }
  }
}

/** Two managers, joined. `a` is the DTLS client. */
export class ChannelPair {
  readonly a: ChannelEnd;
  readonly b: ChannelEnd;

  constructor(a: Partial<ChannelManagerOptions> = {}, b: Partial<ChannelManagerOptions> = {}) {
    this.a = new ChannelEnd(a);
    this.b = new ChannelEnd(b);
  }

  connect(streams = 65_535): this {
    this.a.manager.setRole('client');
    this.b.manager.setRole('server');
    for (const end of [this.a, this.b]) end.manager.attach(end.association.asAssociation());
    for (const end of [this.a, this.b]) end.handle({ type: 'connected', outgoingStreams: streams, incomingStreams: streams });
    return this.settle();
  }

  settle(): this {
    while (this.step(this.a, this.b) || this.step(this.b, this.a));
    return this;
  }

  /** Moves what one end has queued. */
  step(from: ChannelEnd, to: ChannelEnd): boolean {
    from.drain();
    to.drain();
    const outgoing = from.association.queue.shift();
    if (outgoing === undefined) return false;
    const { streamId, message } = outgoing;
    if (message !== undefined) {
      to.handle({ type: 'message', streamId, ppid: message.ppid, data: message.data.slice() });
    } else if (to.association.refuseResets) {
      const error = Object.assign(new Error('denied'), { code: 'RESET_FAILED' }) as never;
      from.handle({ type: 'outgoing-reset', streamIds: [streamId], error });
    } else {
      to.handle({ type: 'incoming-reset', streamIds: [streamId] });
      from.handle({ type: 'outgoing-reset', streamIds: [streamId] });
    }
    if (from.association.takeDrain()) from.handle({ type: 'drain' });
    return true;
  }
}
