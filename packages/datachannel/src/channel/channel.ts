import type { Channel } from '../channel-types.ts';
import type { ChannelEvent } from './channel-event.ts';
import type { ChannelEvents, ChannelRecord } from './channel-record.ts';

/** What a channel asks of its manager. */
export interface ChannelOwner {
  state(record: ChannelRecord): Channel['state'];
  send(record: ChannelRecord, data: Uint8Array, isText: boolean): boolean;
  writable(record: ChannelRecord): Promise<void>;
  bufferedBytes(record: ChannelRecord): number;
  close(record: ChannelRecord): void;
}

const encoder = new TextEncoder();

/** The application's side of a channel. */
export class DataChannel implements Channel {
  readonly #record: ChannelRecord;
  readonly #owner: ChannelOwner;

  constructor(record: ChannelRecord, owner: ChannelOwner) {
    this.#record = record;
    this.#owner = owner;
  }

  /** Calls the application's listeners for an event of the manager. Not for a machine's own code. */
  static deliver(event: ChannelEvent): void {
    const { listeners, waiters } = (event.channel as DataChannel).#record;
    switch (event.type) {
      case 'channel-open':
        listeners.emit('open');
        break;
      case 'channel-message':
        listeners.emit('message', event.data);
        break;
      case 'channel-drain':
        waiters.resolve();
        listeners.emit('drain');
        break;
      case 'channel-closed':
        listeners.emit('close', event.error);
        break;
      case 'channel':
        break;
    }
  }

  get id(): number {
    return this.#record.id;
  }

  get label(): string {
    return this.#record.parameters.label;
  }

  get protocol(): string {
    return this.#record.parameters.protocol;
  }

  get ordered(): boolean {
    return this.#record.parameters.ordered;
  }

  get state(): Channel['state'] {
    return this.#owner.state(this.#record);
  }

  get bufferedAmount(): number {
    return this.#owner.bufferedBytes(this.#record);
  }

  send(data: string | Uint8Array): boolean {
    if (typeof data === 'string') return this.#owner.send(this.#record, encoder.encode(data), true);
    if (!(data instanceof Uint8Array)) throw new TypeError('data must be a string or a Uint8Array');
    return this.#owner.send(this.#record, data, false);
  }

  writable(): Promise<void> {
    return this.#owner.writable(this.#record);
  }

  close(): void {
    this.#owner.close(this.#record);
  }

  on<K extends keyof ChannelEvents>(event: K, fn: (...args: ChannelEvents[K]) => void): this {
    this.#record.listeners.add(event, fn);
    return this;
  }

  once<K extends keyof ChannelEvents>(event: K, fn: (...args: ChannelEvents[K]) => void): this {
    this.#record.listeners.add(event, fn, true);
    return this;
  }

  off<K extends keyof ChannelEvents>(event: K, fn: (...args: ChannelEvents[K]) => void): this {
    this.#record.listeners.remove(event, fn);
    return this;
  }
}
