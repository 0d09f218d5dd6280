import { wrap32 } from '@millrace/core';
import { expect, test } from 'vitest';
import { encodeParameter } from '../src/packet/chunk.ts';
import { chunkType } from '../src/packet/chunk-type.ts';
import {
  decodeReConfig,
  encodeOutgoingReset,
  encodeReConfig,
  encodeReConfigResponse,
  type ReConfigParameter,
  reConfigParameter,
  reConfigResult,
} from '../src/packet/re-config-chunk.ts';
import { connect, createPair, pattern, run } from './support/node.ts';
import { dataChunk, forwardTsnChunk, RawPeer, type SeenChunk, sackChunk, tsns, types } from './support/raw-peer.ts';

function openPeer(): RawPeer {
  const peer = new RawPeer();
  peer.open();
  return peer;
}

/** The parameters of all RE-CONFIG chunks, in their order. */
function reConfigs(chunks: readonly SeenChunk[]): ReConfigParameter[] {
  return chunks.filter(({ type }) => type === chunkType.reConfig).flatMap(({ bytes }) => decodeReConfig(bytes, 0, bytes.length)!);
}

function results(chunks: readonly SeenChunk[]): number[] {
  return reConfigs(chunks).flatMap((parameter) => (parameter.kind === 'response' ? [parameter.result] : []));
}

/** Our end asks to reset its outgoing streams. Its requests are numbered from its initial TSN. */
function outgoingReset(seq: number, lastTsn: number, ids: readonly number[]): Uint8Array {
  return encodeReConfig([encodeOutgoingReset(seq, 0, lastTsn, ids)]);
}

function incomingReset(seq: number, ids: readonly number[]): Uint8Array {
  const value = new Uint8Array(4 + 2 * ids.length);
  new DataView(value.buffer).setUint32(0, seq);
  for (const [i, id] of ids.entries()) new DataView(value.buffer).setUint16(4 + 2 * i, id);
  return encodeReConfig([encodeParameter(reConfigParameter.incomingReset, value)]);
}

function resets(peer: RawPeer, type: 'incoming-reset' | 'outgoing-reset'): (readonly number[])[] {
  return peer.events.flatMap((event) => (event.type === type ? [event.streamIds] : []));
}

test('a reset is performed, answered, and the stream starts from SSN 0', () => {
  const peer = openPeer();
  peer.send(dataChunk(1000, 'old', { streamId: 1 }), dataChunk(1001, 'old', { streamId: 1, ssn: 1 }));
  expect(results(peer.send(outgoingReset(1000, 1001, [1])))).toEqual([reConfigResult.performed]);
  expect(resets(peer, 'incoming-reset')).toEqual([[1]]);
  peer.send(dataChunk(1002, 'new', { streamId: 1, ssn: 0 }));
  expect(peer.texts).toEqual(['old', 'old', 'new']);
});

test('a reset that names no stream resets all that are known', () => {
  const peer = openPeer();
  peer.send(dataChunk(1000, 'a', { streamId: 1 }), dataChunk(1001, 'b', { streamId: 7 }));
  peer.send(outgoingReset(1000, 1001, []));
  expect(resets(peer, 'incoming-reset')).toEqual([[1, 7]]);
});

test('S51: a repeated request has the same answer and no second effect', () => {
  const peer = openPeer();
  peer.send(dataChunk(1000, 'old', { streamId: 1 }));
  const request = outgoingReset(1000, 1000, [1]);
  peer.send(request);
  peer.send(dataChunk(1001, 'zero', { streamId: 1, ssn: 0 }));
  expect(results(peer.send(request))).toEqual([reConfigResult.performed]);
  expect(resets(peer, 'incoming-reset')).toEqual([[1]]);
  // Had the repetition been performed, this message would wait for another of SSN 0.
  peer.send(dataChunk(1002, 'one', { streamId: 1, ssn: 1 }));
  expect(peer.texts).toEqual(['old', 'zero', 'one']);
});

