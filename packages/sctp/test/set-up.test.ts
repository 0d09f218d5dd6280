import { readUint16 } from '@millrace/core';
import { expect, test } from 'vitest';
import { createAssociation } from '../src/index.ts';
import { encodeChunk, encodeParameter, joinParameters } from '../src/packet/chunk.ts';
import { chunkType } from '../src/packet/chunk-type.ts';
import { encodeAbort, encodeTextCause } from '../src/packet/error-cause.ts';
import { decodeInit, encodeInit } from '../src/packet/init-chunk.ts';
import { connect, createPair, isUp, pattern, run } from './support/node.ts';
import { dataChunk, packet, RawPeer, sacks, types } from './support/raw-peer.ts';

/** INIT or INIT ACK without its parameters of a type. */
function withoutParameter(init: Uint8Array, type: number): Uint8Array {
  const kept: number[] = [...init.subarray(0, 20)];
  for (let at = 20; at < init.length; ) {
    const length = readUint16(init, at + 2);
    const end = at + ((length + 3) & ~3);
    if (readUint16(init, at) !== type) kept.push(...init.subarray(at, end));
    at = end;
  }
  kept[2] = kept.length >> 8;
  kept[3] = kept.length & 0xff;
  return Uint8Array.from(kept);
}

test('S1: a duplicate INIT in ESTABLISHED is answered and changes nothing', () => {
  const peer = new RawPeer();
  peer.open();
  expect(peer.send(dataChunk(1000, 'one')).map((c) => c.type)).toEqual([chunkType.sack]);
  const [answer] = peer.exchange(0, encodeInit(peer.init()));
  expect(answer!.type).toBe(chunkType.initAck);
  expect(answer!.tag).toBe(peer.tag);
  peer.send(dataChunk(1001, 'two', { ssn: 1 }));
  expect(peer.texts).toEqual(['one', 'two']);
  expect(peer.association.state).toBe('established');
});

test('S2: INIT ACK and COOKIE ACK where none is expected are dropped', () => {
  const peer = new RawPeer();
  peer.open();
  expect(peer.send(encodeInit(peer.init(), Uint8Array.of(1, 2, 3)))).toEqual([]);
  expect(peer.send(encodeChunk(chunkType.cookieAck, 0))).toEqual([]);
  expect(peer.association.state).toBe('established');
  const idle = createAssociation({ random: { fill: (t) => void t.fill(3) } });
  const bytes = packet(0, encodeInit(peer.init(), Uint8Array.of(1)));
  idle.handleDatagram(0, bytes, 0, bytes.length);
  expect(idle.state).toBe('closed');
});

test('S4: when the first INIT is lost the same one is sent again', () => {
  const peer = new RawPeer();
  peer.association.connect(0);
  const [first] = peer.drain();
  const again = peer.advance(8000);
  expect(again.map((c) => c.type)).toEqual([chunkType.init, chunkType.init, chunkType.init]);
  for (const chunk of again) expect(chunk.bytes).toEqual(first!.bytes);
  const pair = createPair({ aToB: { delayMs: 5, intercept: (_, i) => (i < 2 ? 'drop' : 'pass') } });
  connect(pair, 'a');
  expect(isUp(pair)).toBe(true);
});

test('S5: the first retry comes after one second, or what the option says', () => {
  const pair = createPair({ aToB: { delayMs: 5, intercept: (_, i) => (i === 0 ? 'drop' : 'pass') } });
  connect(pair, 'a');
  expect(pair.sim.now).toBeGreaterThanOrEqual(1000);
  expect(pair.sim.now).toBeLessThan(1100);
  const quick = createPair({
    aToB: { delayMs: 5, intercept: (_, i) => (i === 0 ? 'drop' : 'pass') },
    a: { rto: { initialMs: 200, minMs: 100 } },
  });
  connect(quick, 'a');
  expect(quick.sim.now).toBeLessThan(300);
});

