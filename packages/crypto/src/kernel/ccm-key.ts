import { expandKey, scheduleBytes } from './expand-key.ts';
import { keysAt, maxKeys, recordMemory } from './memory-layout.ts';

const templateOffset: number = scheduleBytes(32);
const tagMaskOffset: number = templateOffset + 16;
const keyRoomBytes: number = tagMaskOffset + 16;

/** The expanded key of one cipher with what else the kernels ask of it (see kernels/ccm-kernel.mjs). */
export class CcmKey {
  readonly bytes: Uint8Array = new Uint8Array(keyRoomBytes);
  readonly #places = new Map<KeyRooms, number>();
  /** The place that was asked for last: mostly there is one only. */
  #last: KeyRooms | undefined;
  #lastAt = 0;

  /** @param salt the first four bytes of the nonces of records, for those who protect whole records. */
  constructor(key: Uint8Array, tagBytes: 8 | 16, salt?: Uint8Array) {
    expandKey(key, this.bytes, 0);
    this.bytes[templateOffset] = 0x40 | ((tagBytes - 2) << 2) | 2;
    if (salt !== undefined) this.bytes.set(salt, templateOffset + 1);
    this.bytes.fill(0xff, tagMaskOffset, tagMaskOffset + tagBytes);
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
  readonly #owners: (CcmKey | undefined)[] = [];
  readonly #free: number[] = [];
  #oldest = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isFull(): boolean {
    return this.#free.length === 0 && this.#owners.length === maxKeys;
  }

  /** Copies a key in and returns its address. */
  take(key: CcmKey): number {
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
