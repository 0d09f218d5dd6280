import { type Random, seededRandom } from '@millrace/core';
import { EventHeap, Link, type LinkOptions } from '@millrace/sim';
import { createIceAgent } from '../create-ice-agent.ts';
import type { Address, Candidate, IceAgent, IceEvent, IceOptions, Path } from '../types.ts';

export const ipv4 = (address: string, port: number): Address => ({ family: 4, address, port });
export const ipv6 = (address: string, port: number): Address => ({ family: 6, address, port });
const key = ({ address, port }: Address): string => `${address} ${port}`;

/** What stands between a host and the network. Filters by address and port, as most do. */
export interface Nat {
  readonly address: string;
  /** Symmetric: another port for every destination. */
  readonly isSymmetric?: boolean;
}

export interface HostOptions extends Partial<Omit<IceOptions, 'path'>> {
  readonly addresses: readonly Address[];
  readonly nat?: Nat;
  readonly link?: LinkOptions;
}

/** An agent with its sockets; `events` are all that it has raised. */
export class Host {
  readonly agent: IceAgent;
  readonly candidates: Candidate[] = [];
  readonly events: IceEvent[] = [];
  readonly addresses: readonly Address[];
  readonly nat: Nat | undefined;
  readonly link: Link;
  /** Outside port by inside address (and destination, where symmetric), and the way back. */
  readonly mappings = new Map<string, Address>();
  readonly allowed = new Set<string>();
  readonly #paths = new Map<string, Path>();
  isDown = false;

  constructor(options: HostOptions, random: Random, link: Link) {
    const { addresses, nat, link: _, role = 'controlling', ...rest } = options;
    this.addresses = addresses;
    this.nat = nat;
    this.link = link;
    this.agent = createIceAgent({ role, random, path: (local, remote) => this.path(local, remote), ...rest });
    for (const [local, address] of addresses.entries()) this.candidates.push(this.agent.addLocalCandidate(0, local, address));
  }

  path(local: number, remote: Address): Path {
    const id = `${local} ${key(remote)}`;
    const path = this.#paths.get(id) ?? { local, remote };
    this.#paths.set(id, path);
    return path;
  }

  states(): string[] {
    return this.events.flatMap((event) => (event.type === 'state' ? [event.state] : []));
  }

  closed(): IceEvent | undefined {
    return this.events.find(({ type }) => type === 'closed');
  }
}

/** Hosts, NATs and lossy links under a virtual clock: the same seed gives the same run. */
export class IceNetwork {
  now = 0;
  readonly random: Random;
  readonly #hosts: Host[] = [];
  readonly #inFlight = new EventHeap<() => void>();
  readonly #scratch = new Uint8Array(1200);
  #nextPort = 40_000;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  addHost(options: HostOptions): Host {
    // What is under way is kept with its source and destination in front of it.
    const routes: [Address, Address][] = [];
    const link = new Link({ delayMs: 1, ...options.link }, this.random, (at, framed) => {
      const [from, to] = routes[framed[0]! * 65536 + framed[1]! * 256 + framed[2]!]!;
      this.#inFlight.push(at, () => this.#deliver(from, to, framed.slice(3)));
    });
    const host = new Host(options, this.random, link);
    this.#hosts.push(host);
    this.#routes.set(host, routes);
    return host;
  }

  readonly #routes = new Map<Host, [Address, Address][]>();

  /** Calls `action` at a later time, as signaling would. */
  at(delayMs: number, action: () => void): void {
    this.#inFlight.push(this.now + delayMs, action);
  }

  /** Parameters and candidates of `from` reach `to`, each after its delay. */
  signal(from: Host, to: Host, options: { parametersAfterMs?: number; candidatesAfterMs?: number; lite?: boolean } = {}): void {
    const { parametersAfterMs = 0, candidatesAfterMs = 0, lite = false } = options;
    this.at(parametersAfterMs, () => {
      to.agent.setRemoteParameters(this.now, { ufrag: from.agent.localUfrag, pwd: from.agent.localPwd, lite });
    });
    for (const [i, candidate] of from.candidates.entries()) {
      this.at(candidatesAfterMs + i, () => void to.agent.addRemoteCandidate(this.now, candidate));
    }
    this.at(candidatesAfterMs + from.candidates.length, () => void to.agent.addRemoteCandidate(this.now, undefined));
  }

  /** Runs the clock; true where `until` held. */
  run(forMs: number, until: () => boolean = () => false): boolean {
    const end = this.now + forMs;
    for (;;) {
      for (const host of this.#hosts) this.#settle(host);
      if (until()) return true;
      const next = Math.min(this.#inFlight.nextAt, ...this.#hosts.map(({ agent }) => agent.pollTimeout()));
      if (next > end) {
        this.now = Math.max(this.now, end);
        return false;
      }
      this.now = Math.max(this.now, next);
      while (this.#inFlight.nextAt <= this.now) this.#inFlight.pop()!();
      for (const { agent } of this.#hosts) agent.handleTimeout(this.now);
    }
  }

  #settle(host: Host): void {
    for (;;) {
      for (let event = host.agent.pollEvent(); event !== undefined; event = host.agent.pollEvent()) host.events.push(event);
      const length = host.agent.pollTransmit(this.now, this.#scratch, 0, this.#scratch.length);
      if (length === 0) return;
      const { local, remote } = host.agent.transmitPath!;
      if (host.isDown) continue;
      const routes = this.#routes.get(host)!;
      const index = routes.push([this.#outside(host, host.addresses[local]!, remote), remote]) - 1;
      host.link.transmit(this.now, Uint8Array.of(index >> 16, index >> 8, index, ...this.#scratch.subarray(0, length)));
    }
  }

  /** The address that the network sees. */
  #outside(host: Host, from: Address, to: Address): Address {
    if (host.nat === undefined) return from;
    const id = host.nat.isSymmetric === true ? `${key(from)} ${key(to)}` : key(from);
    const mapped = host.mappings.get(id) ?? ipv4(host.nat.address, this.#nextPort++);
    host.mappings.set(id, mapped);
    host.allowed.add(`${key(mapped)} ${key(to)}`);
    return mapped;
  }

  #deliver(from: Address, to: Address, datagram: Uint8Array): void {
    for (const host of this.#hosts) {
      if (host.isDown) continue;
      const local = host.addresses.findIndex((address) => key(this.#inside(host, address, from, to)) === key(to));
      if (local < 0) continue;
      host.agent.handleDatagram(this.now, host.path(local, from), datagram, 0, datagram.length);
      return;
    }
  }

  /** What `to` would have to be for `from` to reach this address of the host. */
  #inside(host: Host, address: Address, from: Address, to: Address): Address {
    if (host.nat === undefined) return address;
    const id = host.nat.isSymmetric === true ? `${key(address)} ${key(from)}` : key(address);
    const mapped = host.mappings.get(id);
    const isOpen = mapped !== undefined && host.allowed.has(`${key(mapped)} ${key(from)}`) && key(mapped) === key(to);
    return isOpen ? mapped : ipv4('0.0.0.0', 1);
  }
}
