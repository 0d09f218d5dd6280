import { readUint16 } from '@millrace/core';
import { expect, test } from 'vitest';
import { encodeChunk, encodeParameter } from '../src/packet/chunk.ts';
import { chunkType } from '../src/packet/chunk-type.ts';
import { encodeInit } from '../src/packet/init-chunk.ts';
import { sealPacket } from '../src/packet/packet-header.ts';
import { createPair, connect, pattern, run } from './support/node.ts';
import { dataChunk, packet, RawPeer, sackChunk, sacks, types } from './support/raw-peer.ts';

function opened(options: ConstructorParameters<typeof RawPeer>[0] = {}): RawPeer {
  const peer = new RawPeer(options);
  peer.open();
  return peer;
}

function reseal(bytes: Uint8Array): Uint8Array {
  sealPacket(bytes, 0, bytes.length);
  return bytes;
}

test('S9: an unknown chunk of type 194 is skipped and reported, its neighbors are processed', () => {
  const peer = opened();
  const seen = peer.send(dataChunk(1000, 'a'), encodeChunk(194, 0, new Uint8Array(8)), dataChunk(1001, 'b', { ssn: 1 }));
  expect(peer.texts).toEqual(['a', 'b']);
  expect(types(seen)).toEqual([chunkType.error, chunkType.sack]);
  expect(readUint16(seen[0]!.bytes, 4)).toBe(6);
  expect(seen[0]!.bytes[8]).toBe(194);
});

test.each([
  [0x3f, false, false],
  [0x7f, false, true],
  [0xbf, true, false],
  [0xff, true, true],
])(
  'S9: the high bits of unknown chunk type %i decide whether the rest counts and whether it is reported',
  (type, rest, report) => {
    const peer = opened();
    const seen = peer.send(dataChunk(1000, 'a'), encodeChunk(type, 0), dataChunk(1001, 'b', { ssn: 1 }));
    expect(peer.texts).toEqual(rest ? ['a', 'b'] : ['a']);
    expect(types(seen).includes(chunkType.error)).toBe(report);
    expect(peer.association.state).toBe('established');
  },
);

test('S10: a SACK and DATA in one packet are both taken', () => {
  const peer = opened();
  peer.association.send(0, 1, 51, pattern(100));
  peer.drain();
  peer.send(sackChunk(peer.peerInitialTsn), dataChunk(1000, 'x'));
  expect(peer.texts).toEqual(['x']);
  expect(peer.association.bufferedBytes()).toBe(0);
});

test.each([0, 1, 2, 3])('S11: a chunk of length %i drops the packet, and nothing loops', (length) => {
  const peer = opened();
  const bytes = packet(peer.peerTag, dataChunk(1000, 'abcd'), encodeChunk(chunkType.heartbeat, 0));
  bytes[bytes.length - 1] = length;
  peer.deliverBytes(reseal(bytes));
  peer.drain();
  expect(peer.texts).toEqual([]);
  expect(peer.association.stats.dropped).toMatchObject({ 'bad-chunk-length': 1 });
  peer.send(dataChunk(1000, 'abcd'));
  expect(peer.texts).toEqual(['abcd']);
});

test('S11: a chunk that reaches beyond its packet drops the packet', () => {
  const peer = opened();
  const bytes = packet(peer.peerTag, dataChunk(1000, 'abcd'));
  bytes[15] = 21;
  peer.deliverBytes(reseal(bytes));
  peer.drain();
  expect(peer.texts).toEqual([]);
});

test('S12: a SACK whose counts do not fit its length is dropped', () => {
  const peer = opened();
  peer.association.send(0, 1, 51, pattern(10));
  peer.drain();
  for (const at of [13, 15]) {
    const sack = sackChunk(peer.peerInitialTsn);
    sack[at] = 1;
    peer.send(sack);
    const short = sackChunk(peer.peerInitialTsn).slice(0, 12);
    short[3] = 12;
    peer.send(short);
  }
  expect(peer.association.bufferedBytes()).toBe(10);
  expect(peer.association.stats.dropped).toMatchObject({ 'bad-sack': 4 });
  peer.send(sackChunk(peer.peerInitialTsn));
  expect(peer.association.bufferedBytes()).toBe(0);
});

test('S13: a SACK for what was never sent changes nothing, and the association shuts down in time', () => {
  const peer = opened();
  for (let i = 0; i < 4; i++) peer.association.send(0, 1, 51, pattern(1132));
  peer.drain();
  const t = peer.peerInitialTsn;
  const before = peer.association.stats;
  const bad: [number, [number, number][]][] = [
    [t + 4, []],
    [t + 1, [[1, 3]]],
    [t, [[2, 1]]],
    [t, [[0, 1]]],
    [
      t + 2,
      [
        [1, 1],
        [5, 6],
      ],
    ],
  ];
  for (const [cumulative, blocks] of bad) peer.send(sackChunk(cumulative, blocks, 5));
  const { dropped, packetsReceived: _p, bytesReceived: _b, ...after } = peer.association.stats;
  const { dropped: _d, packetsReceived: _q, bytesReceived: _c, ...wanted } = before;
  expect(after).toEqual(wanted);
  expect(dropped).toMatchObject({ 'bad-sack': bad.length });
  peer.association.shutdown(0);
  expect(types(peer.send(sackChunk(t + 3)))).toEqual([chunkType.shutdown]);
});

