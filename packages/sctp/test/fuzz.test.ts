import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { encodeChunk } from '../src/packet/chunk.ts';
import { chunkType } from '../src/packet/chunk-type.ts';
import { encodeInit } from '../src/packet/init-chunk.ts';
import { encodeOutgoingReset, encodeReConfig, encodeReConfigResponse, reConfigParameter } from '../src/packet/re-config-chunk.ts';
import { pattern } from './support/node.ts';
import { dataChunk, forwardTsnChunk, packet, RawPeer, sackChunk, shutdownChunk } from './support/raw-peer.ts';

vi.setConfig({ testTimeout: 60_000 });

const seed = 92_601;
const receiveBufferBytes = 60_000;
const maxPacketBytes = 600;

/** Offsets from a TSN: near it on either side, and far away. */
const offset = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 9000, 70_000));
const stream = fc.constantFrom(0, 1, 2, 99, 100, 65_535);
const ssn = fc.constantFrom(0, 0, 1, 2, 3, 32_768, 65_535);

const operation = fc.oneof(
  fc.record({
    kind: fc.constant('data' as const),
    offset,
    length: fc.constantFrom(0, 1, 100, 500),
    fields: fc.record({ streamId: stream, ssn, begin: fc.boolean(), end: fc.boolean(), unordered: fc.boolean() }),
  }),
  fc.record({
    kind: fc.constant('sack' as const),
    offset,
    blocks: fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 4 }),
    aRwnd: fc.constantFrom(0, 1, 1500, 1 << 20),
  }),
  fc.record({ kind: fc.constant('forward' as const), offset, streams: fc.array(fc.tuple(stream, ssn), { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('reset' as const),
    seqOffset: offset,
    tsnOffset: offset,
    streams: fc.array(stream, { maxLength: 4 }),
  }),
  fc.record({ kind: fc.constant('response' as const), offset, result: fc.nat(8) }),
  fc.record({ kind: fc.constant('shutdown' as const), offset }),
  fc.record({
    kind: fc.constant('chunk' as const),
    type: fc.oneof(fc.constantFrom(...Object.values(chunkType)), fc.nat(255)),
    flags: fc.nat(255),
    body: fc.uint8Array({ maxLength: 60 }),
  }),
  fc.record({ kind: fc.constant('init' as const), tag: fc.constantFrom(0, 1, 0xbeef), initialTsn: fc.nat(5000) }),
  fc.record({ kind: fc.constant('bytes' as const), bytes: fc.uint8Array({ maxLength: 80 }) }),
  fc.record({
    kind: fc.constant('send' as const),
    stream: fc.constantFrom(0, 1, 2),
    length: fc.constantFrom(1, 400, 5000),
    maxRetransmits: fc.constantFrom(0, 1, 1000),
  }),
  fc.record({ kind: fc.constant('resetOurs' as const), stream: fc.constantFrom(0, 1, 2) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 200, 1000, 10_000) }),
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** The chunk of an operation, around the numbers that both ends are at. */
function chunkOf(peer: RawPeer, o: Operation): Uint8Array | undefined {
  switch (o.kind) {
    case 'data':
      return dataChunk(peer.initialTsn + o.offset, pattern(o.length), o.fields);
    case 'sack':
      return sackChunk(peer.peerInitialTsn + o.offset, o.blocks, o.aRwnd);
    case 'forward':
      return forwardTsnChunk(peer.initialTsn + o.offset, o.streams);
    case 'reset':
      return encodeReConfig([encodeOutgoingReset(peer.initialTsn + o.seqOffset, 0, peer.initialTsn + o.tsnOffset, o.streams)]);
    case 'response':
      return encodeReConfig([encodeReConfigResponse(peer.peerInitialTsn + o.offset, o.result)]);
    case 'shutdown':
      return shutdownChunk(peer.peerInitialTsn + o.offset);
    case 'chunk':
      return encodeChunk(o.type, o.flags, o.body);
    default:
      return undefined;
  }
}

function isOpen(peer: RawPeer): boolean {
  return peer.association.state === 'established';
}

function apply(peer: RawPeer, o: Operation): void {
  const { association } = peer;
  if (o.kind === 'init') peer.exchange(0, encodeInit({ ...peer.init(), initiateTag: o.tag, initialTsn: o.initialTsn }));
  else if (o.kind === 'bytes') peer.deliverBytes(o.bytes);
  else if (o.kind === 'wait') peer.advance(o.ms);
  else if (o.kind === 'send') {
    if (isOpen(peer)) association.send(peer.now, o.stream, 53, pattern(o.length), { maxRetransmits: o.maxRetransmits });
  } else if (o.kind === 'resetOurs') {
    if (isOpen(peer)) association.resetStreams(peer.now, [o.stream]);
  } else peer.send(chunkOf(peer, o)!);
  peer.association.handleTimeout(peer.now);
  peer.drain();
}

function expectSound(peer: RawPeer): void {
  const { association } = peer;
  const { cwnd, flightSize, remoteWindowBytes, rtoMs } = association.stats;
  expect(flightSize).toBeGreaterThanOrEqual(0);
  expect(remoteWindowBytes).toBeGreaterThanOrEqual(0);
  if (association.state !== 'closed') expect(cwnd).toBeGreaterThan(0);
  expect(rtoMs).toBeGreaterThan(0);
  expect(association.bufferedBytes()).toBeGreaterThanOrEqual(flightSize === 0 ? 0 : 1);
  // Timers were run and packets taken: nothing is left to do at this time.
  expect(association.pollTimeout()).toBeGreaterThan(peer.now);
  expect(Math.max(0, ...peer.packetLengths)).toBeLessThanOrEqual(maxPacketBytes);
  expect(peer.events.filter(({ type }) => type === 'closed').length).toBe(association.state === 'closed' ? 1 : 0);
}

function openPeer(): RawPeer {
  const peer = new RawPeer({ maxPacketBytes, limits: { receiveBufferBytes } });
  peer.open();
  return peer;
}

test(`whatever a peer with the right tag sends, the association stays sound and ends when it vanishes (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
      const peer = openPeer();
      for (const o of operations) {
        apply(peer, o);
        expectSound(peer);
      }
      // Heartbeats find out that nobody is there.
      peer.advance(3_600_000);
      expect(peer.association.state).toBe('closed');
      expect(peer.association.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
      expect(peer.association.bufferedBytes()).toBe(0);
    }),
    { seed, numRuns: 600 },
  );
});

test(`packets of several random chunks, cut or changed, never throw (seed ${seed})`, () => {
  const chunk = fc
    .tuple(fc.oneof(fc.constantFrom(...Object.values(chunkType)), fc.nat(255)), fc.nat(255), fc.uint8Array({ maxLength: 40 }))
    .map(([type, flags, body]) => encodeChunk(type, flags, body));
  const change = fc.record({ at: fc.nat(), value: fc.nat(255), length: fc.nat() });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(chunk, { minLength: 1, maxLength: 5 }), change), { maxLength: 20 }), (packets) => {
      const peer = openPeer();
      for (const [chunks, { at, value, length }] of packets) {
        const whole = packet(peer.peerTag, ...chunks);
        peer.deliverBytes(whole);
        peer.drain();
        const changed = whole.slice();
        changed[at % changed.length] = value;
        peer.deliverBytes(changed);
        peer.deliverBytes(whole.slice(0, length % whole.length));
        peer.association.handleTimeout(peer.now);
        peer.drain();
        expectSound(peer);
      }
    }),
    { seed, numRuns: 400 },
  );
});

test(`random parameters of RE-CONFIG and INIT never throw (seed ${seed})`, () => {
  const parameter = fc
    .tuple(
      fc.oneof(fc.constantFrom(...Object.values(reConfigParameter), 7, 0x8000, 0x8008, 0xc000), fc.nat(65_535)),
      fc.option(fc.nat(65_535), { nil: undefined }),
      fc.uint8Array({ maxLength: 24 }),
    )
    .map(([type, length, body]) => {
      const stated = length ?? body.length + 4;
      return Uint8Array.of(type >> 8, type, stated >> 8, stated, ...body, ...new Uint8Array(-body.length & 3));
    });
  const parameters = fc.array(parameter, { maxLength: 4 }).map((list) => Uint8Array.from(list.flatMap((bytes) => [...bytes])));
  fc.assert(
    fc.property(fc.array(parameters, { maxLength: 12 }), (bodies) => {
      const peer = openPeer();
      for (const body of bodies) {
        peer.send(encodeChunk(chunkType.reConfig, 0, body));
        peer.exchange(0, encodeChunk(chunkType.init, 0, Uint8Array.of(...encodeInit(peer.init()).subarray(4, 20), ...body)));
        peer.association.handleTimeout(peer.now);
        peer.drain();
        expectSound(peer);
      }
    }),
    { seed, numRuns: 400 },
  );
});
