import { expect, test } from 'vitest';
import { connect, createPair, isUp, pattern, run } from './support/node.ts';

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

test.each(seeds)('under loss, reordering and duplication every message arrives once and whole (seed %i)', (seed) => {
  const link = { delayMs: 20, jitterMs: 10, loss: 0.05, duplicate: 0.05, reorder: 0.05, reorderMs: 30 };
  const pair = connect(createPair({ seed, link }));
  const sent: { stream: number; unordered: boolean; data: Uint8Array }[] = [];
  const random = (n: number): number => {
    const bytes = new Uint8Array(4);
    pair.sim.random.fill(bytes);
    return ((bytes[0]! << 16) | (bytes[1]! << 8) | bytes[2]!) % n;
  };
  for (let i = 0; i < 150; i++) {
    const stream = i % 5;
    const unordered = stream === 3 || (stream === 4 && random(2) === 0);
    const data = pattern([1 + random(20), 1 + random(1200), 1 + random(20_000)][random(3)]! + 4, i);
    data[0] = i >> 8;
    data[1] = i;
    sent.push({ stream, unordered, data });
    pair.a.machine.send(pair.sim.now, stream, 53, data, { unordered });
  }
  expect(run(pair, 600_000, () => pair.b.messages.length >= sent.length)).toBe(true);
  run(pair, 5000);
  expect(pair.b.messages.length).toBe(sent.length);
  const got = pair.b.messages.map((m) => (m.data[0]! << 8) | m.data[1]!);
  expect(got.toSorted((x, y) => x - y)).toEqual(sent.map((_, i) => i));
  for (const [n, index] of got.entries()) {
    const wanted = sent[index]!;
    expect(pair.b.messages[n]!.streamId).toBe(wanted.stream);
    expect(Buffer.compare(pair.b.messages[n]!.data, wanted.data)).toBe(0);
  }
  // Ordered messages of a stream keep their order.
  for (let stream = 0; stream < 5; stream++) {
    const ordered = got.filter((i) => sent[i]!.stream === stream && !sent[i]!.unordered);
    expect(ordered).toEqual(ordered.toSorted((x, y) => x - y));
  }
  expect(pair.a.machine.bufferedBytes()).toBe(0);
  expect(pair.a.machine.stats.flightSize).toBe(0);
});
