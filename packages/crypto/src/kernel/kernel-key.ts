import { keyRoomBytes, keysAt, maxKeys, recordMemory } from './memory-layout.ts';

/** The key of one cipher as its kernels take it, at most `keyRoomBytes` long, and where it stands. */
export class KernelKey {
  readonly bytes: Uint8Array;
  readonly #places = new Map<KeyRooms, number>();
  /** The place that was asked for last: mostly there is one only. */
  #last: KeyRooms | undefined;
  #lastAt = 0;

  /** @param bytes are the key's from here on. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  isIn(rooms: KeyRooms): boolean {
    return this.#places.has(rooms);
  }

  /** Where the key stands in a memory. It is put there when first asked for, which may evict another. */
  addressIn(rooms: KeyRooms): number {
    if (this.#last === rooms) return this.#lastAt;
    const at = this.#places.get(rooms) ?? rooms.take(this);
    this.#places.set(rooms, at);
    this.#last = rooms;
    this.#lastAt = at;
    return at;
  }

  /** The key has lost its place. */
  handleEviction(rooms: KeyRooms): void {
    this.#places.delete(rooms);
    this.#last = undefined;
  }

  /** Zeroes the key and all copies. */
  destroy(): void {
    for (const [rooms, at] of this.#places) rooms.give(at);
    this.#places.clear();
    this.#last = undefined;
    this.bytes.fill(0);
  }
}

/** The part of a kernel's memory that holds keys. */
export class KeyRooms {
  readonly #bytes: Uint8Array;
  readonly #owners: (KernelKey | undefined)[] = [];
  readonly #free: number[] = [];
  #oldest = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isFull(): boolean {
    return this.#free.length === 0 && this.#owners.length === maxKeys;
  }

  /** Copies a key in and returns its address. */
  take(key: KernelKey): number {
    const room = this.#free.pop() ?? (this.#owners.length < maxKeys ? this.#owners.length : this.#evict());
    const at = keysAt + keyRoomBytes * room;
    this.#owners[room] = key;
    this.#bytes.set(key.bytes, at);
    return at;
  }

  give(at: number): void {
    const room = (at - keysAt) / keyRoomBytes;
    this.#owners[room] = undefined;
    this.#free.push(room);
    this.#bytes.fill(0, at, at + keyRoomBytes);
    // What the kernels still know of the last records may be of this key.
    for (const [start, end] of recordMemory) this.#bytes.fill(0, start, end);
  }

  #evict(): number {
    const room = this.#oldest;
    this.#oldest = (room + 1) % maxKeys;
    this.#owners[room]!.handleEviction(this);
    return room;
  }
}