test('S6: when both ends call at once one association comes up', () => {
  for (const lag of [0, 2, 5, 7, 10, 12, 15, 20, 30]) {
    const pair = createPair();
    pair.a.machine.send(0, 0, 51, pattern(10));
    pair.b.machine.send(0, 0, 51, pattern(20));
    pair.a.machine.connect(0);
    pair.sim.run({ forMs: lag });
    pair.b.machine.connect(pair.sim.now);
    run(pair, 10_000, () => isUp(pair) && pair.a.messages.length === 1 && pair.b.messages.length === 1);
    expect(isUp(pair), `lag ${lag}`).toBe(true);
    expect([pair.a.messages.length, pair.b.messages.length], `lag ${lag}`).toEqual([1, 1]);
    expect(pair.a.all('connected').length + pair.b.all('connected').length, `lag ${lag}`).toBe(2);
    expect(pair.a.machine.stats.timeouts, `lag ${lag}`).toBe(0);
  }
});

test('every datagram of the handshake may be lost, from either side, with both or one calling', () => {
  for (const callers of ['a', 'both'] as const) {
    for (let drop = 0; drop < 5; drop++) {
      for (const side of ['aToB', 'bToA'] as const) {
        const lossy = {
          delayMs: 5,
          intercept: (_: Uint8Array, i: number) => (i === drop ? ('drop' as const) : ('pass' as const)),
        };
        const pair = createPair({ [side]: lossy });
        pair.a.machine.send(0, 1, 51, pattern(100));
        pair.b.machine.send(0, 1, 51, pattern(100));
        connect(pair, callers);
        run(pair, 20_000, () => pair.a.messages.length === 1 && pair.b.messages.length === 1);
        const name = `${callers} ${side} ${drop}`;
        expect(isUp(pair), name).toBe(true);
        expect([pair.a.messages.length, pair.b.messages.length], name).toEqual([1, 1]);
      }
    }
  }
});

test('S7: messages that arrive before COOKIE ACK are delivered after connected', () => {
  const peer = new RawPeer();
  peer.association.connect(0);
  const [init] = peer.drain();
  const theirs = decodeInit(init!.bytes, 0, init!.bytes.length)!;
  const [echo] = peer.exchange(theirs.initiateTag, encodeInit(peer.init(), Uint8Array.of(9, 9)));
  expect(echo!.type).toBe(chunkType.cookieEcho);
  peer.peerTag = theirs.initiateTag;
  expect(peer.send(dataChunk(1000, 'early'))).toEqual([]);
  expect(peer.events).toEqual([]);
  peer.send(encodeChunk(chunkType.cookieAck, 0));
  expect(peer.events.map((e) => e.type)).toEqual(['connected', 'message']);
});

test('S8: an unknown parameter 0x8001 in INIT is skipped; one whose type asks for it is reported', () => {
  const peer = new RawPeer();
  const init = encodeInit(peer.init());
  const extra = joinParameters([
    encodeParameter(0x8001, Uint8Array.of(0, 0, 0, 1)),
    encodeParameter(0xc123, Uint8Array.of(5)),
    encodeParameter(0x8008, Uint8Array.of(130)),
  ]);
  const padded = (init.length + 3) & ~3;
  const chunk = new Uint8Array(padded + extra.length);
  chunk.set(init);
  chunk.set(extra, padded);
  chunk[2] = chunk.length >> 8;
  chunk[3] = chunk.length;
  const [ack] = peer.exchange(0, chunk);
  expect(ack!.type).toBe(chunkType.initAck);
  const bytes = ack!.bytes;
  const unrecognized: number[] = [];
  for (let p = 20; p < bytes.length; p += (readUint16(bytes, p + 2) + 3) & ~3) {
    if (readUint16(bytes, p) === 8) unrecognized.push(readUint16(bytes, p + 4));
  }
  expect(unrecognized).toEqual([0xc123]);
});

test('an INIT that asks for nothing usable is answered with ABORT, one with tag 0 not at all', () => {
  for (const bad of [{ outboundStreams: 0 }, { inboundStreams: 0 }, { aRwnd: 1499 }]) {
    const peer = new RawPeer();
    expect(types(peer.exchange(0, encodeInit(peer.init(bad))))).toEqual([chunkType.abort]);
  }
  const peer = new RawPeer();
  expect(peer.exchange(0, encodeInit(peer.init({ initiateTag: 0 })))).toEqual([]);
  expect(peer.association.state).toBe('closed');
});

test('streams are the fewer of what one offers and the other takes', () => {
  const pair = connect(createPair({ a: { limits: { streams: 10 } }, b: { limits: { streams: 1000 } } }));
  expect(pair.a.all('connected')[0]).toMatchObject({ outgoingStreams: 10, incomingStreams: 10 });
  expect(() => pair.a.machine.send(0, 10, 51, pattern(1))).toThrow(RangeError);
});