test('S52: every kind of request advances the number, also one that is denied', () => {
  const peer = openPeer();
  peer.association.send(0, 3, 53, pattern(10));
  peer.drain();
  peer.send(sackChunk(peer.peerInitialTsn));
  const asked = peer.send(incomingReset(1000, [3]));
  expect(reConfigs(asked)).toMatchObject([
    { kind: 'outgoing-reset', requestSeq: peer.peerInitialTsn, streamIds: [3] },
    { kind: 'response', responseSeq: 1000, result: reConfigResult.performed },
  ]);
  const addStreams = encodeParameter(reConfigParameter.addOutgoing, Uint8Array.of(0, 0, 1001 >> 8, 1001 & 255, 0, 4, 0, 0));
  expect(results(peer.send(encodeReConfig([addStreams])))).toEqual([reConfigResult.denied]);
  expect(results(peer.send(outgoingReset(1002, 999, [2])))).toEqual([reConfigResult.performed]);
});

test('a request with a number from elsewhere is refused and changes nothing', () => {
  const peer = openPeer();
  peer.send(dataChunk(1000, 'old', { streamId: 1 }));
  for (const seq of [998, 1001, 5000]) {
    expect(results(peer.send(outgoingReset(seq, 1000, [1])))).toEqual([reConfigResult.badSequenceNumber]);
  }
  expect(resets(peer, 'incoming-reset')).toEqual([]);
  expect(results(peer.send(outgoingReset(1000, 1000, [1])))).toEqual([reConfigResult.performed]);
});

test('a stream that was not agreed on is refused', () => {
  const peer = openPeer();
  expect(results(peer.send(outgoingReset(1000, 999, [1, 100])))).toEqual([reConfigResult.wrongSsn]);
  expect(resets(peer, 'incoming-reset')).toEqual([]);
});

test('S54: a reset waits for the TSNs before it, and what comes after them belongs to the new stream', () => {
  const peer = openPeer();
  const request = outgoingReset(1000, 1001, [1]);
  peer.send(dataChunk(1001, 'two', { streamId: 1, ssn: 1 }));
  expect(results(peer.send(request))).toEqual([reConfigResult.inProgress]);
  peer.send(dataChunk(1002, 'new', { streamId: 1, ssn: 0 }));
  expect(peer.texts).toEqual([]);
  expect(resets(peer, 'incoming-reset')).toEqual([]);
  expect(results(peer.send(dataChunk(1000, 'one', { streamId: 1, ssn: 0 })))).toEqual([reConfigResult.performed]);
  expect(peer.texts).toEqual(['one', 'two', 'new']);
  expect(resets(peer, 'incoming-reset')).toEqual([[1]]);
  // RFC 6525 section 5.2.7: the peer may ask again under the next number; it is still the same reset.
  expect(results(peer.send(outgoingReset(1001, 1001, [1])))).toEqual([reConfigResult.performed]);
  expect(resets(peer, 'incoming-reset')).toEqual([[1]]);
});

test('S54: a reset whose last messages are given up completes through FORWARD-TSN', () => {
  const peer = openPeer();
  expect(results(peer.send(outgoingReset(1000, 1001, [1])))).toEqual([reConfigResult.inProgress]);
  expect(results(peer.send(forwardTsnChunk(1001, [[1, 1]])))).toEqual([reConfigResult.performed]);
  expect(resets(peer, 'incoming-reset')).toEqual([[1]]);
});

test('S54: our reset does not overtake what is queued, and later messages wait for its end', () => {
  const peer = openPeer();
  for (let i = 0; i < 20; i++) peer.association.send(0, 1, 53, pattern(1100, i));
  peer.association.resetStreams(0, [1]);
  peer.association.send(0, 1, 53, pattern(5));
  let seen = peer.drain();
  expect(reConfigs(seen)).toEqual([]);
  const sent = tsns(peer, seen);
  while (sent.length < 20) {
    seen = peer.send(sackChunk(peer.peerInitialTsn + sent.at(-1)!));
    sent.push(...tsns(peer, seen));
  }
  const requestSeq = peer.peerInitialTsn;
  expect(sent).toHaveLength(20);
  expect(reConfigs(seen)).toMatchObject([
    { kind: 'outgoing-reset', requestSeq, lastAssignedTsn: wrap32(peer.peerInitialTsn + 19), streamIds: [1] },
  ]);
  peer.send(sackChunk(peer.peerInitialTsn + 19));
  const after = peer.send(encodeReConfig([encodeReConfigResponse(requestSeq, reConfigResult.performed)]));
  const [data] = after.filter(({ type }) => type === chunkType.data);
  // The SSN starts again.
  expect([data!.bytes[10], data!.bytes[11]]).toEqual([0, 0]);
  expect(resets(peer, 'outgoing-reset')).toEqual([[1]]);
});

