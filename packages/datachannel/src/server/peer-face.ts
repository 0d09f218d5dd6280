import type { Channel, ChannelOptions } from '../channel-types.ts';
import { ChannelError } from '../errors.ts';
import type { PeerState, PeerStats } from '../peer/peer-stats.ts';
import { parseCandidate } from '../sdp/candidate-line.ts';
import type { DrivenPeer, PeerEvents } from './driven-peer.ts';
import type { Peer } from './types.ts';

/** What the application holds of a peer. */
export class PeerFace implements Peer {
  readonly #peer: DrivenPeer;
  readonly #now: () => number;

  constructor(peer: DrivenPeer, now: () => number) {
    this.#peer = peer;
    this.#now = now;
  }

  get id(): string {
    return this.#peer.id;
  }

  get state(): PeerState {
    return this.#peer.machine.state;
  }

  createChannel(label: string, options?: ChannelOptions): Channel {
    return this.#peer.machine.createChannel(label, options);
  }

  addRemoteCandidate(candidate: string | null): void {
    if (candidate !== null && typeof candidate !== 'string') throw new TypeError('candidate must be a string or null');
    if (candidate === null || candidate.trim() === '') {
      this.#peer.machine.addRemoteCandidate(this.#now(), undefined);
      return;
    }
    const parsed = readCandidate(candidate);
    if (parsed !== undefined) this.#peer.machine.addRemoteCandidate(this.#now(), parsed);
  }

  exportKeyingMaterial(label: string, context: Uint8Array | undefined, length: number): Uint8Array {
    return this.#peer.machine.exportKeyingMaterial(label, context, length);
  }

  stats(): PeerStats {
    return this.#peer.machine.stats();
  }

  close(): Promise<void> {
    this.#peer.machine.close(this.#now());
    return this.#peer.closed;
  }

  on<K extends keyof PeerEvents>(event: K, fn: (...args: PeerEvents[K]) => void): this {
    this.#peer.listeners.add(event, fn);
    return this;
  }

  once<K extends keyof PeerEvents>(event: K, fn: (...args: PeerEvents[K]) => void): this {
    this.#peer.listeners.add(event, fn, true);
    return this;
  }

  off<K extends keyof PeerEvents>(event: K, fn: (...args: PeerEvents[K]) => void): this {
    this.#peer.listeners.remove(event, fn);
    return this;
  }
}

function readCandidate(text: string): ReturnType<typeof parseCandidate> {
  try {
    return parseCandidate(text);
  } catch (cause) {
    throw new ChannelError('INVALID_SDP', `the candidate can't be read: ${(cause as Error).message}`, cause);
  }
}
