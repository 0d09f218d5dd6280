import { seededRandom } from '@millrace/core';
import { type Certificate, generateCertificate } from '@millrace/crypto';
import type { Address, Path } from '@millrace/ice';
import { type LinkOptions, type SimMachine, type SimNode, Simulation } from '@millrace/sim';
import type { Channel, ChannelOptions } from '../../channel-types.ts';
import { createPeerMachine } from '../peer-machine.ts';
import type { PeerEvent, PeerMachine, PeerMachineOptions, RemoteParameters } from '../peer-machine-types.ts';

export const certificates: readonly Certificate[] = [await generateCertificate(), await generateCertificate()];

/** A peer in the simulation: its one path, and what its application sees. */
export class PeerNode {
  readonly machine: PeerMachine;
  readonly events: PeerEvent[] = [];
  readonly log: string[] = [];
  readonly channels: Channel[] = [];
  /** Keeps the messages out of the log. */
  onMessage: ((channel: Channel, data: string | Uint8Array) => void) | undefined;
  /** What `pollTransmit` writes is thrown away. */
  isMute = false;
  readonly #path: Path;
  readonly #now: () => number;

  constructor(index: 0 | 1, seed: number, now: () => number, options: Partial<PeerMachineOptions>) {
    const remote: Address = { family: 4, address: `192.0.2.${2 - index}`, port: 5000 };
    this.#path = { local: 0, remote };
    this.#now = now;
    this.machine = createPeerMachine({
      iceRole: index === 0 ? 'controlling' : 'controlled',
      certificate: certificates[index]!,
      path: () => this.#path,
      now,
      wake: () => {},
      random: seededRandom(seed * 2 + index),
      ...options,
    });
    this.machine.addLocalCandidate(0, 0, { family: 4, address: `192.0.2.${1 + index}`, port: 5000 });
  }

  describe(remote: PeerNode, index: 0 | 1, dtlsRole: 'client' | 'server', more: Partial<RemoteParameters> = {}): void {
    this.machine.setRemoteParameters(this.#now(), {
      iceUfrag: remote.machine.localUfrag,
      icePwd: remote.machine.localPwd,
      fingerprints: [certificates[1 - index]!.fingerprint],
      dtlsRole,
      maxMessageSize: 0,
      ...more,
    });
    this.machine.addRemoteCandidate(this.#now(), {
      foundation: '1',
      priority: 2_130_706_431,
      address: this.#path.remote.address,
      port: 5000,
      type: 'host',
    });
  }

  get node(): SimNode {
    const machine = this.machine;
    const adapted: SimMachine = {
      handleDatagram: (now, data, start, end) => void machine.handleDatagram(now, this.#path, data, start, end),
      handleTimeout: (now) => machine.handleTimeout(now),
      pollTransmit: (now, out, start, end) => {
        for (;;) {
          const length = machine.pollTransmit(now, out, start, end);
          if (!this.isMute || length === 0) return length;
        }
      },
      pollTimeout: () => machine.pollTimeout(),
    };
    return { machine: adapted, drain: () => this.drain() };
  }

  create(label: string, options?: ChannelOptions): Channel {
    return this.#watch(this.machine.createChannel(label, options));
  }

  drain(): void {
    for (let event = this.machine.pollEvent(); event !== undefined; event = this.machine.pollEvent()) {
      this.events.push(event);
      if (event.type === 'connected') {
        this.log.push('connected');
      } else if (event.type === 'closed') {
        this.log.push(event.error === undefined ? 'closed' : `closed ${event.error.code}`);
      } else if (event.type === 'channel') {
        this.channels.push(this.#watch(event.channel));
        this.log.push(`channel ${event.channel.label}`);
      } else if (event.type === 'keyUsage') {
        this.log.push(`keyUsage ${event.level}`);
      } else {
        this.machine.deliver(event);
      }
    }
  }

  #watch(channel: Channel): Channel {
    return channel
      .on('open', () => this.log.push(`${channel.label} open`))
      .on('message', (data) => {
        if (this.onMessage !== undefined) this.onMessage(channel, data);
        else this.log.push(`${channel.label} ${typeof data === 'string' ? data : `bytes ${data.length}`}`);
      })
      .on('close', (error) =>
        this.log.push(`${channel.label} ${error === undefined ? 'close' : `close ${(error as { code?: string }).code}`}`),
      );
  }
}

export interface PeerPairOptions {
  readonly seed: number;
  readonly link?: LinkOptions;
  readonly aToB?: LinkOptions;
  readonly bToA?: LinkOptions;
  readonly a?: Partial<PeerMachineOptions>;
  readonly b?: Partial<PeerMachineOptions>;
  /** Default: b, as an answer that says active. */
  readonly client?: 'a' | 'b';
  readonly remoteOfA?: Partial<RemoteParameters>;
  readonly remoteOfB?: Partial<RemoteParameters>;
}

/** Two peers that know each other, and the network between them. `a` made the offer. */
export class PeerPair {
  readonly a: PeerNode;
  readonly b: PeerNode;
  readonly sim: Simulation;

  constructor(options: PeerPairOptions) {
    const { seed, link = { delayMs: 10 }, client = 'b' } = options;
    const now = (): number => this.sim?.now ?? 0;
    this.a = new PeerNode(0, seed, now, options.a ?? {});
    this.b = new PeerNode(1, seed, now, options.b ?? {});
    this.sim = new Simulation(this.a.node, this.b.node, {
      seed,
      link,
      maxDatagramBytes: 65_507,
      ...(options.aToB === undefined ? {} : { aToB: options.aToB }),
      ...(options.bToA === undefined ? {} : { bToA: options.bToA }),
    });
    this.b.describe(this.a, 1, client === 'b' ? 'client' : 'server', options.remoteOfB);
    this.a.describe(this.b, 0, client === 'a' ? 'client' : 'server', options.remoteOfA);
  }

  /** Runs the clock until it holds; throws with both logs where it does not come. */
  until(what: () => boolean, forMs = 60_000): this {
    this.sim.settle();
    if (!this.sim.run({ forMs, until: what })) {
      const stats = JSON.stringify([this.a.machine.stats(), this.b.machine.stats()]);
      throw new Error(`it did not come by ${this.sim.now}: ${JSON.stringify([this.a.log, this.b.log])} ${stats}`);
    }
    return this;
  }

  connect(): this {
    return this.until(() => this.a.log.includes('connected') && this.b.log.includes('connected'));
  }
}
