import { createRecordArena } from '@millrace/crypto';

/** Bytes in a buffer of their own, or within a record arena, where kernels work in place. */
export interface Room {
  readonly data: Uint8Array;
  /** The part to use. */
  readonly from: number;
  readonly to: number;
}

const guard = 0xa5;
const longest = 17_200;

/** Rooms filled with guard bytes; each one is valid until the next. */
export function roomMaker(inArena: boolean): (bytes: number) => Room {
  if (!inArena) return (bytes) => ({ data: new Uint8Array(bytes).fill(guard), from: 0, to: bytes });
  const arena = createRecordArena({ slotBytes: longest, slots: 1 });
  const from = arena.take();
  return (bytes) => {
    if (bytes > longest) throw new RangeError(`a room has at most ${longest} bytes`);
    arena.data.fill(guard, from, from + longest);
    return { data: arena.data, from, to: from + bytes };
  };
}

/** Whether nothing was written around [start, end). */
export function isGuarded(room: Room, start: number, end: number): boolean {
  const isGuard = (byte: number): boolean => byte === guard;
  return room.data.subarray(room.from, start).every(isGuard) && room.data.subarray(end, room.to).every(isGuard);
}
