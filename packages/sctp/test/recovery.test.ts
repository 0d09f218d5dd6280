import { networkProfiles } from '@millrace/sim';
import { expect, test } from 'vitest';
import { chunkType } from '../src/packet/chunk-type.ts';
import { connect, createPair, isUp, pattern, run } from './support/node.ts';
import { RawPeer, sackChunk, tsns } from './support/raw-peer.ts';

/** A peer with `count` full packets of the association in flight. */
function sending(count: number, options: ConstructorParameters<typeof RawPeer>[0] = {}): RawPeer {
  const peer = new RawPeer(options);
  peer.open();
  for (let i = 0; i < count; i++) peer.association.send(peer.now, 1, 53, pattern(1132, i));
  expect(tsns(peer, peer.drain())).toEqual(Array.from({ length: Math.min(count, 11) }, (_, i) => i));
  return peer;
}

test('S28: T3 fires after the RTO, then after doubled times up to the largest', () => {
  const peer = sending(1, { rto: { initialMs: 1000, maxMs: 6000 } });
  const at: number[] = [];
  while (peer.now < 30_000) if (tsns(peer, peer.advance(10)).length > 0) at.push(peer.now);
  expect(at).toEqual([1000, 3000, 7000, 13_000, 19_000, 25_000]);
});

test('the RTO follows the round trip, never of something sent twice', () => {
  const peer = sending(1, { rto: { minMs: 100 } });
  peer.advance(50);
  peer.send(sackChunk(peer.peerInitialTsn));
  expect(peer.association.stats).toMatchObject({ srttMs: 50, rtoMs: 150 });
  peer.association.send(peer.now, 1, 53, pattern(10));
  peer.drain();
  peer.advance(400);
  peer.send(sackChunk(peer.peerInitialTsn + 1));
  expect(peer.association.stats.srttMs).toBe(50);
});

test('S29: T3 runs whenever something is outstanding', () => {
  const pair = connect(createPair({ seed: 3, link: { delayMs: 10, jitterMs: 15, loss: 0.15 } }));
  let checked = 0;
  pair.a.onDrain = () => {
    if (pair.a.machine.stats.flightSize === 0) return;
    checked++;
    // Four time-outs in a row are the most that happens here; the next heartbeat is 20 s away at least.
    expect(pair.a.machine.pollTimeout()).toBeLessThanOrEqual(pair.sim.now + 16_000);
  };
  for (let i = 0; i < 100; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(3000, i));
  expect(run(pair, 600_000, () => pair.b.messages.length === 100)).toBe(true);
  expect(checked).toBeGreaterThan(100);
});

test('S30: after an outage the window opens again', () => {
  let down = false;
  const link = { delayMs: 20, intercept: () => (down ? ('drop' as const) : ('pass' as const)) };
  const pair = connect(createPair({ link }));
  const feed = (): void => {
    while (pair.a.machine.bufferedBytes() < 500_000) pair.a.machine.send(pair.sim.now, 1, 53, pattern(16_384));
  };
  pair.a.onDrain = feed;
  feed();
  run(pair, 1000);
  const before = pair.a.machine.stats.cwnd;
  down = true;
  run(pair, 5000);
  expect(pair.a.machine.stats.cwnd).toBe(1163);
  down = false;
  run(pair, 10_000);
  expect(pair.a.machine.stats.cwnd).toBeGreaterThan(before / 2);
  const received = pair.b.messages.length;
  run(pair, 1000);
  expect(pair.b.messages.length).toBeGreaterThan(received + 20);
});

