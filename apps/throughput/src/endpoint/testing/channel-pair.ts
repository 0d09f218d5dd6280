import { Listeners } from '@millrace/core';
import type { Channel, ChannelError } from '@millrace/datachannel/server';

type ChannelEvents = { open: []; message: [string | Uint8Array]; drain: []; close: [ChannelError?] };

/** What happens to a message on its way; the default is that it arrives. */
export type Wire = (data: string | Uint8Array) => string | Uint8Array;

/** Two ends of a channel that carries messages over the event loop, in order, one a turn. */
export function createChannelPair(wire: Wire = (data) => data): [FakeChannel, FakeChannel] {
  const a = new FakeChannel(wire);
  const b = new FakeChannel(wire);
  a.other = b;
  b.other = a;
  return [a, b];
}

const highWaterBytes = 64 * 1024;

export class FakeChannel implements Channel {
  readonly id = 0;
  readonly label = 'bulk';
  readonly protocol = '';
  readonly ordered = true;
  state: Channel['state'] = 'open';
  bufferedAmount = 0;
  other!: FakeChannel;
  readonly #wire: Wire;
  readonly #listeners: Listeners<ChannelEvents> = new Listeners<ChannelEvents>(['open', 'message', 'drain', 'close']);

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  send(data: string | Uint8Array): boolean {
    if (this.state !== 'open') throw new Error('the channel is closed');
    this.bufferedAmount += data.length;
    setImmediate(() => {
      this.bufferedAmount -= data.length;
      // A copy, as a network makes one: the receiver must not see what the sender writes later.
      if (this.state === 'open')
        this.other.#listeners.emit('message', this.#wire(typeof data === 'string' ? data : data.slice()));
      if (this.bufferedAmount === 0) this.#listeners.emit('drain');
    });
    return this.bufferedAmount < highWaterBytes;
  }

  writable(): Promise<void> {
    return new Promise((resolve) => this.once('drain', resolve));
  }

  close(error?: ChannelError): void {
    for (const end of [this, this.other]) {
      end.state = 'closed';
      end.#listeners.emit('close', ...(error === undefined ? [] : ([error] as [ChannelError])));
    }
  }

  on<K extends keyof ChannelEvents>(event: K, fn: (...args: ChannelEvents[K]) => void): this {
    this.#listeners.add(event, fn);
    return this;
  }

  once<K extends keyof ChannelEvents>(event: K, fn: (...args: ChannelEvents[K]) => void): this {
    this.#listeners.add(event, fn, true);
    return this;
  }

  off<K extends keyof ChannelEvents>(event: K, fn: (...args: ChannelEvents[K]) => void): this {
    this.#listeners.remove(event, fn);
    return this;
  }
}