test('S54: our reset completes although the last message was given up', () => {
  const pair = connect(createPair({ seed: 54, link: { delayMs: 10, loss: 0.3 } }));
  for (let round = 0; round < 30; round++) {
    pair.a.machine.send(pair.sim.now, 1, 53, pattern(3000, round), { maxRetransmits: 0 });
    pair.a.machine.resetStreams(pair.sim.now, [1]);
    expect(run(pair, 120_000, () => pair.a.all('outgoing-reset').length === round + 1)).toBe(true);
    expect(run(pair, 120_000, () => pair.b.all('incoming-reset').length === round + 1)).toBe(true);
  }
  expect(pair.a.machine.stats.abandonedMessages).toBeGreaterThan(3);
});

test('a reset that the peer puts off is asked for again under the next number', () => {
  const peer = openPeer();
  peer.association.resetStreams(0, [1]);
  const [first] = reConfigs(peer.drain());
  const seq = peer.peerInitialTsn;
  expect(first).toMatchObject({ requestSeq: seq });
  peer.send(encodeReConfig([encodeReConfigResponse(seq, reConfigResult.inProgress)]));
  const [second, ...more] = reConfigs(peer.advance(1000));
  expect(second).toEqual({ ...first, requestSeq: seq + 1 });
  expect(more).toEqual([]);
  // Lost, and sent again as it is.
  expect(reConfigs(peer.advance(2000))).toEqual([second]);
  peer.send(encodeReConfig([encodeReConfigResponse(seq + 1, reConfigResult.performed)]));
  expect(resets(peer, 'outgoing-reset')).toEqual([[1]]);
  expect(reConfigs(peer.advance(60_000))).toEqual([]);
});

test('the late answer to a request that was put off is taken under either number', () => {
  const peer = openPeer();
  peer.association.resetStreams(0, [1]);
  peer.drain();
  const seq = peer.peerInitialTsn;
  peer.send(encodeReConfig([encodeReConfigResponse(seq, reConfigResult.inProgress)]));
  expect(reConfigs(peer.advance(1000))).toHaveLength(1);
  peer.send(encodeReConfig([encodeReConfigResponse(seq, reConfigResult.performed)]));
  expect(resets(peer, 'outgoing-reset')).toEqual([[1]]);
});

test('a stream that was reset late may be reset again although it has carried nothing since', () => {
  const peer = openPeer();
  peer.send(outgoingReset(1000, 1000, [1]));
  peer.send(dataChunk(1000, 'one', { streamId: 1 }));
  expect(resets(peer, 'incoming-reset')).toEqual([[1]]);
  // It asks for the answer that it missed, once; then it means a new reset.
  expect(results(peer.send(outgoingReset(1001, 1000, [1])))).toEqual([reConfigResult.performed]);
  expect(resets(peer, 'incoming-reset')).toHaveLength(1);
  expect(results(peer.send(outgoingReset(1002, 1000, [1])))).toEqual([reConfigResult.performed]);
  expect(resets(peer, 'incoming-reset')).toHaveLength(2);
});

test('what a peer asks us to reset has to be a stream of ours, and one that was used', () => {
  const peer = openPeer();
  expect(results(peer.send(incomingReset(1000, [100])))).toEqual([reConfigResult.wrongSsn]);
  expect(results(peer.send(incomingReset(1001, [5])))).toEqual([reConfigResult.nothingToDo]);
  expect(reConfigs(peer.advance(5000))).toEqual([]);
});

