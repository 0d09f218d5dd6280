import { formatHex, seededRandom, type TraceEvent } from '@millrace/core';
import { expect, test } from 'vitest';
import { createIceAgent } from '../create-ice-agent.ts';
import { bindingType } from '../stun/stun-constants.ts';
import { peerPwd, peerUfrag, RawPeer } from '../testing/raw-peer.ts';
import type { IceOptions } from '../types.ts';
import { asciiBytes } from './credentials.ts';

const lowest = new Uint8Array(8);
const highest = new Uint8Array(8).fill(255);

test('fragment and password are ice-chars of 24 and 128 random bits at least, and differ', () => {
  const agents = Array.from({ length: 50 }, () => new RawPeer().agent);
  expect(new Set(agents.map(({ localUfrag }) => localUfrag)).size).toBe(50);
  for (const { localUfrag, localPwd } of agents) {
    expect(localUfrag).toMatch(/^[A-Za-z0-9+/]{4,256}$/);
    expect(localPwd).toMatch(/^[A-Za-z0-9+/]{22,256}$/);
  }
  const given = new RawPeer({ ufrag: 'abcd', pwd: 'x'.repeat(22) }).agent;
  expect([given.localUfrag, given.localPwd]).toEqual(['abcd', 'x'.repeat(22)]);
});

test.each<[string, Partial<Record<keyof IceOptions, unknown>>]>([
  ['role', { role: 'leader' }],
  ['path', { path: undefined }],
  ['ufrag', { ufrag: 'abc' }],
  ['pwd', { pwd: 'with-dash'.repeat(4) }],
  ['paceMs', { paceMs: 0 }],
  ['consentIntervalMs', { consentIntervalMs: -1 }],
  ['consentTimeoutMs', { consentTimeoutMs: Number.NaN }],
  ['connectTimeoutMs', { connectTimeoutMs: Number.POSITIVE_INFINITY }],
])('a bad %s is refused by name', (name, options) => {
  const path: IceOptions['path'] = (local, remote) => ({ local, remote });
  expect(() => createIceAgent({ role: 'controlled', path, ...options } as IceOptions)).toThrow(new RegExp(name));
});

test('misuse throws at once and names what is allowed', () => {
  const peer = new RawPeer();
  const { agent } = peer;
  expect(() => agent.addLocalCandidate(0, -1, { family: 4, address: '192.0.2.1', port: 1 })).toThrow(/local/);
  expect(() => agent.addLocalCandidate(0, 0, { family: 4, address: '0.0.0.0', port: 1 })).toThrow(/address/);
  expect(() => agent.addLocalCandidate(0, 0, { family: 6, address: '192.0.2.1', port: 1 })).toThrow(/address/);
  expect(() => agent.addLocalCandidate(0, 0, { family: 6, address: 'fe80::1%eth0', port: 1 })).toThrow(/zone/);
  expect(() => agent.addLocalCandidate(0, 0, { family: 4, address: '192.0.2.1', port: 0 })).toThrow(/port/);
  expect(() => agent.setRemoteParameters(0, { ufrag: 'x', pwd: peerPwd })).toThrow(/ufrag/);
  expect(() => agent.setRemoteParameters(0, { ufrag: peerUfrag, pwd: 'short' })).toThrow(/pwd/);
  peer.know().know();
  expect(() => agent.setRemoteParameters(0, { ufrag: 'other', pwd: peerPwd })).toThrow(/set already/);
  agent.addRemoteCandidate(0, peer.candidate(1));
  expect(() => agent.pollTransmit(0, new Uint8Array(100), 0, 100)).toThrow(/room/);
});

test('priorities and foundations follow the formulas of RFC 8445', () => {
  const { agent } = new RawPeer();
  const again = agent.addLocalCandidate(0, 0, { family: 4, address: '192.0.2.1', port: 1000 });
  expect(again).toEqual({
    foundation: '1',
    priority: 126 * 2 ** 24 + 65535 * 2 ** 8 + 255,
    address: '192.0.2.1',
    port: 1000,
    type: 'host',
    ufrag: agent.localUfrag,
  });
  const sameAddress = agent.addLocalCandidate(0, 1, { family: 4, address: '192.0.2.1', port: 1001 });
  const other = agent.addLocalCandidate(0, 2, { family: 6, address: '2001:DB8::0:1', port: 1000 });
  expect(sameAddress.foundation).toBe('1');
  expect(other).toMatchObject({ foundation: '3', address: '2001:db8::1', priority: 126 * 2 ** 24 + 65533 * 2 ** 8 + 255 });
});

