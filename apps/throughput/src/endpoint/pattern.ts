import { randomBytes, seededRandom } from '@millrace/core';
import type { Source } from './source.ts';

const blockBytes = 1024;
const tile: Uint8Array = randomBytes(seededRandom(0x6d696c6c), 1024 * blockBytes);

/**
 * Bytes without end that are the same in every run: noise, and every 1024 bytes the number of the
 * block, so that a block that is lost, doubled or moved changes the hash.
 */
export function createPatternSource(): Source {
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