test('gap blocks that overlap or come unsorted acknowledge what they name', () => {
  const peer = opened();
  for (let i = 0; i < 8; i++) peer.association.send(0, 1, 51, pattern(1132));
  peer.drain();
  peer.send(
    sackChunk(peer.peerInitialTsn, [
      [5, 6],
      [2, 3],
      [3, 5],
    ]),
  );
  expect(peer.association.stats.flightSize).toBe(2 * (16 + 1132));
});

test('S23: a bad checksum or chunk length drops the packet, padding that is not zero does not', () => {
  const peer = opened();
  const bytes = packet(peer.peerTag, dataChunk(1000, 'abcde'));
  bytes[20]! ^= 1;
  peer.deliverBytes(bytes);
  expect(peer.association.stats.dropped).toMatchObject({ 'bad-checksum': 1 });
  bytes[20]! ^= 1;
  bytes[bytes.length - 1] = 0xaa;
  peer.deliverBytes(reseal(bytes));
  peer.drain();
  expect(peer.texts).toEqual(['abcde']);
});

test.each(['checksum', 'length', 'padding'])('S23: a stream completes while every seventh packet has a bad %s', (kind) => {
  let count = 0;
  const spoil = (datagram: Uint8Array): 'pass' => {
    if (count++ % 7 !== 6) return 'pass';
    if (kind === 'checksum') datagram[8]! ^= 0xff;
    if (kind === 'length') {
      datagram[14] = 0;
      datagram[15] = 3;
      sealPacket(datagram, 0, datagram.length);
    }
    if (kind === 'padding' && datagram[12] === chunkType.data) {
      const length = readUint16(datagram, 14);
      for (let i = 12 + length; i < 12 + ((length + 3) & ~3); i++) datagram[i] = 0x55;
      sealPacket(datagram, 0, datagram.length);
    }
    return 'pass';
  };
  const pair = connect(createPair({ aToB: { delayMs: 5, intercept: spoil } }));
  for (let i = 0; i < 100; i++) pair.a.machine.send(pair.sim.now, 1, 53, pattern(1001, i));
  expect(run(pair, 120_000, () => pair.b.messages.length === 100)).toBe(true);
  expect(pair.b.messages.every((m, i) => Buffer.compare(m.data, pattern(1001, i)) === 0)).toBe(true);
});

test('S24: a checksum of zero was not negotiated and is dropped, on INIT and COOKIE ECHO as elsewhere', () => {
  const peer = new RawPeer();
  const init = packet(0, encodeInit(peer.init()));
  init.fill(0, 8, 12);
  peer.deliverBytes(init);
  expect(peer.drain()).toEqual([]);
  peer.open();
  const bytes = packet(peer.peerTag, dataChunk(1000, 'x'));
  bytes.fill(0, 8, 12);
  peer.deliverBytes(bytes);
  peer.drain();
  expect(peer.texts).toEqual([]);
  expect(peer.association.stats.dropped).toMatchObject({ 'bad-checksum': 2 });
});

/** The checksum fields of what an end sends, by the type of the first chunk. */
function checksums(packets: readonly Uint8Array[]): Map<number, Set<boolean>> {
  const byType = new Map<number, Set<boolean>>();
  for (const bytes of packets) {
    const isZero = bytes.subarray(8, 12).every((byte) => byte === 0);
    byType.set(bytes[12]!, (byType.get(bytes[12]!) ?? new Set()).add(isZero));
  }
  return byType;
}

test.each([
  [true, true],
  [true, false],
  [false, true],
  [false, false],
])('S24: checksums are left out where both ends agree, and only after that (%s, %s)', (ours, theirs) => {
  const packets: Uint8Array[] = [];
  const intercept = (bytes: Uint8Array): 'pass' => {
    packets.push(bytes.slice());
    return 'pass';
  };
  const link = { delayMs: 5, loss: 0.05, intercept };
  const pair = connect(createPair({ seed: 24, link, a: { zeroChecksum: ours }, b: { zeroChecksum: theirs } }));
  for (const end of [pair.a, pair.b]) for (let i = 0; i < 20; i++) end.machine.send(pair.sim.now, 1, 53, pattern(3000, i));
  expect(run(pair, 60_000, () => pair.a.messages.length === 20 && pair.b.messages.length === 20)).toBe(true);
  const seen = checksums(packets);
  for (const type of [chunkType.init, chunkType.initAck, chunkType.cookieEcho]) {
    if (seen.has(type)) expect([type, ...seen.get(type)!]).toEqual([type, false]);
  }
  for (const type of [chunkType.data, chunkType.sack]) expect([type, ...seen.get(type)!]).toEqual([type, ours && theirs]);
  expect(pair.a.machine.stats.dropped['bad-checksum'] ?? 0).toBe(0);
  expect(pair.b.machine.stats.dropped['bad-checksum'] ?? 0).toBe(0);
});

