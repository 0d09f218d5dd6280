import type { Arena } from '@millrace/core';
import { createRecordArena, createRecordQueue, type RecordQueue } from '@millrace/crypto';
import { type Address, type Path, peekUfrag } from '@millrace/ice';
import { canonicalAddress } from './addresses.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import type { DrivenPeer } from './driven-peer.ts';
import { type PathEntry, PathTable } from './path-table.ts';
import { SendBatch } from './send-batch.ts';
import type { RemoteAddress, UdpSocket } from './udp-socket.ts';

/** Datagrams that one peer may send before the others have their turn. */
const transmitBudget = 128;
/** Events of one peer that are handled before the others have their turn. */
const eventBudget = 512;
/** Paths that one peer may be on: its address may change, but not at every datagram. */
const maxPathsPerPeer = 256;
/** A record's payload is aligned to 16 bytes behind 13 bytes of header and 8 of nonce. */
const payloadSkew = 11;
/** Room for the datagrams of others, who may send larger ones than we do. */
const minSlotBytes = 1536;
const arenaBytes = 4 << 20;

export interface DriverStats {
  datagramsSent: number;
  datagramsReceived: number;
  datagramBytesSent: number;
  datagramBytesReceived: number;
  sendStalls: number;
  readonly dropped: Record<string, number>;
}

/**
 * Moves datagrams between sockets and peers, in turns. What arrives in one turn of the event loop is
 * copied into the arena and handed to its peer; at the turn's end all queued records are opened
 * together, each peer that something happened to is drained once, what they send is sealed together
 * and sent in that order. Application code runs in that drain alone.
 */
export class Driver {
  readonly records: RecordQueue;
  readonly stats: DriverStats = {
    datagramsSent: 0,
    datagramsReceived: 0,
    datagramBytesSent: 0,
    datagramBytesReceived: 0,
    sendStalls: 0,
    dropped: {},
  };
  readonly #onFault: (peer: DrivenPeer, cause: unknown) => void;
  readonly #arena: Arena;
  readonly #batch: SendBatch;
  readonly #paths = new PathTable<DrivenPeer>();
  readonly #byFragment = new Map<string, DrivenPeer>();
  readonly #deadlines = new DeadlineHeap<DrivenPeer>();
  readonly #received: number[] = [];
  #dirty: DrivenPeer[] = [];
  #faults: { readonly peer: DrivenPeer; readonly cause: unknown }[] = [];
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #isDraining = false;
  #sequence = 0;