test('a check carries what RFC 8445 asks for', () => {
  for (const role of ['controlling', 'controlled'] as const) {
    const peer = new RawPeer({ role }).know();
    peer.agent.addRemoteCandidate(0, peer.candidate(1));
    const [check, ...more] = peer.requests();
    expect(more).toEqual([]);
    expect(check).toMatchObject({ path: peer.from(1), isAuthentic: true });
    expect(check!.message).toMatchObject({
      username: `${peerUfrag}:${peer.agent.localUfrag}`,
      priority: 110 * 2 ** 24 + 65535 * 2 ** 8 + 255,
      useCandidate: false,
      unknownRequired: [],
    });
    expect(check!.message.iceControlling?.length).toBe(role === 'controlling' ? 8 : undefined);
    expect(check!.message.iceControlled?.length).toBe(role === 'controlled' ? 8 : undefined);
  }
});

test('an authentic check is answered with the address it came from, and checked back', () => {
  const peer = new RawPeer().know();
  expect(peer.check(peer.from(7))).toBe(true);
  const [response, check, ...more] = peer.drain();
  expect(more).toEqual([]);
  expect(response).toMatchObject({ path: peer.from(7), isAuthentic: true, message: { type: bindingType.success } });
  expect(response!.message.mappedAddress).toEqual({ family: 4, address: '203.0.113.7', port: 2000 });
  expect(check).toMatchObject({ path: peer.from(7), isAuthentic: true, message: { type: bindingType.request } });
  expect(peer.answer(check!)).toBe(true);
  peer.drain();
  expect(peer.agent).toMatchObject({ state: 'connected', selectedPath: peer.from(7) });
  peer.check(peer.from(7), { useCandidate: true });
  peer.drain();
  expect(peer.agent.state).toBe('completed');
  expect(peer.events.at(-1)).toMatchObject({ type: 'state', state: 'completed' });
});

test('regular nomination: a controlling agent checks first and nominates what has worked', () => {
  const peer = new RawPeer({ role: 'controlling' }).know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  peer.wait(1);
  peer.answer(peer.requests()[0]!);
  const [nomination] = peer.requests();
  expect(nomination!.message).toMatchObject({ useCandidate: true });
  expect(peer.agent.state).toBe('connected');
  peer.answer(nomination!);
  peer.drain();
  expect(peer.agent).toMatchObject({ state: 'completed', selectedPath: peer.from(1) });
});

test('a controlling agent gives better pairs a moment, and no more', () => {
  const peer = new RawPeer({ role: 'controlling' }).know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1, { priority: 1000 }));
  peer.agent.addRemoteCandidate(0, peer.candidate(2, { foundation: '2', priority: 2000 }));
  const [better, worse] = peer.requests();
  expect(better!.path).toBe(peer.from(2));
  peer.wait(4);
  peer.answer(worse!);
  expect(peer.requests()).toEqual([]);
  expect(peer.agent.selectedPath).toBe(peer.from(1));
  peer.wait(5);
  expect(peer.requests()).toEqual([]);
  peer.wait(5);
  expect(peer.requests()[0]).toMatchObject({ path: peer.from(1), message: { useCandidate: true } });
});

test('a nomination that is refused is tried again later, not at once', () => {
  const peer = new RawPeer({ role: 'controlling' }).know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  peer.answer(peer.requests()[0]!);
  peer.answer(peer.requests()[0]!, { errorCode: 500 });
  expect(peer.requests()).toEqual([]);
  peer.wait(500);
  expect(peer.requests()[0]!.message.useCandidate).toBe(true);
});

