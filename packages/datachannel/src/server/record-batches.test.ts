import { generateCertificate, type RecordQueue } from '@millrace/crypto';
import { afterEach, expect, test, vi } from 'vitest';
import type { Channel } from '../channel-types.ts';
import { closeAll, connect, listen, messages, once } from './testing/connect.ts';
import type { Server } from './types.ts';

/** The flushes of each queue, in the order of the servers: how many records they protected. */
const flushes = vi.hoisted(() => [] as number[][]);

vi.mock('@millrace/crypto', async (original) => {
  const crypto = await original<{ createRecordQueue(...args: unknown[]): RecordQueue }>();
  return {
    ...crypto,
    createRecordQueue: (...args: unknown[]) => {
      const queue = crypto.createRecordQueue(...args);
      const sizes: number[] = [];
      flushes.push(sizes);
      const flush = queue.flush.bind(queue);
      queue.flush = () => {
        if (queue.pending > 0) sizes.push(queue.pending);
        flush();
      };
      return queue;
    },
  };
});

afterEach(async () => {
  await closeAll();
  flushes.length = 0;
});

const ccm = { cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_128_CCM'] } as const;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** What the server of this number has protected since its flushes were last forgotten. */
function expectBatches(server: Server, number: number): void {
  const { sealed, opened, meanBatch } = server.stats().records;
  expect(sealed + opened).toBeGreaterThan(200);
  expect(median(flushes[number]!), flushes[number]!.slice(0, 60).join(' ')).toBeGreaterThanOrEqual(4);
  expect(meanBatch).toBeGreaterThan(1);
}

test('records of a bulk transfer are protected several at a time, on both sides', async () => {
  const servers = await Promise.all([listen(ccm), listen(ccm)]);
  const { offerer, answerer } = await connect(...servers);
  const arriving = once(answerer, 'channel');
  const near = offerer.createChannel('bulk');
  const far = await arriving;
  for (const sizes of flushes) sizes.length = 0;
  const count = 1000;
  const received = messages(far, count);
  for (let i = 0; i < count; i++) if (!near.send(new Uint8Array(16_384))) await near.writable();
  await received;
  expectBatches(servers[0], 0);
  expectBatches(servers[1], 1);
});

test('records of a fan-out to 200 peers are protected several at a time', async () => {
  const certificate = await generateCertificate();
  const server = await listen({ ...ccm, certificate });
  const channels: Channel[] = [];
  const readers: Channel[] = [];
  for (let i = 0; i < 200; i++) {
    // Each on a port of its own.
    const { offerer, answerer } = await connect(server, await listen({ ...ccm, certificate }));
    const arriving = once(answerer, 'channel');
    channels.push(offerer.createChannel('news'));
    readers.push(await arriving);
  }
  for (const sizes of flushes) sizes.length = 0;
  const rounds = 20;
  const received = readers.map((reader) => messages(reader, rounds));
  for (let round = 0; round < rounds; round++) {
    for (const channel of channels) channel.send(`round ${round}`);
    await new Promise((done) => setTimeout(done, 5));
  }
  await Promise.all(received);
  expectBatches(server, 0);
});