  /** @param onFault called where a peer's machine has thrown: a bug of this library */
  constructor(maxDatagramBytes: number, onFault: (peer: DrivenPeer, cause: unknown) => void) {
    this.#onFault = onFault;
    const slotBytes = Math.max(minSlotBytes, maxDatagramBytes);
    const slots = Math.max(64, Math.floor(arenaBytes / (slotBytes + 32)));
    this.#arena = createRecordArena({ slotBytes, slots, payloadSkew });
    this.records = createRecordQueue(this.#arena);
    this.#batch = new SendBatch(this.#arena);
  }

  get paths(): number {
    return this.#paths.size;
  }

  setSockets(sockets: readonly UdpSocket[]): void {
    this.#batch.setSockets(sockets);
  }

  now(): number {
    return performance.now();
  }

  add(peer: DrivenPeer): void {
    peer.sequence = this.#sequence++;
    this.#byFragment.set(peer.machine.localUfrag, peer);
    // It has a time by which it must be connected.
    this.wake(peer);
  }

  /** The one path object for a peer's checks; `remote` may be written in any form. */
  path(peer: DrivenPeer, local: number, remote: Address): Path {
    const entry = this.#paths.intern(local, { ...remote, address: canonicalAddress(remote) });
    this.#use(entry, peer);
    return entry.path;
  }

  /** Something happened to the peer: it is drained at the end of this turn. */
  wake(peer: DrivenPeer): void {
    if (!peer.isDirty) {
      peer.isDirty = true;
      this.#dirty.push(peer);
    }
    if (!this.#isDraining) this.#schedule();
  }

  handleDatagram(local: number, data: Uint8Array, remote: RemoteAddress): void {
    this.stats.datagramsReceived++;
    this.stats.datagramBytesReceived += data.length;
    const entry = this.#paths.find(local, remote.port, remote.address);
    // RFC 7983 section 7: 0 to 3 is STUN.
    if (data.length > 0 && data[0]! < 4) this.#handleStun(local, entry, plainBytes(data), remote);
    else if (entry?.owner === undefined) this.#drop('unknown-path');
    else this.#handleRecord(entry.owner, entry.path, data);
  }

  /** Sending may go on. */
  handleDrained(): void {
    this.#batch.handleDrained();
    this.#schedule();
  }

  close(): void {
    if (this.#immediate !== undefined) clearImmediate(this.#immediate);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#immediate = undefined;
    this.#timer = undefined;
    this.#deadlines.clear();
  }

  #handleStun(local: number, known: PathEntry<DrivenPeer> | undefined, data: Uint8Array, remote: RemoteAddress): void {
    const fragment = peekUfrag(data, 0, data.length);
    if (fragment !== undefined) {
      const peer = this.#byFragment.get(fragment);
      if (peer === undefined) return this.#drop('unknown-fragment');
      const address: Address = { family: remote.family === 'IPv6' ? 6 : 4, address: remote.address, port: remote.port };
      const entry = known ?? this.#paths.intern(local, address);
      if (this.#give(peer, entry.path, data)) this.#claim(entry, peer);
      else if (known === undefined) this.#paths.prune(entry);
      return;
    }
    if (known === undefined) return this.#drop('unknown-path');
    // A response names no fragment, only the transaction of one of those that send checks there.
    for (const peer of known.users) {
      if (!this.#give(peer, known.path, data)) continue;
      this.#claim(known, peer);
      return;
    }
  }

  #handleRecord(peer: DrivenPeer, path: Path, data: Uint8Array): void {
    if (data.length > this.#arena.slotBytes) {
      this.#give(peer, path, plainBytes(data));
      return;
    }
    if (this.#arena.free === 0) this.#flush();
    const slot = this.#arena.take();
    if (slot === -1) return this.#drop('arena-full');
    this.#received.push(slot);
    this.#arena.data.set(data, slot);
    this.#give(peer, path, this.#arena.data, slot, slot + data.length);
  }

  #give(peer: DrivenPeer, path: Path, data: Uint8Array, start = 0, end: number = data.length): boolean {
    this.wake(peer);
    try {
      return peer.machine.handleDatagram(this.now(), path, data, start, end);
    } catch (error) {
      this.#fault(peer, error);
      return false;
    }
  }

  #use(entry: PathEntry<DrivenPeer>, peer: DrivenPeer): boolean {
    if (entry.users.includes(peer)) return true;
    if (peer.paths.size >= maxPathsPerPeer) return false;
    entry.users.push(peer);
    peer.paths.add(entry);
    return true;
  }

  /** The peer has proved that it is on this path. The newest that did gets what comes on it. */
  #claim(entry: PathEntry<DrivenPeer>, peer: DrivenPeer): void {
    if (this.#use(entry, peer) && (entry.owner === undefined || entry.owner.sequence < peer.sequence)) entry.owner = peer;
  }

  /** Older peers on the path that `peer` has just connected on: their datagrams can't be told from its. */
  replacedBy(peer: DrivenPeer): DrivenPeer[] {
    const path = peer.machine.selectedPath;
    const entry = path && this.#paths.find(path.local, path.remote.port, path.remote.address);
    return entry?.users.filter((other) => other.sequence < peer.sequence && other.machine.selectedPath === path) ?? [];
  }

  #remove(peer: DrivenPeer): void {
    this.#byFragment.delete(peer.machine.localUfrag);
    for (const entry of peer.paths) {
      const index = entry.users.indexOf(peer);
      if (index !== -1) entry.users.splice(index, 1);
      if (entry.owner === peer) entry.owner = undefined;
      this.#paths.prune(entry);
    }
    peer.paths.clear();
    peer.scheduledAt = Number.POSITIVE_INFINITY;
  }

  #schedule(): void {
    this.#immediate ??= setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#immediate = undefined;
    this.#isDraining = true;
    try {
      this.#flush();
      this.#handleDeadlines();
      // Peers that wake while others are drained wait for the next turn.
      const dirty = this.#dirty;
      this.#dirty = [];
      for (const peer of dirty) {
        peer.isDirty = false;
        if (!peer.isFaulted) this.#drain(peer);
      }
      for (const { peer, cause } of this.#faults.splice(0)) this.#onFault(peer, cause);
      this.records.flush();
      if (this.#batch.send()) this.stats.sendStalls++;
    } finally {
      this.#isDraining = false;
    }
    if (this.#dirty.length > 0 && !this.#batch.isStalled) this.#schedule();
    this.#armTimer();
  };

  /** Opens what is queued, and frees the slots that it stood in. */
  #flush(): void {
    while (this.records.pending > 0) {
      try {
        this.records.flush();
      } catch (error) {
        this.#blame(error);
      }
    }
    for (const slot of this.#received) this.#arena.give(slot);
    this.#received.length = 0;
  }

  /** A machine threw inside a flush that it shares with others. */
  #blame(error: unknown): void {
    const peer = this.#dirty.find((candidate) => candidate.machine.isFaulted && !candidate.isFaulted);
    if (peer === undefined) throw error;
    this.#fault(peer, error);
  }

  #fault(peer: DrivenPeer, error: unknown): void {
    if (peer.isFaulted) return;
    peer.isFaulted = true;
    this.#remove(peer);
    // The application hears of it in a turn, as of everything.
    this.#faults.push({ peer, cause: error });
    this.#schedule();
  }

  #handleDeadlines(): void {
    const now = this.now();
    for (let peer = this.#deadlines.pop(now); peer !== undefined; peer = this.#deadlines.pop(now)) {
      this.wake(peer);
      try {
        peer.machine.handleTimeout(now);
      } catch (error) {
        this.#fault(peer, error);
      }
    }
  }

