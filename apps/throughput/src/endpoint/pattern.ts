import type { Source } from './source.ts';

const blockBytes = 1024;
const tileBytes = 1024 * blockBytes;

/**
 * Bytes without end that are the same in every run: noise, and every 1024 bytes the number of the
 * block, so that a block that is lost, doubled or moved changes the hash.
 */
export function createPatternSource(): Source {
  const tile = createTile();
  let position = 0;
  return {
    fill(target) {
      for (let at = 0; at < target.length; at += tile.length) target.set(tile.subarray(0, target.length - at), at);
      const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
      for (let at = 0; at + 8 <= target.length; at += blockBytes) view.setFloat64(at, position + at);
      position += target.length;
      return Promise.resolve(target.length);
    },
    close: () => Promise.resolve(),
  };
}

/** Noise by xorshift32: nothing between the two ends may find it easy. */
function createTile(): Uint8Array {
  const words = new Uint32Array(tileBytes / 4);
  let state = 0x6d696c6c;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  return new Uint8Array(words.buffer);
}
