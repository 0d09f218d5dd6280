import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@millrace/datachannel/server';

/** Resolves when the other side has acknowledged all that was sent. Rejects where the channel closes first. */
export async function drained(channel: Channel): Promise<void> {
  while (channel.bufferedAmount > 0) {
    if (channel.state !== 'open') throw new Error('the channel closed before everything had arrived');
    await sleep(1);
  }
}