test('S31: fast retransmit sends again what was marked, once, and nothing that was acknowledged', () => {
  const peer = sending(10);
  const t = peer.peerInitialTsn;
  // TSNs 1 and 4 are missing.
  expect(tsns(peer, peer.send(sackChunk(t, [[2, 3]])))).not.toContain(1);
  peer.send(
    sackChunk(t, [
      [2, 3],
      [5, 5],
    ]),
  );
  const third = tsns(
    peer,
    peer.send(
      sackChunk(t, [
        [2, 3],
        [5, 6],
      ]),
    ),
  );
  expect(third).toContain(1);
  expect(third).not.toContain(4);
  const later = [
    ...tsns(
      peer,
      peer.send(
        sackChunk(t, [
          [2, 3],
          [5, 7],
        ]),
      ),
    ),
    ...tsns(
      peer,
      peer.send(
        sackChunk(t, [
          [2, 3],
          [5, 8],
        ]),
      ),
    ),
    ...tsns(
      peer,
      peer.send(
        sackChunk(t, [
          [2, 3],
          [5, 9],
        ]),
      ),
    ),
  ];
  expect(later.filter((tsn) => tsn < 10)).toEqual([4]);
  expect(peer.association.stats).toMatchObject({ fastRetransmits: 1, retransmittedChunks: 2, timeouts: 0 });
});

test.each([
  ['newreno', 0.5],
  ['cubic', 0.7],
] as const)(
  'with %s the window is cut to %f of it once per recovery, and a packet of marked chunks goes anyway',
  (name, share) => {
    const peer = sending(40, { congestionControl: name });
    const t = peer.peerInitialTsn;
    const sent = [...tsns(peer, peer.send(sackChunk(t, [[3, 3]]))), ...tsns(peer, peer.send(sackChunk(t, [[3, 4]])))];
    const { cwnd } = peer.association.stats;
    sent.push(...tsns(peer, peer.send(sackChunk(t, [[3, 5]]))));
    expect(peer.association.stats.flightSize).toBeGreaterThan(peer.association.stats.cwnd);
    expect(sent).toContain(1);
    for (let i = 6; i <= 10; i++) sent.push(...tsns(peer, peer.send(sackChunk(t, [[3, i]]))));
    expect(sent.filter((tsn) => tsn === 1 || tsn === 2)).toEqual([1, 2]);
    expect(peer.association.stats.fastRetransmits).toBe(1);
    expect(peer.association.stats.cwnd).toBeCloseTo(Math.max(share * cwnd, 4 * 1163), 6);
  },
);

test('a fragment that was sent again and lost again does not wait for T3 while later ones arrive', () => {
  let dropped = 0;
  let victim = -1;
  const intercept = (datagram: Uint8Array): 'pass' | 'drop' => {
    if (datagram[12] !== chunkType.data) return 'pass';
    const tsn = new DataView(datagram.buffer, datagram.byteOffset).getUint32(16);
    if (victim < 0 && ++dropped === 30) {
      victim = tsn;
      dropped = 1;
      return 'drop';
    }
    return tsn === victim && dropped++ < 3 ? 'drop' : 'pass';
  };
  const pair = connect(createPair({ aToB: { delayMs: 20, intercept }, bToA: { delayMs: 20 } }));
  for (let i = 0; i < 60; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(16_384, i));
  expect(run(pair, 60_000, () => pair.b.messages.length === 60)).toBe(true);
  expect(pair.a.machine.stats.retransmittedChunks).toBe(3);
  expect(pair.a.machine.stats.timeouts).toBe(0);
});

test('a peer that takes back what it had named in gap blocks gets it again', () => {
  const peer = sending(3);
  const t = peer.peerInitialTsn;
  peer.send(sackChunk(t - 1, [[2, 3]]));
  // The array stays the association's: it may have to be sent again.
  expect(peer.association.bufferedBytes()).toBe(3 * 1132);
  peer.advance(1000);
  peer.send(sackChunk(t));
  // Acknowledged up to 0; 1 and 2 were named and then forgotten.
  expect(tsns(peer, peer.advance(5000))).toEqual(expect.arrayContaining([1, 2]));
  peer.send(sackChunk(t + 2));
  expect(peer.association.bufferedBytes()).toBe(0);
  expect(peer.association.pollTimeout()).toBeGreaterThan(peer.now + 20_000);
});

test('an old SACK changes nothing', () => {
  const peer = sending(5);
  const t = peer.peerInitialTsn;
  peer.send(sackChunk(t + 3));
  peer.send(sackChunk(t + 1, [], 5));
  expect(peer.association.stats.remoteWindowBytes).toBeGreaterThan(100_000);
  expect(peer.association.stats.dropped).toMatchObject({ 'old-sack': 1 });
});