test('I1: of two ends with one role the smaller tie-breaker gives way, whichever role it is', () => {
  for (const role of ['controlling', 'controlled'] as const) {
    const theirRole = role === 'controlling' ? 'iceControlling' : 'iceControlled';
    const none = { iceControlling: undefined, iceControlled: undefined };
    const keeps = new RawPeer({ role }).know();
    const isTold = role === 'controlling' ? lowest : highest;
    expect(keeps.check(keeps.from(1), { ...none, [theirRole]: isTold } as object)).toBe(true);
    const [conflict, ...more] = keeps.drain();
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({ isAuthentic: true, message: { type: bindingType.error, errorCode: 487 } });
    expect(keeps.agent.role).toBe(role);

    const yields = new RawPeer({ role }).know();
    yields.check(yields.from(1), { ...none, [theirRole]: role === 'controlling' ? highest : lowest } as object);
    expect(yields.agent.role).not.toBe(role);
    expect(yields.drain()[0]!.message.type).toBe(bindingType.success);
  }
});

test('I2: a 487 switches the role, and the next check goes out with integrity and a new tie-breaker', () => {
  for (const role of ['controlling', 'controlled'] as const) {
    const peer = new RawPeer({ role }).know();
    peer.agent.addRemoteCandidate(0, peer.candidate(1));
    const [first] = peer.requests();
    expect(peer.answer(first!, { errorCode: 487 })).toBe(true);
    const [second] = peer.requests();
    expect(peer.agent.role).not.toBe(role);
    expect(second).toMatchObject({ path: peer.from(1), isAuthentic: true });
    const before = first!.message.iceControlling ?? first!.message.iceControlled;
    const after = role === 'controlling' ? second!.message.iceControlled : second!.message.iceControlling;
    expect(after).toHaveLength(8);
    expect(after).not.toEqual(before);
    expect(second!.message.transactionId).not.toEqual(first!.message.transactionId);
    peer.answer(second!);
    peer.drain();
    expect(peer.agent.state).toBe('connected');
  }
});

test('I2: a forged 487 changes nothing, and endless ones are not followed', () => {
  const peer = new RawPeer({ role: 'controlling' }).know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  const [first] = peer.requests();
  expect(peer.answer(first!, { errorCode: 487 }, 'wrongwrongwrongwrongwrong')).toBe(false);
  expect(peer.agent.role).toBe('controlling');
  let rounds = 0;
  for (let sent = first; sent !== undefined && rounds < 100; rounds++) {
    peer.answer(sent, { errorCode: 487 });
    sent = peer.requests()[0];
  }
  expect(rounds).toBeLessThan(20);
});

test('I3: a controlled agent follows the newest nomination, there and back', () => {
  const peer = new RawPeer().know();
  const first = peer.connect(1);
  expect(peer.agent.selectedPath).toBe(first);
  const second = peer.connect(2);
  expect(peer.agent).toMatchObject({ state: 'completed', selectedPath: second });
  peer.wait(1000);
  peer.check(first, { useCandidate: true });
  peer.drain();
  expect(peer.agent.selectedPath).toBe(first);
  expect(peer.events.filter(({ type }) => type === 'selected')).toHaveLength(3);
});

test('I3: a nomination of a path that worked long ago is followed once it works again', () => {
  const peer = new RawPeer().know();
  const old = peer.connect(1);
  const current = peer.connect(2);
  for (let i = 0; i < 30; i++) {
    peer.wait(2000);
    for (const sent of peer.requests()) peer.answer(sent);
  }
  expect(peer.agent.selectedPath).toBe(current);
  peer.check(old, { useCandidate: true });
  expect(peer.agent.selectedPath).toBe(current);
  peer.answer(peer.requests().find(({ path }) => path === old)!);
  peer.drain();
  expect(peer.agent).toMatchObject({ state: 'completed', selectedPath: old });
});

test('a peer that nominates with every check gets the pair of the highest priority', () => {
  for (const order of [
    [1, 2, 3],
    [3, 2, 1],
    [2, 3, 1],
  ]) {
    const peer = new RawPeer().know();
    for (const host of order) peer.check(peer.from(host), { useCandidate: true, priority: 1_000_000 + host });
    for (const sent of peer.requests()) peer.answer(sent);
    peer.drain();
    for (let round = 0; round < 3; round++) {
      for (const host of order) peer.check(peer.from(host), { useCandidate: true, priority: 1_000_000 + host });
      for (const sent of peer.requests()) peer.answer(sent);
      expect(peer.agent.selectedPath).toBe(peer.from(3));
    }
  }
});

