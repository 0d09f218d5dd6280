import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** What becomes of a datagram: these are sent in its place. */
export type Tamper = (datagram: Uint8Array, from: 'a' | 'b') => readonly Uint8Array[];

/**
 * Two ports that pass datagrams to each other, so that a test can hold the network in its hands.
 * `a` sends to `portForA` and is seen by `b` as `portForB`.
 */
export class UdpRelay {
  tamper: Tamper = (datagram) => [datagram];
  readonly #facing: { readonly a: Socket; readonly b: Socket };
  readonly #targets: { a: number; b: number };

  static async create(targets: { a: number; b: number }): Promise<UdpRelay> {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
    for (const socket of sockets) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    return new UdpRelay(targets, { a: sockets[0], b: sockets[1] });
  }

  private constructor(targets: { a: number; b: number }, facing: { a: Socket; b: Socket }) {
    this.#targets = targets;
    this.#facing = facing;
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      facing[from].on('message', (datagram, { port }) => {
        if (port !== this.#targets[from]) return;
        for (const sent of this.tamper(datagram, from)) facing[to].send(sent, this.#targets[to], '127.0.0.1');
      });
    }
  }

  get portForA(): number {
    return this.#facing.a.address().port;
  }

  get portForB(): number {
    return this.#facing.b.address().port;
  }

  /** The place of `a` is taken by whoever has this port. */
  moveA(port: number): void {
    this.#targets.a = port;
  }

  /** Puts a datagram before `b`, from the address that it knows `a` by. */
  inject(datagram: Uint8Array): void {
    this.#facing.b.send(datagram, this.#targets.b, '127.0.0.1');
  }

  async close(): Promise<void> {
    for (const socket of [this.#facing.a, this.#facing.b]) {
      socket.close();
      await once(socket, 'close');
    }
  }
}
