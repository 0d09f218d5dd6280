import type { Arena } from '@millrace/core';
import type { Path } from '@millrace/ice';
import type { UdpSocket } from './udp-socket.ts';

/**
 * The datagrams of a turn, in the order in which their records were queued. A slot goes back to the
 * arena when the operating system has taken its bytes: at once as a rule, later where the socket is
 * full.
 */
export class SendBatch {
  readonly #arena: Arena;
  /** One view per slot, kept while the length stays the same: bulk data comes in full datagrams. */
  readonly #views = new Map<number, Uint8Array>();
  readonly #slots: number[] = [];
  readonly #lengths: number[] = [];
  readonly #paths: Path[] = [];
  #held: number[] = [];
  #sockets: readonly UdpSocket[] = [];

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Datagrams wait for a socket: no more may be made. */
  get isStalled(): boolean {
    return this.#held.length > 0;
  }

  setSockets(sockets: readonly UdpSocket[]): void {
    this.#sockets = sockets;
  }

  push(slot: number, length: number, path: Path): void {
    this.#slots.push(slot);
    this.#lengths.push(length);
    this.#paths.push(path);
  }

  /** Sends all. True where a socket has not taken everything at once. */
  send(): boolean {
    const count = this.#slots.length;
    for (let i = 0; i < count; i++) {
      const path = this.#paths[i]!;
      const isLast = i + 1 === count || this.#paths[i + 1] !== path;
      this.#sockets[path.local]!.send(this.#view(this.#slots[i]!, this.#lengths[i]!), path, isLast);
    }
    const isStalled = this.#settle(count);
    this.#slots.length = 0;
    this.#lengths.length = 0;
    this.#paths.length = 0;
    return isStalled;
  }

  /** A socket that was full has sent all. */
  handleDrained(): void {
    if (this.#sockets.some((socket) => socket.pending > 0)) return;
    for (const slot of this.#held) this.#arena.give(slot);
    this.#held = [];
  }

  #settle(count: number): boolean {
    if (count === 0) return false;
    const stalled = this.#sockets.filter((socket) => socket.pending > 0);
    for (const socket of stalled) socket.stall();
    // Which of the slots are taken is not worth finding out: a stall is rare and short.
    if (stalled.length > 0) this.#held = this.#slots.slice();
    else for (let i = 0; i < count; i++) this.#arena.give(this.#slots[i]!);
    return stalled.length > 0;
  }

  #view(slot: number, length: number): Uint8Array {
    const known = this.#views.get(slot);
    if (known !== undefined && known.length === length) return known;
    const view = this.#arena.data.subarray(slot, slot + length);
    this.#views.set(slot, view);
    return view;
  }
}
