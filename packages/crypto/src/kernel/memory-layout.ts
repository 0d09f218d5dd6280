/*
 * A memory of the kernels:
 *
 *        0   CCM: descriptors of four lanes, constants, and of each lane a record from elsewhere and
 *            the keystream of a single record
 *   20 480   ChaCha20-Poly1305 (see kernels/chacha-memory.mjs), and a record from elsewhere
 *   64 KiB   a long record from elsewhere, and a long keystream of a single record
 *   100 KiB   keys
 *  2.5 MiB   keystream made ahead
 * 18.5 MiB   the arena, where there is one
 *
 * The platform gives pages when they are first written to, so what is not used costs nothing.
 */

/** The kernels protect so many records together. */
export const maxLanes = 4;
/** The longest payload that a lane takes. */
export const maxLanePayloadBytes = 2048;
/** The longest payload that one keystream covers. */
const maxStreamPayloadBytes = 16_384;

/** Keystream is made in groups of four blocks. */
const groupBytes = 64;
const streamRoom: number = 16 + maxLanePayloadBytes + groupBytes;
/** A record of ours or of others, its payload aligned: header, explicit nonce, payload, padding or tag. */
const recordRoom: number = 32 + maxLanePayloadBytes + 32;

export const laneDescriptorBytes = 128;
/** Sixteen zeros. */
export const zerosAt = 672;
const roomsAt = 1024;
const roomStride: number = recordRoom + streamRoom;

const longRoomAt = 65_536;

/** Header and explicit nonce of a record. */
export const recordHeadBytes = 21;
/** Makes the payload behind them aligned. */
const recordSkew = 11;

/** Where a record from elsewhere is put. Long ones share one room, and are never in a batch. */
export function recordRoomOf(place: number, payloadBytes: number): number {
  return recordSkew + (payloadBytes > maxLanePayloadBytes ? longRoomAt : roomsAt + place * roomStride);
}

/** Where the keystream of a single record is put. */
export function streamRoomOf(place: number, payloadBytes: number): number {
  if (payloadBytes > maxLanePayloadBytes) return longRoomAt + 32 + maxStreamPayloadBytes + 64;
  return roomsAt + place * roomStride + recordRoom;
}

export const keysAt = 102_400;
/** The most that a key and its companions take. */
export const keyRoomBytes = 288;

/** The state of ChaCha20: constants, key, counter and nonce in 16 words. */
export const chachaStateAt = 20_480;
const chachaZerosAt: number = chachaStateAt + 64 + 96 + 16 + 256;
/** Additional data of ChaCha20-Poly1305, padded with zeros. */
export const chachaAadAt: number = chachaZerosAt + 256;
export const maxChachaAadBytes = 1024;
const chachaMaskAt: number = chachaAadAt + maxChachaAadBytes + 16 + 32;
/** A record from elsewhere. */
export const chachaRoomAt: number = chachaMaskAt + 32;
/** Header, additional data and tag beside the longest payload of a record. */
export const maxChachaPayloadBytes: number = 16_384 + 256;

/** Ranges that are used for the record at work, and hold nothing that the next one needs. */
export const recordMemory: readonly (readonly [number, number])[] = [
  [0, maxLanes * laneDescriptorBytes],
  [roomsAt, roomsAt + maxLanes * roomStride],
  [chachaStateAt, chachaMaskAt],
  [chachaRoomAt, longRoomAt],
  [longRoomAt, keysAt],
];
export const maxKeys = 8192;

/** Bounds all keystream that is made ahead for the ciphers that work in one memory. */
export const poolBytes: number = 16 << 20;
export const poolAt = 2_621_440;
export const arenaAt: number = poolAt + poolBytes;
