import { open } from 'node:fs/promises';
import type { Sink } from './sink.ts';

/** A fresh file; one that is there is overwritten. Rejects where it can't be opened. */
export async function openFileSink(path: string): Promise<Sink> {
  const file = await open(path, 'w');
  return {
    async write(data) {
      for (let written = 0; written < data.length; ) {
        written += (await file.write(data, written, data.length - written)).bytesWritten;
      }
    },
    close: () => file.close(),
  };
}
