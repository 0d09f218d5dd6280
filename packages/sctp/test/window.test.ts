import { expect, test } from 'vitest';
import { createAssociation } from '../src/index.ts';
import { connect, createPair, pattern, run } from './support/node.ts';
import { dataChunk, RawPeer, sackChunk, sacks, tsns } from './support/raw-peer.ts';

function opened(options: ConstructorParameters<typeof RawPeer>[0] = {}): RawPeer {
  const peer = new RawPeer(options);
  peer.open();
  return peer;
}

test('S33: a buffer full of incomplete fragments still takes the one that is missing', () => {
  const peer = opened({ limits: { receiveBufferBytes: 20_000 } });
  // The first is missing; what follows fills the buffer.
  let next = 1001;
  for (; next < 1060; next++) peer.send(dataChunk(next, pattern(1000), { begin: false, end: false }));
  expect(peer.association.stats.dropped['window']).toBeGreaterThan(10);
  const seen = sacks(peer.send(dataChunk(1000, pattern(1000), { end: false })));
  const { cumulative } = seen.at(-1)!;
  expect(cumulative).toBeGreaterThan(1010);
  for (let t = cumulative + 1; t < next; t++) peer.send(dataChunk(t, pattern(1000), { begin: false, end: false }));
  peer.send(dataChunk(next, pattern(1000), { begin: false }));
  const messages = peer.events.filter((e) => e.type === 'message');
  expect(messages.length).toBe(1);
});

test('a message larger than the receive buffer arrives', () => {
  const pair = connect(createPair({ b: { limits: { receiveBufferBytes: 100_000 } } }));
  pair.a.machine.send(pair.sim.now, 1, 53, pattern(1_000_000));
  expect(run(pair, 60_000, () => pair.b.messages.length === 1)).toBe(true);
  expect(Buffer.compare(pair.b.messages[0]!.data, pattern(1_000_000))).toBe(0);
  expect(pair.a.machine.stats.timeouts).toBe(0);
});

test('S34: the window opens again as messages are taken, and the peer is told', () => {
  const peer = opened({ limits: { receiveBufferBytes: 20_000 } });
  for (let i = 0; i < 18; i++) peer.deliver(peer.peerTag, dataChunk(1000 + i, pattern(1000), { ssn: i }));
  // Nobody has taken an event yet.
  const out = new Uint8Array(1200);
  while (peer.association.pollTransmit(0, out, 0, 1200) > 0);
  expect(new DataView(out.buffer).getUint32(20)).toBeLessThan(2000);
  const update = sacks(peer.drain());
  expect(update.map((s) => s.aRwnd)).toEqual([20_000]);
  expect(peer.drain()).toEqual([]);
});

test('S34: large messages into a small buffer do not stall', () => {
  const pair = connect(createPair({ b: { limits: { receiveBufferBytes: 131_072 } } }));
  for (let i = 0; i < 20; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(262_144, i));
  const from = pair.sim.now;
  expect(run(pair, 60_000, () => pair.b.messages.length === 20)).toBe(true);
  expect(pair.a.machine.stats.timeouts).toBe(0);
  expect(pair.sim.now - from).toBeLessThan(5000);
});

test('S35: what a peer sends beyond the window is dropped, so what it can make us hold is bounded', () => {
  const peer = opened({ limits: { receiveBufferBytes: 50_000 } });
  let taken = 0;
  for (let i = 0; i < 2000; i++) {
    peer.deliver(peer.peerTag, dataChunk(1001 + i, pattern(1000), { unordered: true, begin: i % 2 === 0, end: false }));
    if (i % 50 === 49)
      taken = sacks(peer.drain())
        .at(-1)!
        .blocks.reduce((sum, [start, end]) => sum + end - start + 1, 0);
  }
  expect(taken).toBeLessThan(51);
  expect(peer.association.stats.dropped['window']).toBeGreaterThan(1900);
});

test('S35: a peer whose messages nobody takes is held back, in sequence as well', () => {
  const peer = opened({ limits: { receiveBufferBytes: 50_000 } });
  for (let i = 0; i < 1000; i++) peer.deliver(peer.peerTag, dataChunk(1000 + i, pattern(1000), { ssn: i }));
  expect(peer.association.stats.dropped['window']).toBeGreaterThan(940);
});

test('S35: messages that follow one that never comes end the association before they fill the memory', () => {
  const receiveBufferBytes = 50_000;
  const peer = opened({ limits: { receiveBufferBytes } });
  let sent = 0;
  while (peer.closed === undefined && sent < 1000) {
    peer.send(dataChunk(1000 + sent, pattern(1000), { ssn: 1 + sent }));
    sent++;
  }
  expect(peer.closed?.error).toMatchObject({ code: 'PROTOCOL_VIOLATION' });
  expect(sent * 1000).toBeLessThanOrEqual(2 * receiveBufferBytes);
});

test('S35: what waits behind a gap may fill the window, and is delivered when the gap is closed', () => {
  const receiveBufferBytes = 50_000;
  const peer = opened({ limits: { receiveBufferBytes } });
  for (let i = 1; i < 100; i++) peer.send(dataChunk(1000 + i, pattern(1000, i), { ssn: i }));
  expect(peer.association.stats.dropped['window']).toBeGreaterThan(40);
  peer.send(dataChunk(1000, pattern(1000)));
  expect(peer.texts.length).toBeGreaterThan(40);
  expect(peer.closed).toBeUndefined();
});

test('S35: many tiny fragments are bounded by what they cost in memory', () => {
  const peer = opened({ limits: { receiveBufferBytes: 50_000 } });
  for (let i = 0; i < 5000; i++) peer.deliver(peer.peerTag, dataChunk(1001 + i, 'x', { begin: false, end: false }));
  expect(peer.association.stats.dropped['window']).toBeGreaterThan(4200);
});

