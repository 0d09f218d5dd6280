import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom, randomUint32 } from '@millrace/core';
import { createServer, type Peer, type Server } from '@millrace/datachannel/server';
import { expect, test } from 'vitest';
import { transfer, type TransferCounts } from './transfer.ts';

const minutes = Number(process.env['MILLRACE_SOAK_MINUTES'] ?? 10);
const seed = Number(process.env['MILLRACE_SOAK_SEED'] ?? 1);
const mebibyte = 1 << 20;
const peersPerRound = 8;

test(`connects, sends and closes at random for ${minutes} minutes, with seed ${seed}`, async () => {
  const random = seededRandom(seed);
  // Each pair of ports carries one connection, so the offering ends have a port each.
  const clients = await Promise.all(Array.from({ length: peersPerRound }, () => createServer({ addresses: ['127.0.0.1'] })));
  const server = await createServer({ addresses: ['127.0.0.1'] });
  const servers = [...clients, server];
  const counts: TransferCounts = { messages: 0, bytes: 0 };
  const heap: number[] = [];
  const failures: Error[] = [];
  for (const one of servers) one.on('error', (error) => failures.push(error));
  const end = Date.now() + minutes * 60_000;
  for (let round = 0; round < 4 || Date.now() < end; round++) {
    await runRound(round);
    expect(failures).toEqual([]);
    expect(servers.filter((one) => one.stats().peers > 0)).toEqual([]);
    globalThis.gc!();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    heap.push(heapUsed + arrayBuffers);
    const total = `${counts.messages} messages, ${(counts.bytes / mebibyte).toFixed(0)} MiB`;
    console.log(`round ${round}: ${total}, heap ${(heap.at(-1)! / mebibyte).toFixed(1)} MiB`);
  }
  await Promise.all(servers.map((one) => one.close()));
  // The first rounds warm everything up; from there on memory must not grow with what was done.
  const [early, late] = [heap.slice(1, 1 + Math.ceil(heap.length / 3)), heap.slice(-Math.ceil(heap.length / 3))];
  expect(Math.min(...late)).toBeLessThan(Math.min(...early) * 1.2 + 4 * mebibyte);

  async function runRound(round: number): Promise<void> {
    const pairs = await Promise.all(clients.map((client) => connect(client, server)));
    await Promise.all(
      pairs.map(async ([one, other], index) => {
        const transfers = Array.from({ length: 1 + (randomUint32(random) % 4) }, (_, channel) => {
          const [from, to] = randomUint32(random) % 2 === 0 ? [one, other] : [other, one];
          return transfer(random, from, to, `${round}.${index}.${channel}`, counts);
        });
        // Every fourth pair loses one side in the middle of it.
        if (randomUint32(random) % 4 === 0) {
          await sleep(randomUint32(random) % 300);
          await one.close();
        }
        await Promise.all(transfers);
        await Promise.all([one.close(), other.close()]);
      }),
    );
  }
});

async function connect(offering: Server, answering: Server): Promise<[Peer, Peer]> {
  const offer = await offering.offer();
  const { peer, sdp } = await answering.answer(offer.sdp);
  const up = Promise.all([offer.peer, peer].map(connected));
  await offer.accept(sdp);
  await up;
  return [offer.peer, peer];
}

function connected(peer: Peer): Promise<void> {
  return new Promise((done, fail) => {
    peer.once('connected', done);
    peer.once('close', (error) => fail(error ?? new Error('a peer closed before it was connected')));
  });
}
