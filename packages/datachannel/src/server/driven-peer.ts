import { Listeners } from '@millrace/core';
import type { KeyUsage } from '@millrace/dtls';
import type { Channel } from '../channel-types.ts';
import { ChannelError } from '../errors.ts';
import type { PeerEvent, PeerMachine } from '../peer/peer-machine-types.ts';
import { throwLater } from './guard-callbacks.ts';
import type { PathEntry } from './path-table.ts';

export type PeerEvents = { connected: []; channel: [Channel]; keyUsage: ['near' | 'reached', KeyUsage]; close: [ChannelError?] };

/** A peer's machine with what the driver keeps beside it, and its way to the application. */
export class DrivenPeer {
  readonly id: string;
  readonly machine: PeerMachine;
  readonly listeners: Listeners<PeerEvents> = new Listeners<PeerEvents>(['connected', 'channel', 'keyUsage', 'close']);
  /** Resolves when the last event has been delivered. */
  readonly closed: Promise<void>;
  readonly paths: Set<PathEntry<DrivenPeer>> = new Set();
  isDirty = false;
  isFaulted = false;
  scheduledAt: number = Number.POSITIVE_INFINITY;
  /** Counts the driver's peers, so that of two the newer is known. */
  sequence = 0;
  readonly #onConnected: (peer: DrivenPeer) => void;
  #isClosed = false;
  #setClosed: () => void = () => {};

  constructor(id: string, machine: (peer: DrivenPeer) => PeerMachine, onConnected: (peer: DrivenPeer) => void) {
    this.id = id;
    this.closed = new Promise((done) => {
      this.#setClosed = done;
    });
    this.#onConnected = onConnected;
    this.machine = machine(this);
  }

  /** Calls the application. What its listeners throw is its own affair: it does not disturb the driver. */
  handleEvent(event: PeerEvent): void {
    try {
      this.#deliver(event);
    } catch (error) {
      throwLater(error);
    }
  }

  /** The machine has thrown, and can't be expected to end by itself: its channels are told as far as it goes. */
  fail(now: number, cause: unknown): void {
    const error = new ChannelError('INTERNAL', 'a fault of this library ended the connection', cause);
    try {
      this.machine.abort(now, error);
      for (let event = this.machine.pollEvent(); event !== undefined; event = this.machine.pollEvent()) this.handleEvent(event);
    } catch {
      // What it throws now follows from the first fault, which is reported.
    }
    this.handleEvent({ type: 'closed', error });
  }

  #deliver(event: PeerEvent): void {
    switch (event.type) {
      case 'connected':
        this.#onConnected(this);
        this.listeners.emit('connected');
        break;
      case 'channel':
        this.listeners.emit('channel', event.channel);
        break;
      case 'keyUsage':
        this.listeners.emit('keyUsage', event.level, event.usage);
        break;
      case 'closed':
        if (this.#isClosed) break;
        this.#isClosed = true;
        this.#setClosed();
        if (event.error === undefined) this.listeners.emit('close');
        else this.listeners.emit('close', event.error);
        break;
      default:
        this.machine.deliver(event);
    }
  }
}