test('messages queued for streams that the peer does not have are given up and the streams named', () => {
  const pair = createPair({ b: { limits: { streams: 10 } } });
  pair.a.machine.send(0, 9, 51, pattern(5));
  pair.a.machine.send(0, 12, 51, pattern(5));
  connect(pair);
  run(pair, 1000);
  expect(pair.b.messages.map((m) => m.streamId)).toEqual([9]);
  expect(pair.a.all('outgoing-reset')[0]).toMatchObject({ streamIds: [12], error: { code: 'RESET_FAILED' } });
  expect(pair.a.machine.bufferedBytes()).toBe(0);
});

test('a handshake that nobody answers ends with a typed error', () => {
  const peer = new RawPeer();
  peer.association.connect(0);
  const seen = peer.advance(1_000_000);
  peer.drain();
  expect(seen.filter((c) => c.type === chunkType.init).length).toBe(8);
  expect(peer.closed?.error?.code).toBe('TIMEOUT');
  expect(peer.association.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
  expect(() => peer.association.connect(peer.now)).toThrow('ended');
});

test('a forged, changed or stale cookie makes no association', () => {
  const peer = new RawPeer();
  const [ack] = peer.exchange(0, encodeInit(peer.init()));
  const init = decodeInit(ack!.bytes, 0, ack!.bytes.length)!;
  const changed = init.cookie!.slice();
  changed[8]! ^= 1;
  expect(peer.exchange(init.initiateTag, encodeChunk(chunkType.cookieEcho, 0, changed))).toEqual([]);
  expect(peer.exchange(init.initiateTag + 1, encodeChunk(chunkType.cookieEcho, 0, init.cookie!))).toEqual([]);
  peer.now = 61_000;
  const answer = peer.exchange(init.initiateTag, encodeChunk(chunkType.cookieEcho, 0, init.cookie!));
  expect(types(answer)).toEqual([chunkType.error]);
  expect(readUint16(answer[0]!.bytes, 4)).toBe(3);
  expect(peer.association.state).toBe('closed');
});

test('an INIT ACK without a cookie is answered with cause 2, one with tag 0 with nothing', () => {
  for (const [overrides, cookie, answered] of [
    [{}, undefined, 2],
    [{ outboundStreams: 0 }, Uint8Array.of(9), 7],
    [{ initiateTag: 0 }, Uint8Array.of(9), undefined],
  ] as const) {
    const peer = new RawPeer();
    peer.association.connect(0);
    const [init] = peer.drain();
    peer.peerTag = decodeInit(init!.bytes, 0, init!.bytes.length)!.initiateTag;
    const ack = encodeInit(peer.init(overrides), cookie ?? Uint8Array.of(9));
    // Without the parameter, which is the last but the extensions.
    const bytes = cookie === undefined ? withoutParameter(ack, 7) : ack;
    const answer = peer.send(bytes);
    expect(answer.map(({ bytes: abort }) => readUint16(abort, 4))).toEqual(answered === undefined ? [] : [answered]);
    expect(peer.closed?.error?.code).toBe('PROTOCOL_VIOLATION');
  }
});

test('DATA behind a COOKIE ECHO that takes long is not taken for lost when the answer comes', () => {
  const peer = new RawPeer({ rto: { initialMs: 1000 } });
  for (let i = 0; i < 3; i++) peer.association.send(0, 1, 51, pattern(1000));
  peer.association.connect(0);
  const [init] = peer.drain();
  peer.peerTag = decodeInit(init!.bytes, 0, init!.bytes.length)!.initiateTag;
  expect(types(peer.send(encodeInit(peer.init(), Uint8Array.of(9))))).toContain(chunkType.data);
  peer.now = 1500;
  peer.send(encodeChunk(chunkType.cookieAck, 0));
  peer.association.handleTimeout(peer.now);
  expect(types(peer.drain())).not.toContain(chunkType.data);
  expect(peer.association.stats.timeouts).toBe(0);
  // Where it is lost after all, T3 counts from the answer on.
  expect(types(peer.advance(1100))).toContain(chunkType.data);
});

test('a stale cookie of ours is replaced by another INIT', () => {
  const peer = new RawPeer();
  peer.association.send(0, 1, 51, pattern(4));
  peer.association.connect(0);
  const [init] = peer.drain();
  const theirs = decodeInit(init!.bytes, 0, init!.bytes.length)!;
  peer.peerTag = theirs.initiateTag;
  peer.send(encodeInit(peer.init(), Uint8Array.of(9)));
  const stale = encodeChunk(chunkType.error, 0, encodeParameter(3, new Uint8Array(4)));
  const again = peer.send(stale);
  expect(types(again)).toEqual([chunkType.init]);
  expect(again[0]!.bytes).toEqual(init!.bytes);
  const echo = peer.send(encodeInit(peer.init(), Uint8Array.of(10)));
  expect(types(echo)).toEqual([chunkType.cookieEcho]);
  peer.send(encodeChunk(chunkType.cookieAck, 0));
  expect(peer.association.state).toBe('established');
  // The DATA that went with the first cookie comes again.
  expect(types(peer.advance(1500))).toContain(chunkType.data);
});

test('a peer that restarts is taken back, with numbers from the beginning', () => {
  const peer = new RawPeer();
  peer.open();
  peer.send(dataChunk(1000, 'old'));
  peer.association.send(0, 1, 51, pattern(3000));
  peer.drain();
  const [ack] = peer.exchange(0, encodeInit({ ...peer.init(), initiateTag: 0xcafe, initialTsn: 77 }));
  const init = decodeInit(ack!.bytes, 0, ack!.bytes.length)!;
  expect(init.initiateTag).not.toBe(peer.peerTag);
  const [cookieAck] = peer.exchange(init.initiateTag, encodeChunk(chunkType.cookieEcho, 0, init.cookie!));
  expect([cookieAck!.type, cookieAck!.tag]).toEqual([chunkType.cookieAck, 0xcafe]);
  peer.drain();
  expect(peer.events.at(-1)).toEqual({ type: 'restarted' });
  expect(peer.association.bufferedBytes()).toBe(0);
  const [sack] = sacks(peer.exchange(init.initiateTag, dataChunk(77, 'new')));
  expect(sack!.cumulative).toBe(77);
  expect(peer.texts).toEqual(['old', 'new']);
  expect(peer.association.stats.abandonedMessages).toBe(1);
});

test('a peer that restarts with fewer streams is sent nothing beyond them, and what was asked of it is told', () => {
  const peer = new RawPeer();
  peer.open();
  peer.association.resetStreams(0, [3]);
  peer.drain();
  peer.association.send(0, 50, 51, pattern(20_000));
  peer.association.send(0, 50, 51, pattern(1000));
  peer.drain();
  peer.open({ initiateTag: 0xcafe, initialTsn: 77, inboundStreams: 2 });
  expect(peer.events.filter(({ type }) => type === 'restarted' || type === 'outgoing-reset')).toMatchObject([
    { type: 'restarted' },
    { type: 'outgoing-reset', streamIds: [3], error: { code: 'RESET_FAILED' } },
    { type: 'outgoing-reset', streamIds: [50], error: { code: 'RESET_FAILED' } },
  ]);
  expect(types(peer.advance(20_000))).not.toContain(chunkType.data);
  expect(peer.association.bufferedBytes()).toBe(0);
});

test('S27: an ABORT with cause 12 and a text closes with that cause', () => {
  const peer = new RawPeer();
  peer.open();
  peer.send(encodeAbort([encodeTextCause(12, 'Close called')]));
  expect(peer.closed?.error).toMatchObject({ code: 'ABORTED', causeCode: 12 });
  expect(peer.closed?.error?.message).toContain('Close called');
});

test('an ABORT or another packet with a wrong tag is dropped; one that reflects our tag counts', () => {
  const peer = new RawPeer();
  peer.open();
  peer.exchange(peer.peerTag + 1, encodeAbort([]));
  peer.exchange(peer.tag, encodeAbort([]));
  peer.exchange(0, dataChunk(1000, 'x'));
  expect(peer.association.state).toBe('established');
  expect(peer.association.stats.dropped).toMatchObject({ 'wrong-tag': 3 });
  peer.exchange(peer.tag, encodeAbort([], 1));
  expect(peer.closed?.error?.code).toBe('ABORTED');
});