test('into a window of zero goes one chunk, and then a probe at each RTO', () => {
  const peer = opened();
  for (let i = 0; i < 5; i++) peer.association.send(0, 1, 53, pattern(1132, i));
  expect(tsns(peer, peer.drain()).length).toBe(5);
  const t = peer.peerInitialTsn;
  peer.association.send(0, 1, 53, pattern(1132));
  peer.association.send(0, 1, 53, pattern(1132));
  const probes = tsns(peer, peer.send(sackChunk(t + 4, [], 0)));
  expect(probes).toEqual([5]);
  for (let i = 0; i < 40; i++) {
    probes.push(...tsns(peer, peer.advance(60_000)));
    // Alive, and full.
    peer.send(sackChunk(t + 4, [], 0));
  }
  expect(new Set(probes).size).toBeLessThanOrEqual(2);
  expect(probes.length).toBeGreaterThan(30);
  expect(peer.association.state).toBe('established');
  expect(tsns(peer, peer.send(sackChunk(t + 5, [], 100_000)))).toEqual([6]);
  peer.send(sackChunk(t + 6, [], 100_000));
  expect(peer.association.bufferedBytes()).toBe(0);
});

test("the peer's window bounds what is in flight", () => {
  const peer = opened();
  peer.send(sackChunk(peer.peerInitialTsn - 1, [], 5000));
  for (let i = 0; i < 50; i++) peer.association.send(0, 1, 53, pattern(1000, i));
  peer.drain();
  expect(peer.association.stats.flightSize).toBeLessThanOrEqual(5000);
  expect(peer.association.stats.remoteWindowBytes).toBeLessThan(1016);
});

test('send answers false from the high-water mark on, and drain comes once at the low one', () => {
  const pair = connect(createPair({ a: { limits: { highWaterBytes: 10_000, lowWaterBytes: 4000 } } }));
  const a = pair.a.machine;
  expect(a.send(pair.sim.now, 1, 53, pattern(9999))).toBe(true);
  expect(a.send(pair.sim.now, 1, 53, pattern(1))).toBe(false);
  expect(a.send(pair.sim.now, 1, 53, pattern(5000))).toBe(false);
  let atDrain = -1;
  pair.a.onEvent = (event) => {
    if (event.type === 'drain') atDrain = a.bufferedBytes();
  };
  run(pair, 1000);
  expect(pair.a.all('drain').length).toBe(1);
  expect(atDrain).toBeLessThanOrEqual(4000);
  expect(pair.b.messages.length).toBe(3);
});

test('buffered-low comes once per crossing from above, at zero as well, for its stream', () => {
  const pair = connect(createPair());
  const a = pair.a.machine;
  a.setBufferedLowThreshold(1, 2000);
  a.send(pair.sim.now, 1, 53, pattern(1500));
  a.send(pair.sim.now, 2, 53, pattern(5000));
  expect([a.bufferedBytes(1), a.bufferedBytes(2), a.bufferedBytes(3), a.bufferedBytes()]).toEqual([1500, 5000, 0, 6500]);
  run(pair, 1000);
  expect(pair.a.all('buffered-low').map((e) => e.streamId)).toEqual([2]);
  a.send(pair.sim.now, 1, 53, pattern(5000));
  run(pair, 1000);
  expect(pair.a.all('buffered-low').map((e) => e.streamId)).toEqual([2, 1]);
  expect(a.bufferedBytes()).toBe(0);
});

test('many small messages travel in few packets, and many more queue without slowing down', () => {
  const pair = connect(createPair());
  const before = pair.a.machine.stats.packetsSent;
  const count = 100_000;
  for (let i = 0; i < count; i++) pair.a.machine.send(pair.sim.now, 1, 53, new Uint8Array(64));
  expect(run(pair, 60_000, () => pair.b.messages.length === count)).toBe(true);
  expect(pair.a.machine.stats.packetsSent - before).toBeLessThan(count / 13);
});

test('what the caller does wrong is refused at once and says what is allowed', () => {
  const random = { fill: (t: Uint8Array): void => void t.fill(1) };
  expect(() => createAssociation({} as never)).toThrow(TypeError);
  for (const [options, name] of [
    [{ localPort: 0 }, 'localPort'],
    [{ maxPacketBytes: 100 }, 'maxPacketBytes'],
    [{ congestionControl: 'vegas' as never }, 'congestionControl must be one of cubic, newreno'],
    [{ limits: { streams: 70_000 } }, 'limits.streams'],
    [{ limits: { highWaterBytes: 5, lowWaterBytes: 6 } }, 'limits.lowWaterBytes'],
    [{ rto: { minMs: 10, maxMs: 5 } }, 'rto.maxMs'],
    [{ rto: { initialMs: 1e9 } }, 'rto.initialMs'],
  ] as const) {
    expect(() => createAssociation({ random, ...options })).toThrow(name);
  }
  const a = createAssociation({ random });
  expect(() => a.send(0, -1, 0, pattern(1))).toThrow('streamId');
  expect(() => a.send(0, 65_535, 0, pattern(1))).toThrow('streamId');
  expect(() => a.send(0, 1, 2 ** 32, pattern(1))).toThrow('ppid');
  expect(() => a.send(0, 1, 0, new Uint8Array(0))).toThrow(RangeError);
  expect(() => a.send(0, 1, 0, 'text' as never)).toThrow(TypeError);
  expect(() => a.send(0, 1, 0, pattern(1), { maxRetransmits: -1 })).toThrow('maxRetransmits');
  expect(() => a.send(0, 1, 0, pattern(1), { lifetimeMs: Number.NaN })).toThrow('lifetimeMs');
  expect(() => a.resetStreams(0, [1])).toThrow('connected');
});
