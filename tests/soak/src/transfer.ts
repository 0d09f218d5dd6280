import { createHash } from 'node:crypto';
import { type Random, randomUint32, randomUnit } from '@millrace/core';
import type { Channel, ChannelOptions, Peer } from '@millrace/datachannel/server';

export interface TransferCounts {
  messages: number;
  bytes: number;
}

const largestMessageBytes = 256 * 1024;

/**
 * Opens a channel from one peer to the other, sends random messages with back-pressure and closes it.
 * Resolves when both ends are closed; rejects where something arrived that was not sent so. Where a
 * peer closes meanwhile, what has arrived must be a beginning of what was sent.
 */
export async function transfer(random: Random, from: Peer, to: Peer, label: string, counts: TransferCounts): Promise<void> {
  const options = pickOptions(random);
  const reliable = options.maxRetransmits === undefined && options.ordered !== false;
  const receiver = new Receiver(to, label, reliable);
  const channel = from.createChannel(label, options);
  const closed = new Promise<void>((done) => channel.once('close', () => done()));
  const sent: string[] = [''];
  const hash = createHash('sha256');
  const messages = 1 + (randomUint32(random) % 200);
  let whole = true;
  try {
    for (let i = 0; i < messages; i++) {
      const data = randomMessage(random, i);
      hash.update(`${data.length}:`).update(data);
      sent.push(hash.copy().digest('hex'));
      counts.messages++;
      counts.bytes += data.length;
      if (!channel.send(data)) await channel.writable();
    }
    channel.close();
  } catch (error) {
    if (channel.state === 'open' || channel.state === 'connecting') throw error;
    whole = false;
  }
  await closed;
  await receiver.check(sent, whole && from.state === 'connected' && to.state === 'connected');
}

/** Takes what comes on the channel of one label, in the order of arrival. */
class Receiver {
  readonly #label: string;
  readonly #reliable: boolean;
  readonly #hash = createHash('sha256');
  readonly #closed: Promise<void>;
  #received = 0;
  #broken: Error | undefined;

  constructor(peer: Peer, label: string, reliable: boolean) {
    this.#label = label;
    this.#reliable = reliable;
    this.#closed = new Promise((done) => {
      const take = (channel: Channel): void => {
        if (channel.label !== label) return;
        peer.off('channel', take);
        channel.on('message', (message) => this.#take(message));
        channel.once('close', () => done());
      };
      peer.on('channel', take);
      peer.once('close', () => done());
    });
  }

  /** `sent[n]` is the hash of the first n messages; `whole`: all of them must be here. */
  async check(sent: readonly string[], whole: boolean): Promise<void> {
    await this.#closed;
    if (this.#broken !== undefined) throw this.#broken;
    if (!this.#reliable) return;
    const digest = this.#received === 0 ? '' : this.#hash.digest('hex');
    if (sent[this.#received] !== digest)
      throw new Error(`${this.#label}: the ${this.#received} messages that came are not the first ones sent`);
    if (whole && this.#received !== sent.length - 1) {
      throw new Error(`${this.#label}: ${this.#received} of ${sent.length - 1} messages came before an orderly close`);
    }
  }

  #take(message: string | Uint8Array): void {
    if (typeof message === 'string') this.#broken ??= new Error(`${this.#label}: text came where bytes were sent`);
    else {
      this.#received++;
      this.#hash.update(`${message.length}:`).update(message);
      // Every byte of a message is its length's, so that a mixture of two shows.
      if (message.some((byte) => byte !== (message.length & 0xff)))
        this.#broken ??= new Error(`${this.#label}: a message was damaged`);
    }
  }
}

function pickOptions(random: Random): ChannelOptions {
  const kind = randomUint32(random) % 4;
  if (kind === 0) return { ordered: false };
  if (kind === 1) return { maxRetransmits: randomUint32(random) % 3 };
  return {};
}

/** Mostly small, at times large, at times empty. */
function randomMessage(random: Random, index: number): Uint8Array {
  if (index % 50 === 49) return new Uint8Array(0);
  const length = Math.ceil(largestMessageBytes ** randomUnit(random));
  return new Uint8Array(length).fill(length & 0xff);
}
