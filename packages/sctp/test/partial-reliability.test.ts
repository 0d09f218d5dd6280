import { readUint16, readUint32, wrap32 } from '@millrace/core';
import { expect, test } from 'vitest';
import { chunkType } from '../src/packet/chunk-type.ts';
import { connect, createPair, pattern, run } from './support/node.ts';
import { dataChunk, forwardTsnChunk, RawPeer, type SeenChunk, sackChunk, sacks, tsns } from './support/raw-peer.ts';

interface SeenForwardTsn {
  /** Relative to the association's initial TSN. */
  readonly newCumulative: number;
  readonly streams: [number, number][];
}

function forwards(peer: RawPeer, chunks: readonly SeenChunk[]): SeenForwardTsn[] {
  return chunks
    .filter((chunk) => chunk.type === chunkType.forwardTsn)
    .map(({ bytes }) => ({
      newCumulative: wrap32(readUint32(bytes, 4) - peer.peerInitialTsn),
      streams: Array.from({ length: (bytes.length - 8) / 4 }, (_, i) => [
        readUint16(bytes, 8 + 4 * i),
        readUint16(bytes, 10 + 4 * i),
      ]),
    }));
}

function openPeer(options: ConstructorParameters<typeof RawPeer>[0] = {}): RawPeer {
  const peer = new RawPeer(options);
  peer.open();
  return peer;
}

const once = { maxRetransmits: 0 };

test('S37: the sender lists each stream once, with its highest SSN', () => {
  const peer = openPeer();
  for (const stream of [1, 2, 1, 1]) peer.association.send(peer.now, stream, 53, pattern(1100), once);
  peer.drain();
  peer.association.send(peer.now, 3, 53, pattern(1100));
  peer.drain();
  expect(forwards(peer, peer.advance(1000))).toEqual([
    {
      newCumulative: 3,
      streams: [
        [1, 2],
        [2, 0],
      ],
    },
  ]);
});

test('S37: a stream that is listed twice is skipped to the later of its numbers', () => {
  for (const streams of [
    [
      [1, 0],
      [1, 1],
    ],
    [
      [1, 1],
      [1, 0],
    ],
  ] as [number, number][][]) {
    const peer = openPeer();
    peer.send(dataChunk(1002, 'third', { streamId: 1, ssn: 2 }));
    expect(peer.texts).toEqual([]);
    const answer = peer.send(forwardTsnChunk(1001, streams));
    expect(peer.texts).toEqual(['third']);
    expect(sacks(answer)).toMatchObject([{ cumulative: 1002, blocks: [] }]);
  }
});

test('S38: the sender lists no SSN for unordered messages', () => {
  const peer = openPeer();
  peer.association.send(0, 1, 53, pattern(1100), { ...once, unordered: true });
  peer.association.send(0, 1, 53, pattern(1100), { ...once, unordered: true });
  peer.drain();
  expect(forwards(peer, peer.advance(1000))).toEqual([{ newCumulative: 1, streams: [] }]);
  // The stream's own order has not moved.
  peer.send(sackChunk(peer.peerInitialTsn + 1));
  peer.association.send(peer.now, 1, 53, pattern(10));
  const [data] = peer.drain().filter(({ type }) => type === chunkType.data);
  expect(readUint16(data!.bytes, 10)).toBe(0);
});

test('S38: unordered messages given up by the peer leave the order of the stream alone', () => {
  const peer = openPeer();
  peer.send(forwardTsnChunk(1000));
  peer.send(dataChunk(1001, 'first', { streamId: 1, ssn: 0 }));
  expect(peer.texts).toEqual(['first']);
});

test('S39: fragments of unordered messages are purged by their TSN', () => {
  const receiveBufferBytes = 20_000;
  const peer = openPeer({ limits: { receiveBufferBytes } });
  // Every message lacks its first fragment, so that they are stored.
  for (let i = 0; i < 9; i++) {
    peer.send(dataChunk(1001 + 2 * i, pattern(1000), { begin: false, end: false, unordered: true }));
  }
  const before = sacks(peer.send(dataChunk(1019, 'x', { begin: false, unordered: true }))).at(-1)!;
  expect(before.aRwnd).toBeLessThan(receiveBufferBytes - 9000);
  const after = sacks(peer.send(forwardTsnChunk(1019))).at(-1)!;
  expect(after).toMatchObject({ cumulative: 1019, aRwnd: receiveBufferBytes });
});