test('an acknowledgement lost in one packet of many is made good by the next', () => {
  const pair = connect(createPair({ seed: 9, bToA: { delayMs: 5, loss: 0.5 }, aToB: { delayMs: 5 } }));
  for (let i = 0; i < 50; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(16_384, i));
  expect(run(pair, 60_000, () => pair.a.machine.bufferedBytes() === 0)).toBe(true);
  expect(pair.b.messages.length).toBe(50);
});

test('a peer that vanishes is given up with a typed error, and the timers stop', () => {
  let gone = false;
  const pair = connect(createPair({ link: { delayMs: 5, intercept: () => (gone ? 'drop' : 'pass') } }));
  gone = true;
  pair.a.machine.send(pair.sim.now, 1, 53, pattern(10));
  run(pair, 3_600_000, () => pair.a.machine.state === 'closed' && pair.b.machine.state === 'closed');
  expect(pair.a.all('closed')[0]?.error?.code).toBe('TIMEOUT');
  // The other end had nothing to send: its heartbeats tell.
  expect(pair.b.all('closed')[0]?.error?.code).toBe('TIMEOUT');
  expect(pair.a.machine.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
});

test('an idle association stays up on its heartbeats, and measures with them', () => {
  const pair = connect(createPair({ link: { delayMs: 25 } }));
  run(pair, 600_000);
  expect(isUp(pair)).toBe(true);
  expect(pair.a.machine.stats.srttMs).toBe(50);
  expect(pair.a.machine.stats.packetsSent).toBeGreaterThan(20);
});

test.each(Object.keys(networkProfiles))('network profile %s: everything arrives once and whole', (name) => {
  const link = networkProfiles[name as keyof typeof networkProfiles]!;
  const pair = connect(createPair({ seed: 11, link }));
  for (let i = 0; i < 100; i++) pair.a.machine.send(pair.sim.now, i % 4, 53, pattern(8192, i), { unordered: i % 4 === 3 });
  expect(run(pair, 1_200_000, () => pair.b.messages.length >= 100)).toBe(true);
  run(pair, 10_000);
  expect(pair.b.messages.length).toBe(100);
  for (let stream = 0; stream < 4; stream++) {
    const got = pair.b.messages.filter((m) => m.streamId === stream).map((m) => m.data);
    const wanted = Array.from({ length: 25 }, (_, i) => pattern(8192, 4 * i + stream));
    if (stream < 3) expect(got.every((data, i) => Buffer.compare(data, wanted[i]!) === 0)).toBe(true);
    else
      expect(got.map((d) => Buffer.from(d).toString('latin1')).toSorted()).toEqual(
        wanted.map((d) => Buffer.from(d).toString('latin1')).toSorted(),
      );
  }
});

test('a bottleneck with a short queue is shared without collapse', () => {
  const link = { delayMs: 20, bytesPerSecond: 1_000_000, queueBytes: 60_000 };
  const pair = connect(createPair({ seed: 5, link }));
  pair.a.onDrain = (now) => {
    while (pair.a.machine.bufferedBytes() < 400_000) pair.a.machine.send(now, 1, 53, pattern(16_384));
  };
  run(pair, 20_000);
  const bytes = pair.b.messages.length * 16_384;
  // Of 20 MB that the path could pass.
  expect(bytes).toBeGreaterThan(13_000_000);
});

test('over a long path with rare losses CUBIC carries more than NewReno', () => {
  const carried = (['cubic', 'newreno'] as const).map((congestionControl) => {
    const limits = { receiveBufferBytes: 1 << 26, highWaterBytes: 1 << 25 };
    const link = { delayMs: 75, loss: 0.0002 };
    const pair = connect(createPair({ seed: 4, link, a: { congestionControl, limits }, b: { limits } }));
    const feed = (): void => {
      while (pair.a.machine.bufferedBytes() < 8 << 20) pair.a.machine.send(pair.sim.now, 1, 53, new Uint8Array(65_536));
    };
    pair.a.onDrain = feed;
    feed();
    run(pair, 40_000);
    return pair.b.messages.length;
  });
  expect(carried[0]! / carried[1]!).toBeGreaterThan(1.3);
});