  #drain(peer: DrivenPeer): void {
    const { machine } = peer;
    try {
      const isDone = this.#drainEvents(peer);
      const { state } = machine;
      if (!isDone || !this.#drainDatagrams(peer) || !this.#drainEvents(peer)) this.wake(peer);
      else if (state === 'closed') this.#remove(peer);
      // It has a farewell to send.
      else if (machine.state === 'closed') this.wake(peer);
      this.#deadlines.schedule(peer, machine.pollTimeout());
    } catch (error) {
      this.#fault(peer, error);
    }
  }

  /** False where the budget is used up. */
  #drainEvents(peer: DrivenPeer): boolean {
    for (let left = eventBudget; left > 0; left--) {
      const event = peer.machine.pollEvent();
      if (event === undefined) return true;
      peer.handleEvent(event);
    }
    return false;
  }

  /** False where the budget is used up, or no slot is free. */
  #drainDatagrams(peer: DrivenPeer): boolean {
    const now = this.now();
    const { machine } = peer;
    for (let left = transmitBudget; left > 0; left--) {
      if (this.#batch.isStalled) return false;
      const slot = this.#arena.take();
      if (slot === -1) return false;
      const length = machine.pollTransmit(now, this.#arena.data, slot, slot + this.#arena.slotBytes);
      if (length === 0) {
        this.#arena.give(slot);
        return true;
      }
      this.stats.datagramsSent++;
      this.stats.datagramBytesSent += length;
      this.#batch.push(slot, length, machine.transmitPath!);
    }
    return false;
  }

  #armTimer(): void {
    const at = this.#deadlines.nextAt;
    if (at >= this.#timerAt) return;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAt = at;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(this.#handleTimer, Math.max(1, Math.ceil(at - this.now())));
  }

  readonly #handleTimer = (): void => {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#immediate !== undefined) clearImmediate(this.#immediate);
    this.#turn();
  };

  #drop(reason: string): void {
    this.stats.dropped[reason] = (this.stats.dropped[reason] ?? 0) + 1;
  }
}

/** Without the methods of `Buffer`, some of which differ from those of the array that it is. */
function plainBytes(data: Uint8Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.length);
}