test('S40: a FORWARD-TSN into the middle of a message drops the rest of it', () => {
  const peer = openPeer();
  peer.send(dataChunk(1000, 'begin', { streamId: 1, end: false }));
  peer.send(forwardTsnChunk(1001, [[1, 0]]));
  peer.send(dataChunk(1002, 'middle', { streamId: 1, begin: false, end: false }));
  peer.send(dataChunk(1003, 'end', { streamId: 1, begin: false }));
  const answer = peer.send(dataChunk(1004, 'next', { streamId: 1, ssn: 1 }));
  expect(peer.texts).toEqual(['next']);
  expect(sacks([...answer, ...peer.advance(200)]).at(-1)!.cumulative).toBe(1004);
  expect(peer.association.state).toBe('established');
});

test('S40: a FORWARD-TSN for messages that never came is obeyed', () => {
  const peer = openPeer();
  expect(sacks(peer.send(forwardTsnChunk(1009, [[1, 9]])))).toMatchObject([{ cumulative: 1009 }]);
  peer.send(dataChunk(1010, 'tenth', { streamId: 1, ssn: 10 }));
  expect(peer.texts).toEqual(['tenth']);
});

test('whole messages that waited are delivered when those before them are given up', () => {
  const peer = openPeer();
  peer.send(dataChunk(1001, 'one', { streamId: 1, ssn: 1 }));
  peer.send(dataChunk(1003, 'three', { streamId: 1, ssn: 3 }));
  peer.send(dataChunk(1004, 'four', { streamId: 1, ssn: 4 }));
  peer.send(forwardTsnChunk(1002, [[1, 2]]));
  expect(peer.texts).toEqual(['one', 'three', 'four']);
});

test('an old FORWARD-TSN is acknowledged at once and changes nothing', () => {
  const peer = openPeer();
  peer.send(dataChunk(1000, 'zero', { streamId: 1 }), dataChunk(1001, 'one', { streamId: 1, ssn: 1 }));
  expect(sacks(peer.send(forwardTsnChunk(1000, [[1, 0]])))).toMatchObject([{ cumulative: 1001 }]);
  peer.send(dataChunk(1002, 'two', { streamId: 1, ssn: 2 }));
  expect(peer.texts).toEqual(['zero', 'one', 'two']);
});

test('S42: a FORWARD-TSN absurdly far ahead is dropped and counted', () => {
  const peer = openPeer();
  peer.send(forwardTsnChunk(1000 + 2 ** 30, [[1, 5]]));
  expect(peer.association.stats.dropped).toMatchObject({ 'tsn-too-far': 1 });
  peer.send(dataChunk(1000, 'first', { streamId: 1 }));
  expect(peer.texts).toEqual(['first']);
});

test('S42: a FORWARD-TSN from a peer that has not announced it is dropped and counted', () => {
  const peer = new RawPeer();
  peer.open({ forwardTsn: false });
  peer.send(forwardTsnChunk(1004, [[1, 4]]));
  expect(peer.association.stats.dropped).toMatchObject({ 'unknown-chunk': 1 });
  peer.send(dataChunk(1000, 'first', { streamId: 1 }));
  expect(peer.texts).toEqual(['first']);
});

test('everything is reliable towards a peer that does not know FORWARD-TSN', () => {
  const peer = new RawPeer();
  peer.open({ forwardTsn: false });
  peer.association.send(0, 1, 53, pattern(100), once);
  expect(tsns(peer, peer.drain())).toEqual([0]);
  expect(tsns(peer, peer.advance(3000))).toEqual([0, 0]);
});

test('S44: what is given up leaves the flight, and a reliable sibling keeps sending under loss', () => {
  const seed = 4404;
  const pair = connect(createPair({ seed, link: { delayMs: 20, loss: 0.2 } }));
  const reliable = 60;
  let lossy = 0;
  pair.a.onDrain = (now) => {
    while (pair.a.machine.bufferedBytes(1) < 20_000 && lossy < 400) {
      pair.a.machine.send(now, 1, 53, pattern(5000, lossy++), { ...once, unordered: true });
    }
  };
  for (let i = 0; i < reliable; i++) pair.a.machine.send(pair.sim.now, 2, 53, pattern(3000, i));
  const done = run(pair, 900_000, () => pair.a.machine.bufferedBytes() === 0 && lossy === 400);
  expect(done).toBe(true);
  expect(pair.b.messages.filter(({ streamId }) => streamId === 2).map(({ data }) => data)).toEqual(
    Array.from({ length: reliable }, (_, i) => pattern(3000, i)),
  );
  expect(pair.a.machine.stats.abandonedMessages).toBeGreaterThan(20);
  expect(run(pair, 60_000, () => pair.a.machine.stats.flightSize === 0)).toBe(true);
});

