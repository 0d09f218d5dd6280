import { expect, test } from 'vitest';
import { connect, createPair, pattern, run } from './support/node.ts';
import { dataChunk, RawPeer, sacks } from './support/raw-peer.ts';

function opened(options: ConstructorParameters<typeof RawPeer>[0] = {}): RawPeer {
  const peer = new RawPeer(options);
  peer.open();
  return peer;
}

/** A peer whose slow start is over: `sent` packets have arrived one by one. */
function settled(packets = 201): { peer: RawPeer; next: number } {
  const peer = opened();
  for (let i = 0; i < packets; i++) peer.send(dataChunk(1000 + i, 'x', { unordered: true }));
  peer.advance(300);
  return { peer, next: 1000 + packets };
}

test('the first packet is acknowledged at once, the next after 200 ms', () => {
  const peer = opened();
  expect(sacks(peer.send(dataChunk(1000, 'a'))).length).toBe(1);
  expect(sacks(peer.send(dataChunk(1001, 'b', { ssn: 1 })))).toEqual([]);
  expect(sacks(peer.advance(199))).toEqual([]);
  expect(sacks(peer.advance(1)).map((s) => s.cumulative)).toEqual([1001]);
});

test('S20: every second packet is acknowledged without waiting, and the I bit at once', () => {
  const peer = opened();
  peer.send(dataChunk(1000, 'a', { unordered: true }));
  const counts: number[] = [];
  for (let i = 1; i <= 6; i++) counts.push(sacks(peer.send(dataChunk(1000 + i, 'x', { unordered: true }))).length);
  expect(counts).toEqual([0, 1, 0, 1, 0, 1]);
  expect(sacks(peer.send(dataChunk(1007, 'x', { unordered: true, immediate: true }))).length).toBe(1);
});

test('in slow start packets of one turn have a SACK for every second, each with its own cumulative TSN', () => {
  const peer = opened();
  peer.send(dataChunk(1000, 'a', { unordered: true }));
  for (let i = 1; i <= 10; i++) peer.deliver(peer.peerTag, dataChunk(1000 + i, 'x', { unordered: true }));
  expect(sacks(peer.drain()).map((s) => s.cumulative)).toEqual([1002, 1004, 1006, 1008, 1010]);
  expect(sacks(peer.advance(1000))).toEqual([]);
});

test('after slow start packets of one turn share a SACK, at least one per eight', () => {
  const { peer, next } = settled();
  for (let i = 0; i < 20; i++) peer.deliver(peer.peerTag, dataChunk(next + i, 'x', { unordered: true }));
  expect(sacks(peer.drain()).map((s) => s.cumulative)).toEqual([next + 7, next + 19]);
  // A second of idleness may have sent the peer back to slow start.
  peer.advance(1500);
  for (let i = 20; i < 24; i++) peer.deliver(peer.peerTag, dataChunk(next + i, 'x', { unordered: true }));
  expect(sacks(peer.drain()).map((s) => s.cumulative)).toEqual([next + 21, next + 23]);
});

test('S19: a gap is told at once, and every packet while it is there', () => {
  const { peer, next } = settled();
  expect(sacks(peer.send(dataChunk(next + 1, 'x', { unordered: true })))).toMatchObject([
    { cumulative: next - 1, blocks: [[2, 2]] },
  ]);
  expect(sacks(peer.send(dataChunk(next + 2, 'x', { unordered: true })))).toMatchObject([{ blocks: [[2, 3]] }]);
  expect(sacks(peer.send(dataChunk(next, 'x', { unordered: true })))).toMatchObject([{ cumulative: next + 2, blocks: [] }]);
});

test('a duplicate is told at once, and once', () => {
  const { peer, next } = settled();
  const [sack] = sacks(peer.send(dataChunk(next - 1, 'x')));
  expect(sack!.duplicates).toEqual([next - 1]);
  expect(sacks(peer.send(dataChunk(next, 'y', { unordered: true, immediate: true })))[0]!.duplicates).toEqual([]);
});

test('duplicates that a SACK reports are bounded', () => {
  const { peer, next } = settled();
  for (let i = 0; i < 500; i++) peer.deliver(peer.peerTag, dataChunk(next - 1, 'x'));
  const all = sacks(peer.drain());
  expect(all.at(-1)!.duplicates.length).toBe(16);
});

