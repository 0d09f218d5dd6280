import { randomUint32 } from '@millrace/core';
import { expect, test } from 'vitest';
import { connect, createPair, isUp, type Pair, pattern, run, type TestNode } from './support/node.ts';

test.each(['a', 'both'] as const)('an association comes up when %s calls', (callers) => {
  const pair = connect(createPair(), callers);
  run(pair, 1000);
  expect(isUp(pair)).toBe(true);
  for (const node of [pair.a, pair.b]) {
    expect(node.events).toEqual([{ type: 'connected', outgoingStreams: 65_535, incomingStreams: 65_535 }]);
  }
});

test('messages of any size go both ways', () => {
  const pair = connect(createPair());
  const sizes = [1, 2, 3, 4, 1000, 1131, 1132, 1133, 1200, 16_384, 65_536, 262_144, 1_000_000];
  for (const [i, size] of sizes.entries()) {
    pair.a.machine.send(pair.sim.now, 1, 53, pattern(size, i));
    pair.b.machine.send(pair.sim.now, 2, 51, pattern(size, i + 100), { unordered: true });
  }
  run(pair, 60_000, () => pair.a.messages.length + pair.b.messages.length === 2 * sizes.length);
  expect(pair.b.messages.map((m) => [m.streamId, m.ppid, m.data.length])).toEqual(sizes.map((size) => [1, 53, size]));
  for (const [i, size] of sizes.entries()) expect(Buffer.compare(pair.b.messages[i]!.data, pattern(size, i))).toBe(0);
  for (const message of pair.b.messages) expect(message.data.buffer.byteLength).toBe(message.data.length);
  const unordered = pair.a.messages.map((m) => m.data.length).toSorted((x, y) => x - y);
  expect(unordered).toEqual(sizes);
  run(pair, 1000);
  expect(pair.a.machine.bufferedBytes()).toBe(0);
  expect(pair.a.machine.stats.retransmittedChunks).toBe(0);
});

const seeds = Array.from({ length: 50 }, (_, i) => i + 1);

interface Sent {
  readonly stream: number;
  readonly unordered: boolean;
  readonly data: Uint8Array;
}

/** Queues messages of many sizes on five streams: 0 to 2 ordered, 3 unordered, 4 both. Each begins with its number. */
function sendMixed(pair: Pair, from: TestNode, count: number): Sent[] {
  const random = (n: number): number => randomUint32(pair.sim.random) % n;
  return Array.from({ length: count }, (_, i) => {
    const stream = i % 5;
    const unordered = stream === 3 || (stream === 4 && random(2) === 0);
    const data = pattern([1 + random(20), 1 + random(1200), 1 + random(20_000)][random(3)]! + 4, i);
    data[0] = i >> 8;
    data[1] = i;
    from.machine.send(pair.sim.now, stream, 53, data, { unordered });
    return { stream, unordered, data };
  });
}

/** Every message once, whole, on its stream, and in order where that was asked for. */
function expectMixed(to: TestNode, sent: readonly Sent[]): void {
  expect(to.messages.length).toBe(sent.length);
  const got = to.messages.map((m) => (m.data[0]! << 8) | m.data[1]!);
  expect(got.toSorted((x, y) => x - y)).toEqual(sent.map((_, i) => i));
  for (const [n, index] of got.entries()) {
    expect(to.messages[n]!.streamId).toBe(sent[index]!.stream);
    expect(Buffer.compare(to.messages[n]!.data, sent[index]!.data)).toBe(0);
  }
  for (let stream = 0; stream < 5; stream++) {
    const ordered = got.filter((i) => sent[i]!.stream === stream && !sent[i]!.unordered);
    expect(ordered).toEqual(ordered.toSorted((x, y) => x - y));
  }
}

test.each(seeds)(
  'under loss, reordering and duplication every message arrives once and whole, then both ends close (seed %i)',
  (seed) => {
    const link = { delayMs: 20, jitterMs: 10, loss: 0.05, duplicate: 0.05, reorder: 0.05, reorderMs: 30 };
    const pair = connect(createPair({ seed, link }));
    const { a, b } = pair;
    const up = sendMixed(pair, a, 100);
    const down = sendMixed(pair, b, 100);
    // Every second time the shutdown begins while all of it is still queued.
    if (seed % 2 === 0) a.machine.shutdown(pair.sim.now);
    expect(run(pair, 600_000, () => b.messages.length >= up.length && a.messages.length >= down.length)).toBe(true);
    a.machine.shutdown(pair.sim.now);
    expect(run(pair, 600_000, () => a.machine.state === 'closed' && b.machine.state === 'closed')).toBe(true);
    run(pair, 5000);
    expectMixed(b, up);
    expectMixed(a, down);
    for (const { machine, events } of [a, b]) {
      expect(events.filter((event) => event.type === 'closed')).toEqual([{ type: 'closed' }]);
      expect(machine.bufferedBytes()).toBe(0);
      expect(machine.stats.flightSize).toBe(0);
      expect(machine.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
    }
  },
);