test.each([0, 1, 3])('S45: maxRetransmits is the first transmission and that many more: %i', (maxRetransmits) => {
  const peer = openPeer();
  peer.association.send(0, 1, 53, pattern(100), { maxRetransmits });
  const seen = [...peer.drain(), ...peer.advance(200_000)];
  expect(tsns(peer, seen)).toHaveLength(1 + maxRetransmits);
  expect(forwards(peer, seen)[0]).toEqual({ newCumulative: 0, streams: [[1, 0]] });
});

test('S45: a message that is not sent again is not given up before its first acknowledgement could come', () => {
  const pair = connect(createPair({ link: { delayMs: 150 } }));
  for (let i = 0; i < 20; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(3000, i), once);
  run(pair, 10_000);
  expect(pair.b.messages).toHaveLength(20);
  expect(pair.a.machine.stats.abandonedMessages).toBe(0);
});

test('a lifetime counts from send: what waits is dropped, what is lost is not sent again', () => {
  const peer = openPeer();
  peer.association.send(0, 1, 53, pattern(1100), { lifetimeMs: 500 });
  peer.association.send(0, 1, 53, pattern(40_000), { lifetimeMs: 500 });
  peer.association.send(0, 1, 53, pattern(10, 3));
  const first = tsns(peer, peer.drain());
  expect(first.length).toBeGreaterThan(1);
  const seen = peer.advance(1000);
  expect(tsns(peer, seen)).toEqual([first.length + 1]);
  const [forward] = forwards(peer, seen);
  // One TSN past those that were sent stands for what was never cut.
  expect(forward).toEqual({ newCumulative: first.length, streams: [[1, 1]] });
  expect(peer.association.stats.abandonedMessages).toBe(2);
});

test('S47: of what is queued before there is a connection, only what has expired is dropped', () => {
  let offline = true;
  const pair = createPair({ link: { delayMs: 5, intercept: () => (offline ? 'drop' : 'pass') } });
  const { machine } = pair.a;
  machine.send(0, 1, 53, pattern(10, 1), { lifetimeMs: 1000 });
  machine.send(0, 1, 53, pattern(10, 2), { lifetimeMs: 100_000 });
  machine.send(0, 1, 53, pattern(10, 3), once);
  machine.connect(0);
  run(pair, 5000);
  offline = false;
  run(pair, 20_000);
  expect(pair.b.messages.map(({ data }) => data)).toEqual([pattern(10, 2), pattern(10, 3)]);
  expect(machine.stats.abandonedMessages).toBe(1);
});

test('a FORWARD-TSN that is lost is sent again', () => {
  const peer = openPeer();
  peer.association.send(0, 1, 53, pattern(100), once);
  peer.drain();
  const seen = peer.advance(10_000);
  expect(forwards(peer, seen).length).toBeGreaterThan(1);
  expect(new Set(forwards(peer, seen).map(({ newCumulative }) => newCumulative))).toEqual(new Set([0]));
  peer.send(sackChunk(peer.peerInitialTsn));
  expect(forwards(peer, peer.advance(60_000))).toEqual([]);
});

test('more streams than fit a packet are told of in as many chunks as it takes', () => {
  const peer = openPeer({ maxPacketBytes: 256 });
  const streams = 90;
  for (let i = 0; i < streams; i++) peer.association.send(0, i, 53, pattern(1), once);
  const told = new Map<number, number>();
  let seen = [...peer.drain(), ...peer.advance(1000)];
  let acked = -1;
  for (let round = 0; round < 100 && told.size < streams; round++) {
    for (const forward of forwards(peer, seen)) {
      for (const [id, ssn] of forward.streams) told.set(id, ssn);
      acked = Math.max(acked, forward.newCumulative);
    }
    seen = [...(acked < 0 ? [] : peer.send(sackChunk(peer.peerInitialTsn + acked))), ...peer.advance(1000)];
  }
  expect(Math.max(...peer.packetLengths)).toBeLessThanOrEqual(256);
  expect([...told].toSorted(([a], [b]) => a - b)).toEqual(Array.from({ length: streams }, (_, i) => [i, 0]));
});

test('a FORWARD-TSN that names a stream many times costs what it delivers', () => {
  const peer = openPeer();
  // Messages wait for SSN 0, which is given up last; all that are named before are behind it.
  for (let i = 1; i <= 2000; i++) peer.deliver(peer.peerTag, dataChunk(1000 + i, 'x', { streamId: 1, ssn: i }));
  peer.drain();
  const again = Array.from({ length: 280 }, (_, i) => [1, 0x8001 + i] as [number, number]);
  peer.send(forwardTsnChunk(1000, [...again, [1, 0]]));
  expect(peer.texts).toHaveLength(2000);
});