test('I4 does not apply: no server is asked for addresses, so no request is lost at gathering', () => {
  const peer = new RawPeer();
  expect(peer.drain()).toEqual([]);
  expect(peer.agent.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
});

test('I8: names and TCP candidates are passed over, and the others are used', () => {
  const peer = new RawPeer().know();
  const add = (more: object): boolean => peer.agent.addRemoteCandidate(0, peer.candidate(1, more));
  expect(add({ address: '7ddcee16-a6d7-4a1b-a2ee-0ab3c50cbb5b.local' })).toBe(false);
  expect(add({ tcpType: 'active', port: 9 })).toBe(false);
  expect(add({ address: '0.0.0.0' })).toBe(false);
  expect(add({ port: 0 })).toBe(false);
  expect(add({ address: 'fe80::1%2' })).toBe(false);
  expect(add({ ufrag: 'older' })).toBe(false);
  expect(peer.requests()).toEqual([]);
  expect(add({ ufrag: peerUfrag })).toBe(true);
  expect(add({})).toBe(true);
  expect(peer.agent.addRemoteCandidate(0, undefined)).toBe(true);
  expect(peer.requests()).toHaveLength(1);
});

test('pairs are of one family, and link-local addresses reach their like alone', () => {
  const peer = new RawPeer().know();
  peer.agent.addLocalCandidate(0, 1, { family: 6, address: '2001:db8::1', port: 1 });
  peer.agent.addLocalCandidate(0, 2, { family: 6, address: 'fe80::1', port: 1 });
  for (const address of ['203.0.113.1', '2001:DB8:0::2', 'fe80::2'])
    peer.agent.addRemoteCandidate(0, peer.candidate(1, { address }));
  const paths = peer.requests().map(({ path }) => `${path.local} ${path.remote.address}`);
  expect(paths.toSorted()).toEqual(['0 203.0.113.1', '1 2001:db8::2', '2 fe80::2']);
});

test('host candidates that share a socket share its pairs', () => {
  const peer = new RawPeer().know();
  peer.agent.addLocalCandidate(0, 0, { family: 4, address: '198.51.100.1', port: 1000 });
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  expect(peer.requests()).toHaveLength(1);
});

test('a first burst of checks goes at once, the others at their pace and in order of priority', () => {
  const peer = new RawPeer().know();
  for (let host = 1; host <= 12; host++) {
    peer.agent.addRemoteCandidate(0, peer.candidate(host, { foundation: `f${host}`, priority: 1000 + host }));
  }
  expect(peer.requests().map(({ path }) => path)).toEqual([12, 11, 10, 9, 8].map((host) => peer.from(host)));
  for (let host = 7; host >= 1; host--) {
    expect(peer.agent.pollTimeout()).toBe(peer.now + 50);
    peer.wait(50);
    expect(peer.requests()[0]!.path).toBe(peer.from(host));
  }
});

test('pairs of one foundation wait for each other, and a success sets all of them free', () => {
  const peer = new RawPeer({ role: 'controlled' }).know();
  for (let host = 1; host <= 3; host++) peer.agent.addRemoteCandidate(0, peer.candidate(host));
  const [first, ...more] = peer.requests();
  expect(more).toEqual([]);
  peer.answer(first!);
  expect(peer.requests()).toHaveLength(2);
});

test('requests are repeated at 0, 0.5, 1.5, 3.5, 7.5, 15.5 and 31.5 s under the same id, then the pair has failed', () => {
  const peer = new RawPeer({ connectTimeoutMs: 100_000 }).know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  const ids = [peer.requests()[0]!.message.transactionId];
  const times = [0];
  while (peer.agent.pollTimeout() < 100_000) {
    peer.wait(peer.agent.pollTimeout() - peer.now);
    for (const { message } of peer.requests()) {
      ids.push(message.transactionId);
      times.push(peer.now);
    }
  }
  expect(times).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
  expect(new Set(ids.map(String)).size).toBe(1);
  peer.check(peer.from(1));
  expect(peer.requests()).toHaveLength(1);
});

test('ICE-1: an unknown attribute that must be understood is answered with 420 and its type', () => {
  const peer = new RawPeer().know();
  expect(peer.send(peer.from(1), peer.requestWith(0x7777))).toBe(true);
  const [answer, ...more] = peer.drain();
  expect(more).toEqual([]);
  expect(answer).toMatchObject({ path: peer.from(1), isAuthentic: true, message: { type: bindingType.error, errorCode: 420 } });
  expect(formatHex(answer!.bytes)).toContain('000a000277770000');
  expect(peer.send(peer.from(1), peer.requestWith(0xc057))).toBe(true);
  expect(peer.drain()[0]!.message.type).toBe(bindingType.success);
});

test('a request without PRIORITY is answered with 400', () => {
  const peer = new RawPeer().know();
  expect(peer.check(peer.from(1), { priority: undefined } as object)).toBe(true);
  expect(peer.drain()).toMatchObject([{ isAuthentic: true, message: { errorCode: 400 } }]);
});

test('what is not authentic is dropped without an answer, and counted by reason', () => {
  const peer = new RawPeer().know();
  const path = peer.from(1);
  const ours = peer.agent.localUfrag;
  expect(peer.send(path, Uint8Array.of(1, 2, 3))).toBe(false);
  expect(peer.check(path, { username: asciiBytes(`other:${peerUfrag}`) })).toBe(false);
  expect(peer.check(path, { username: asciiBytes(`${ours}:other`) })).toBe(false);
  expect(peer.check(path, { username: asciiBytes(ours) })).toBe(false);
  expect(peer.check(path, { username: undefined } as object)).toBe(false);
  expect(peer.send(path, peer.request({}, 'wrongwrongwrongwrongwrong'))).toBe(false);
  const broken = peer.request();
  broken[broken.length - 1]! ^= 1;
  expect(peer.send(path, broken)).toBe(false);
  expect(peer.check(peer.path(path.remote, 9))).toBe(false);
  expect(peer.check(path, { type: 0x0003 })).toBe(false);
  expect(peer.check(path, { type: bindingType.indication })).toBe(false);
  expect(peer.check(path, { type: bindingType.success })).toBe(false);
  expect(peer.drain()).toEqual([]);
  expect(peer.agent.stats).toMatchObject({
    checksReceived: 0,
    dropped: {
      malformed: 1,
      'wrong-ufrag': 4,
      integrity: 1,
      fingerprint: 1,
      'unknown-local': 1,
      'unknown-method': 1,
      'unknown-transaction': 1,
    },
  });
});

test('ICE-6: an answer counts only with integrity and on the path that its request took', () => {
  const peer = new RawPeer().know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  const [sent] = peer.requests();
  expect(peer.answer(sent!, {}, 'wrongwrongwrongwrongwrong')).toBe(false);
  expect(peer.answer({ ...sent!, path: peer.from(2) })).toBe(false);
  expect(peer.answer(sent!, { mappedAddress: undefined } as object)).toBe(false);
  expect(peer.agent.state).toBe('checking');
  expect(peer.agent.stats.dropped).toEqual({ integrity: 1, 'wrong-path': 1, malformed: 1 });
  expect(peer.answer(sent!)).toBe(true);
  expect(peer.answer(sent!)).toBe(false);
  expect(peer.agent.state).toBe('connected');
});

test('consent is renewed by authentic answers alone, not by the requests or the noise of the peer', () => {
  const peer = new RawPeer().know();
  const path = peer.connect(1);
  const until = peer.now + 30_000;
  let consents = 0;
  while (peer.agent.state !== 'failed') {
    peer.wait(250);
    peer.check(path);
    consents += peer.requests().length;
  }
  expect(peer.now).toBe(until);
  expect(consents).toBeGreaterThanOrEqual(5);
  expect(consents).toBeLessThanOrEqual(8);
  expect(peer.events.at(-1)).toMatchObject({ type: 'closed', error: { code: 'CONSENT_LOST' } });
});

test('consent checks come every 5 s times 0.8 to 1.2, each with its own id', () => {
  const peer = new RawPeer({ random: seededRandom(1) }).know();
  peer.connect(1);
  const times: number[] = [];
  const ids = new Set<string>();
  while (times.length < 200) {
    peer.wait(Math.max(0, peer.agent.pollTimeout() - peer.now));
    for (const sent of peer.requests()) {
      times.push(peer.now);
      ids.add(String(sent.message.transactionId));
      peer.answer(sent);
    }
  }
  const gaps = times.slice(1).map((time, i) => time - times[i]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(6000);
  expect(new Set(gaps.map(Math.round)).size).toBeGreaterThan(100);
  expect(ids.size).toBe(200);
  expect(peer.agent.stats.consentRequestsSent).toBe(200);
});

test('against a lite peer the agent is controlling, whatever was asked for', () => {
  const peer = new RawPeer({ role: 'controlled' });
  peer.agent.setRemoteParameters(0, { ufrag: peerUfrag, pwd: peerPwd, lite: true });
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  expect(peer.agent.role).toBe('controlling');
  peer.answer(peer.requests()[0]!);
  const [nomination] = peer.requests();
  expect(nomination!.message.useCandidate).toBe(true);
  peer.answer(nomination!);
  peer.drain();
  expect(peer.agent.state).toBe('completed');
});

test('a peer that checks from ever new addresses makes the agent hold a bounded number of pairs', () => {
  const peer = new RawPeer().know();
  let checks = 0;
  for (let port = 1; port <= 1000; port++) {
    expect(peer.check(peer.from(1, port))).toBe(true);
    checks += peer.requests().length;
  }
  expect(checks).toBeLessThanOrEqual(100);
  expect(peer.agent.stats.dropped['pair-limit']).toBe(1000 - checks);
  for (let host = 1; host <= 200; host++) peer.agent.addRemoteCandidate(0, peer.candidate(host));
  expect(peer.agent.addRemoteCandidate(0, peer.candidate(250))).toBe(false);
});

test('a driver that never drains makes the agent hold a bounded number of answers and early checks', () => {
  const peer = new RawPeer();
  for (let port = 1; port <= 100; port++) peer.check(peer.from(1, port));
  expect(peer.agent.stats.dropped).toEqual({ 'response-queue': 68, 'early-check-limit': 84 });
  expect(peer.drain()).toHaveLength(32);
  peer.know();
  expect(peer.requests()).toHaveLength(16);
});

test('an early check of someone else is forgotten when the peer is known', () => {
  const peer = new RawPeer();
  peer.check(peer.from(1), { username: asciiBytes(`${peer.agent.localUfrag}:stranger`) });
  peer.check(peer.from(2));
  peer.drain();
  peer.know();
  expect(peer.requests().map(({ path }) => path)).toEqual([peer.from(2)]);
});

test('early calls do nothing, and a closed agent is silent for good', () => {
  const trace: TraceEvent[] = [];
  const peer = new RawPeer({ trace: (event) => void trace.push(event) }).know();
  peer.agent.addRemoteCandidate(0, peer.candidate(1));
  const [sent] = peer.requests();
  peer.wait(100);
  expect(peer.drain()).toEqual([]);
  peer.agent.close(peer.now);
  peer.agent.close(peer.now);
  expect(peer.answer(sent!)).toBe(false);
  expect(peer.check(peer.from(1))).toBe(false);
  expect(peer.agent.addRemoteCandidate(0, peer.candidate(2))).toBe(false);
  peer.wait(1e9);
  expect(peer.drain()).toEqual([]);
  expect(peer.agent).toMatchObject({ state: 'closed', selectedPath: undefined });
  expect(peer.agent.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
  expect(peer.events.map((event) => (event.type === 'state' ? event.state : event.type))).toEqual([
    'checking',
    'closed',
    'closed',
  ]);
  expect(trace.map(({ layer, name }) => [layer, name])).toEqual([
    ['ice', 'state'],
    ['ice', 'state'],
  ]);
});