test('S15: gap blocks are right when TSNs wrap', () => {
  const peer = opened({ initialTsn: 0xffff_fffe });
  const t = 0xffff_fffe;
  peer.send(dataChunk(t, 'a', { unordered: true }));
  expect(sacks(peer.send(dataChunk(t + 2, 'c', { unordered: true })))).toMatchObject([{ cumulative: t, blocks: [[2, 2]] }]);
  expect(sacks(peer.send(dataChunk(t + 5, 'f', { unordered: true })))).toMatchObject([
    {
      cumulative: t,
      blocks: [
        [2, 2],
        [5, 5],
      ],
    },
  ]);
  expect(sacks(peer.send(dataChunk(t + 1, 'b', { unordered: true })))).toMatchObject([{ cumulative: 0, blocks: [[3, 3]] }]);
  expect(peer.texts).toEqual(['a', 'c', 'f', 'b']);
});

test('S15: transfer goes on when the sender wraps its TSNs, with loss', () => {
  // The tag and the initial TSN are the only draws of this end before it connects, after the cookie secret.
  let draw = 0;
  const random = {
    fill(target: Uint8Array, start = 0, end = target.length): void {
      target.fill(draw++ === 2 ? 0xff : 0x11 * draw, start, end);
    },
  };
  const pair = connect(createPair({ a: { random }, link: { delayMs: 5, loss: 0.05 } }), 'a');
  for (let i = 0; i < 100; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(2000, i));
  expect(run(pair, 300_000, () => pair.b.messages.length === 100)).toBe(true);
  expect(pair.b.messages.every((m, i) => Buffer.compare(m.data, pattern(2000, i)) === 0)).toBe(true);
});

test('SSNs wrap without a stop', () => {
  const peer = opened();
  for (let i = 0; i < 70_000; i++) {
    peer.deliver(peer.peerTag, dataChunk(1000 + i, 'x', { ssn: i & 0xffff }));
    if (i % 16 === 0) peer.drain();
  }
  peer.drain();
  expect(peer.events.filter((e) => e.type === 'message').length).toBe(70_000);
});

test('S16: gap blocks are ascending, disjoint and not adjacent, whatever the order of arrival', () => {
  const peer = opened();
  const order = [5, 3, 9, 4, 12, 7, 11, 20, 13, 2, 18, 19];
  const seen = new Set<number>();
  peer.send(dataChunk(1000, 'a', { unordered: true }));
  for (const offset of order) {
    seen.add(offset);
    const { blocks, cumulative } = sacks(peer.send(dataChunk(1000 + offset, 'x', { unordered: true })))[0]!;
    expect(cumulative).toBe(1000);
    const named: number[] = [];
    for (const [i, [start, end]] of blocks.entries()) {
      expect(start).toBeLessThanOrEqual(end);
      if (i > 0) expect(start).toBeGreaterThan(blocks[i - 1]![1] + 1);
      for (let t = start; t <= end; t++) named.push(t);
    }
    expect(named).toEqual([...seen].toSorted((x, y) => x - y));
  }
});

test('S17: a SACK with more gaps than a packet holds is cut to the packet', () => {
  const peer = opened();
  for (let i = 0; i < 600; i++) peer.deliver(peer.peerTag, dataChunk(1001 + 2 * i, 'x', { unordered: true }));
  const all = sacks(peer.drain());
  expect(Math.max(...peer.packetLengths)).toBeLessThanOrEqual(1163);
  expect(all.at(-1)!.blocks.length).toBe(Math.floor((1163 - 12 - 16) / 4));
  expect(all.at(-1)!.blocks[0]).toEqual([2, 2]);
});

test('holes are bounded: beyond 8192 ranges a chunk that makes another is dropped until one is filled', () => {
  const peer = opened();
  for (let i = 0; i < 8300; i++) {
    peer.deliver(peer.peerTag, dataChunk(1001 + 2 * i, 'x', { unordered: true }));
    if (i % 64 === 0) peer.drain();
  }
  expect(peer.association.stats.dropped['tsn-too-far']).toBe(8300 - 8192);
});

test('S21: a small message is not held back for the acknowledgement of the one before', () => {
  const pair = connect(createPair());
  pair.a.onDrain = undefined;
  for (let i = 0; i < 10; i++) {
    pair.a.machine.send(pair.sim.now, 1, 51, pattern(10, i));
    run(pair, 20);
  }
  const gaps = pair.b.messages.slice(1).map((m, i) => m.at - pair.b.messages[i]!.at);
  expect(gaps.every((gap) => gap === 20)).toBe(true);
});

test('a block that is longer than 16 bits can say is told as far as they reach', () => {
  const peer = opened({ limits: { receiveBufferBytes: 1 << 28 } });
  const ones = Array.from({ length: 60 }, (_, i) => i);
  for (let first = 1001; first <= 1000 + 66_000; first += ones.length) {
    peer.deliver(peer.peerTag, ...ones.map((i) => dataChunk(first + i, 'x', { unordered: true })));
  }
  expect(sacks(peer.drain()).at(-1)!.blocks).toEqual([[2, 65_535]]);
});
