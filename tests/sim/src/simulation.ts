import { type Machine, type Random, seededRandom } from '@millrace/core';
import { EventHeap } from './event-heap.ts';
import { Link, type LinkOptions } from './link.ts';

/** What the simulation needs of a machine; `Machine<E>` satisfies it. */
export type SimMachine = Pick<Machine<unknown>, 'handleDatagram' | 'handleTimeout' | 'pollTransmit' | 'pollTimeout'>;

export interface SimNode {
  readonly machine: SimMachine;
  /** Runs after each change of the machine: take its events, feed it with data. */
  readonly drain?: (now: number) => void;
}

export interface RunOptions {
  /** Virtual ms from now after which the run ends. */
  readonly forMs: number;
  /** Ends the run early once it holds; asked after every step. */
  readonly until?: () => boolean;
}

/**
 * Two machines, a link in either direction, and a clock that jumps from event to event. The same
 * seed gives the same run to the last datagram.
 */
export class Simulation {
  readonly random: Random;
  readonly aToB: Link;
  readonly bToA: Link;
  now = 0;
  readonly #a: SimNode;
  readonly #b: SimNode;
  readonly #inFlight = new EventHeap<{ node: SimNode; datagram: Uint8Array }>();
  readonly #scratch: Uint8Array;

  constructor(
    a: SimNode,
    b: SimNode,
    options: { seed: number; link?: LinkOptions; aToB?: LinkOptions; bToA?: LinkOptions; maxDatagramBytes?: number },
  ) {
    this.#a = a;
    this.#b = b;
    this.random = seededRandom(options.seed);
    this.#scratch = new Uint8Array(options.maxDatagramBytes ?? 1200);
    this.aToB = new Link(options.aToB ?? options.link ?? {}, this.random, (at, datagram) =>
      this.#inFlight.push(at, { node: b, datagram }),
    );
    this.bToA = new Link(options.bToA ?? options.link ?? {}, this.random, (at, datagram) =>
      this.#inFlight.push(at, { node: a, datagram }),
    );
  }

  /** Runs the clock. Returns true where `until` held, else whether nothing is left to happen. */
  run(options: RunOptions): boolean {
    const end = this.now + options.forMs;
    this.settle();
    for (;;) {
      if (options.until?.() === true) return true;
      const next = Math.min(this.#inFlight.nextAt, this.#a.machine.pollTimeout(), this.#b.machine.pollTimeout());
      if (next === Number.POSITIVE_INFINITY) return options.until === undefined;
      if (next > end) {
        this.now = end;
        return false;
      }
      this.#step(Math.max(this.now, next));
    }
  }

  /** Lets both ends send what they have at the present time. */
  settle(): void {
    this.#settle(this.#a, this.aToB);
    this.#settle(this.#b, this.bToA);
  }

  /** Puts a datagram of the test's own before an end, without the link. */
  inject(to: 'a' | 'b', datagram: Uint8Array): void {
    const node = to === 'a' ? this.#a : this.#b;
    node.machine.handleDatagram(this.now, datagram, 0, datagram.length);
    this.settle();
  }

  #step(at: number): void {
    this.now = at;
    while (this.#inFlight.nextAt <= at) {
      const { node, datagram } = this.#inFlight.pop()!;
      node.machine.handleDatagram(at, datagram, 0, datagram.length);
      this.#settle(node, node === this.#a ? this.aToB : this.bToA);
    }
    for (const node of [this.#a, this.#b]) {
      if (node.machine.pollTimeout() > at) continue;
      node.machine.handleTimeout(at);
      this.#settle(node, node === this.#a ? this.aToB : this.bToA);
    }
  }

  #settle(node: SimNode, link: Link): void {
    node.drain?.(this.now);
    for (;;) {
      const length = node.machine.pollTransmit(this.now, this.#scratch, 0, this.#scratch.length);
      if (length === 0) break;
      link.transmit(this.now, this.#scratch.slice(0, length));
      node.drain?.(this.now);
    }
  }
}
