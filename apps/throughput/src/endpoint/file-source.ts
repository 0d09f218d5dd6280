import { open } from 'node:fs/promises';
import type { Source } from './source.ts';

/** The bytes of a file, from its beginning. Rejects where it can't be opened. */
export async function openFileSource(path: string): Promise<Source> {
  const file = await open(path, 'r');
  return {
    async fill(target) {
      let filled = 0;
      while (filled < target.length) {
        const { bytesRead } = await file.read(target, filled, target.length - filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    close: () => file.close(),
  };
}
