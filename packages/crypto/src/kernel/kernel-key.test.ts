import { describe, expect, test } from 'vitest';
import { createCcmKey } from './ccm-key.ts';
import { type KernelKey, KeyRooms } from './kernel-key.ts';
import { keysAt, maxKeys, poolAt } from './memory-layout.ts';

function createKey(number: number): KernelKey {
  return createCcmKey(
    Uint8Array.from({ length: 16 }, (_, i) => (i < 2 ? number >>> (8 * i) : i)),
    16,
  );
}

describe('keys in the memory of the kernels', () => {
  test('a key keeps its place while there is room, and is zeroed on destroy', () => {
    const bytes = new Uint8Array(poolAt);
    const rooms = new KeyRooms(bytes);
    const [first, second] = [createKey(1), createKey(2)];
    const at = first.addressIn(rooms);
    expect(second.addressIn(rooms)).not.toBe(at);
    expect(first.addressIn(rooms)).toBe(at);
    expect(bytes.subarray(at, at + first.bytes.length)).toEqual(first.bytes);
    first.destroy();
    second.destroy();
    expect(first.bytes.every((byte) => byte === 0)).toBe(true);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });

  test('with more keys than room the one that waits longest makes place, and comes back', () => {
    const bytes = new Uint8Array(poolAt);
    const rooms = new KeyRooms(bytes);
    const keys = Array.from({ length: maxKeys }, (_, i) => createKey(i));
    for (const key of keys) {
      const at = key.addressIn(rooms);
      expect(at >= keysAt && at + key.bytes.length <= poolAt).toBe(true);
    }
    expect(rooms.isFull).toBe(true);
    const late = createKey(maxKeys);
    const at = late.addressIn(rooms);
    expect(at).toBe(keysAt);
    expect(keys[0]!.isIn(rooms)).toBe(false);
    expect(keys[1]!.isIn(rooms)).toBe(true);
    const again = keys[0]!.addressIn(rooms);
    expect(bytes.subarray(again, again + late.bytes.length)).toEqual(keys[0]!.bytes);
    expect(keys[1]!.isIn(rooms)).toBe(false);
    late.destroy();
    expect(rooms.isFull).toBe(false);
  });
});