test('S24: an end that has said so takes packets without a checksum, but no INIT or COOKIE ECHO, and no wrong one', () => {
  const peer = new RawPeer({ zeroChecksum: true });
  const init = packet(0, encodeInit(peer.init()));
  init.fill(0, 8, 12);
  peer.deliverBytes(init);
  expect(peer.drain()).toEqual([]);
  peer.open();
  const bytes = packet(peer.peerTag, dataChunk(1000, 'x'));
  bytes[8]! ^= 1;
  peer.deliverBytes(bytes);
  expect(peer.texts).toEqual([]);
  bytes.fill(0, 8, 12);
  peer.deliverBytes(bytes);
  peer.drain();
  expect(peer.texts).toEqual(['x']);
  expect(peer.association.stats.dropped).toMatchObject({ 'bad-checksum': 2 });
});

test('S25: no packet is larger than maxPacketBytes, bundles, retransmissions and SACKs included', () => {
  const peer = opened({ maxPacketBytes: 600 });
  for (let i = 0; i < 30; i++) peer.association.send(0, i % 3, 51, pattern([50, 571, 572, 573, 5000][i % 5]!, i));
  for (let i = 0; i < 40; i++) peer.send(dataChunk(1002 + 2 * i, 'gap', { unordered: true }));
  peer.advance(20_000);
  for (let i = 0; i < 8; i++) peer.send(sackChunk(peer.peerInitialTsn + i));
  expect(peer.packetLengths.length).toBeGreaterThan(20);
  expect(Math.max(...peer.packetLengths)).toBeLessThanOrEqual(600);
  expect(peer.packetLengths.every((length) => length % 4 === 0)).toBe(true);
});

test('INIT, INIT ACK and SHUTDOWN COMPLETE are dropped when they are bundled', () => {
  const peer = new RawPeer();
  expect(peer.exchange(0, encodeInit(peer.init()), dataChunk(1000, 'x'))).toEqual([]);
  peer.open();
  expect(peer.send(dataChunk(1000, 'x'), encodeInit(peer.init()))).toEqual([]);
  expect(peer.texts).toEqual([]);
  expect(peer.association.stats.dropped).toMatchObject({ bundled: 2 });
});

test('DATA without user data ends the association with cause 9', () => {
  const peer = opened();
  const seen = peer.send(dataChunk(1000, ''));
  expect(types(seen)).toEqual([chunkType.abort]);
  expect(readUint16(seen[0]!.bytes, 4)).toBe(9);
  expect(peer.closed?.error).toMatchObject({ code: 'PROTOCOL_VIOLATION', causeCode: 9 });
});

test('DATA on a stream that was not agreed on is acknowledged, reported and thrown away', () => {
  const peer = opened();
  const seen = peer.send(dataChunk(1000, 'x', { streamId: 100 }));
  expect(types(seen)).toEqual([chunkType.error, chunkType.sack]);
  expect(seen[0]!.bytes.slice(4, 12)).toEqual(new Uint8Array([0, 1, 0, 8, 0, 100, 0, 0]));
  expect(sacks(seen)[0]!.cumulative).toBe(1000);
  expect(peer.texts).toEqual([]);
});

test('a HEARTBEAT is answered with its own information', () => {
  const peer = opened();
  const information = encodeParameter(1, Uint8Array.of(1, 2, 3, 4, 5));
  const [answer] = peer.send(encodeChunk(chunkType.heartbeat, 0, information));
  expect(answer!.type).toBe(chunkType.heartbeatAck);
  expect(answer!.bytes.slice(4)).toEqual(information);
});

test('a fragment inside another message ends the association', () => {
  const peer = opened();
  peer.send(dataChunk(1000, 'a', { end: false }));
  expect(types(peer.send(dataChunk(1001, 'b')))).toEqual([chunkType.abort]);
  expect(peer.closed?.error?.code).toBe('PROTOCOL_VIOLATION');
});

test('a message above maxIncomingMessageBytes ends the association', () => {
  const peer = opened({ limits: { maxIncomingMessageBytes: 1000 } });
  peer.send(dataChunk(1000, pattern(600), { end: false }));
  peer.send(dataChunk(1001, pattern(600), { begin: false }));
  expect(peer.closed?.error?.code).toBe('LIMIT_EXCEEDED');
});

test('nothing that was borrowed is kept, whatever kind of bytes it came in', () => {
  const peer = opened();
  const borrowed = Buffer.alloc(2000);
  for (const [tsn, text] of [
    [1001, 'second'],
    [1002, 'third'],
    [1000, 'first'],
  ] as const) {
    const bytes = packet(peer.peerTag, dataChunk(tsn, text, { ssn: tsn - 1000 }));
    borrowed.set(bytes, 100);
    peer.association.handleDatagram(0, borrowed, 100, 100 + bytes.length);
    borrowed.fill(0x58);
  }
  peer.drain();
  expect(peer.texts).toEqual(['first', 'second', 'third']);
  for (const event of peer.events) if (event.type === 'message') expect(event.data.buffer.byteLength).toBe(event.data.length);
});