test('a request that is lost goes again under its own number', () => {
  const peer = openPeer();
  peer.association.resetStreams(0, [1, 2]);
  const seen = reConfigs([...peer.drain(), ...peer.advance(3000)]);
  expect(seen).toHaveLength(3);
  expect(new Set(seen.map((parameter) => JSON.stringify(parameter))).size).toBe(1);
});

test('a reset that the peer refuses ends with a typed error', () => {
  const peer = openPeer();
  peer.association.resetStreams(0, [1]);
  peer.drain();
  peer.send(encodeReConfig([encodeReConfigResponse(peer.peerInitialTsn, reConfigResult.denied)]));
  expect(peer.events.at(-1)).toMatchObject({ type: 'outgoing-reset', streamIds: [1], error: { code: 'RESET_FAILED' } });
});

test('a reset towards a peer that does not know RE-CONFIG ends with a typed error', () => {
  const peer = new RawPeer();
  peer.open({ reConfig: false });
  peer.association.resetStreams(0, [1]);
  expect(types(peer.drain())).not.toContain(chunkType.reConfig);
  expect(peer.events.at(-1)).toMatchObject({ type: 'outgoing-reset', streamIds: [1], error: { code: 'RESET_FAILED' } });
});

test('many streams are reset in as many requests as it takes', () => {
  const pair = connect(createPair());
  const ids = Array.from({ length: 300 }, (_, i) => i);
  for (const id of ids) pair.a.machine.send(pair.sim.now, id, 53, pattern(20, id));
  pair.a.machine.resetStreams(pair.sim.now, ids);
  expect(run(pair, 60_000, () => pair.a.all('outgoing-reset').flatMap(({ streamIds }) => streamIds).length === 300)).toBe(true);
  expect(
    pair.b
      .all('incoming-reset')
      .flatMap(({ streamIds }) => streamIds)
      .toSorted((a, b) => a - b),
  ).toEqual(ids);
  expect(pair.b.messages).toHaveLength(300);
});

test('S57: after a restart requests are numbered from the new initial TSN', () => {
  const peer = openPeer();
  peer.send(outgoingReset(1000, 999, [1]));
  peer.send(outgoingReset(1001, 999, [1]));
  // The peer comes back without its state and with other numbers.
  peer.open({ initiateTag: 0xcafe, initialTsn: 90_000 });
  peer.drain();
  expect(peer.events.at(-1)).toMatchObject({ type: 'restarted' });
  expect(results(peer.send(outgoingReset(1002, 89_999, [1])))).toEqual([reConfigResult.badSequenceNumber]);
  expect(results(peer.send(outgoingReset(90_000, 89_999, [1])))).toEqual([reConfigResult.performed]);
  peer.association.resetStreams(peer.now, [4]);
  expect(reConfigs(peer.drain())).toMatchObject([{ kind: 'outgoing-reset', requestSeq: peer.peerInitialTsn }]);
});

test('streams that still have something to send hold up no other, and each goes when it is ready', () => {
  const peer = openPeer();
  const busy = 50;
  for (let id = 0; id < busy; id++) peer.association.send(0, id, 53, pattern(3000, id));
  peer.association.resetStreams(0, [...Array.from({ length: busy }, (_, id) => id), 60]);
  const asked: number[] = [];
  let seen = peer.drain();
  for (let rounds = 0; asked.length < busy + 1 && rounds < 500; rounds++) {
    const acked = Math.max(-1, ...tsns(peer, seen));
    const requests = reConfigs(seen).filter(({ kind }) => kind === 'outgoing-reset');
    seen = acked < 0 ? [] : peer.send(sackChunk(peer.peerInitialTsn + acked));
    for (const request of requests) {
      if (request.kind !== 'outgoing-reset') continue;
      asked.push(...request.streamIds);
      seen.push(...peer.send(encodeReConfig([encodeReConfigResponse(request.requestSeq, reConfigResult.performed)])));
    }
  }
  expect(asked[0]).toBe(60);
  expect(asked.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: busy }, (_, id) => id), 60]);
  expect(resets(peer, 'outgoing-reset').flat()).toEqual(asked);
});
