import { createHash } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once as onceEvent } from 'node:events';
import { randomBytes, seededRandom } from '@millrace/core';
import { generateCertificate } from '@millrace/crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { Channel } from '../channel-types.ts';
import { createServer } from './create-server.ts';
import { closeAll, connect, incoming, listen, messages, once, relayBetween, signal } from './testing/connect.ts';
import type { Peer } from './types.ts';

afterEach(closeAll);

/** Sends all of it as fast as the channel takes it. */
async function pour(channel: Channel, data: Uint8Array, messageBytes: number): Promise<void> {
  for (let at = 0; at < data.length; at += messageBytes) {
    if (!channel.send(data.slice(at, at + messageBytes))) await channel.writable();
  }
}

function hashOf(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

describe('two servers', () => {
  test.each(['active', 'passive'] as const)('an answer that is %s connects, and both ends open channels', async (setup) => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { offerer, answerer } = await signal(a, b, { answer: { setup } });
    const arriving = [once(answerer, 'channel'), once(offerer, 'channel')] as const;
    const received = [incoming(answerer, 1), incoming(offerer, 1)];
    const [fromA, fromB] = [offerer.createChannel('from a'), answerer.createChannel('from b')];
    fromA.send('one');
    fromB.send(Uint8Array.of(2));
    const [atB, atA] = await Promise.all(arriving);
    expect([atB.label, atA.label]).toEqual(['from a', 'from b']);
    expect(await Promise.all(received)).toEqual([['one'], [Uint8Array.of(2)]]);
    expect([fromA.id % 2, fromB.id % 2]).toEqual(setup === 'active' ? [1, 0] : [0, 1]);
    expect([offerer.state, answerer.state]).toEqual(['connected', 'connected']);
  });

  test('16 MiB arrive as they were sent, in both directions at once', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { offerer, answerer } = await connect(a, b);
    const data = randomBytes(seededRandom(1), 16 << 20);
    const arriving = once(answerer, 'channel');
    const near = offerer.createChannel('bulk');
    const far = await arriving;
    const count = data.length / 65_536;
    const [down, up] = [messages(far, count), messages(near, count)];
    await Promise.all([pour(near, data, 65_536), pour(far, data, 65_536)]);
    const sent = hashOf(data);
    expect(hashOf(...(await down))).toBe(sent);
    expect(hashOf(...(await up))).toBe(sent);
    await onceDrained(near);
    expect([near.bufferedAmount, offerer.stats().bufferedBytes]).toEqual([0, 0]);
  });

  test('many channels of all kinds carry their own messages', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { offerer, answerer } = await signal(a, b);
    const got = new Map<string, (string | Uint8Array)[]>();
    let left = 60 * 20;
    const done = new Promise<void>((resolve) => {
      answerer.on('channel', (channel) => {
        channel.on('message', (data) => {
          got.set(channel.label, [...(got.get(channel.label) ?? []), data]);
          if (--left === 0) resolve();
        });
      });
    });
    for (let c = 0; c < 60; c++) {
      const channel = offerer.createChannel(`c${c}`, { ordered: c % 2 === 0 });
      for (let i = 0; i < 20; i++) channel.send(`${c}:${i}`);
    }
    await done;
    for (let c = 0; c < 60; c++) {
      const expected = Array.from({ length: 20 }, (_, i) => `${c}:${i}`);
      const received = got.get(`c${c}`)!;
      expect(c % 2 === 0 ? received : received.toSorted()).toEqual(c % 2 === 0 ? expected : expected.toSorted());
    }
  });

  test('messages of all sizes and kinds are what they were', async () => {
    const [a, b] = await Promise.all([listen(), listen({ maxMessageSize: 1 << 20 })]);
    const { offerer, answerer } = await signal(a, b);
    const channel = offerer.createChannel('c');
    const sizes = [0, 1, 1100, 1200, 65_535, 65_536, 262_144, 1 << 20];
    const sent = sizes.flatMap((size) => [randomBytes(seededRandom(size), size), 'ü'.repeat(size / 2)]);
    const received = incoming(answerer, sent.length);
    for (const message of sent) channel.send(typeof message === 'string' ? message : message.slice());
    expect((await received).map((message) => hashOf(message))).toEqual(sent.map((message) => hashOf(message)));
    await expect(async () => channel.send(new Uint8Array((1 << 20) + 1))).rejects.toThrow(/at most 1048576/);
  });

  test('closing a peer closes its channels at both ends without an error, after what was queued', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { offerer, answerer } = await connect(a, b);
    const arriving = once(answerer, 'channel');
    const channel = offerer.createChannel('c');
    const far = await arriving;
    const received = messages(far, 100);
    const closes = [new Promise((done) => channel.once('close', done)), new Promise((done) => far.once('close', done))];
    const ends = [once(offerer, 'close'), once(answerer, 'close')];
    for (let i = 0; i < 100; i++) channel.send(new Uint8Array(10_000));
    await offerer.close();
    expect(await received).toHaveLength(100);
    expect(await Promise.all([...closes, ...ends])).toEqual([undefined, undefined, undefined, undefined]);
    expect([a.stats().peers, b.stats().peers]).toEqual([0, 0]);
    await offerer.close();
  });

  test('what the network does to datagrams is mended, and counted where it shows', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const relay = await relayBetween(a, b);
    const random = seededRandom(3);
    const draw = new Uint8Array(1);
    relay.tamper = (datagram) => {
      random.fill(draw);
      if (draw[0]! < 4) return [];
      if (draw[0]! < 8) return [datagram, datagram.slice()];
      if (draw[0]! < 12) return [datagram.map((byte, i) => (i === datagram.length - 1 ? byte ^ 1 : byte))];
      return [datagram];
    };
    const { offerer, answerer } = await signal(a, b, { relay });
    const channel = offerer.createChannel('c');
    const data = randomBytes(seededRandom(4), 1 << 20);
    const received = incoming(answerer, 64);
    await pour(channel, data, 16_384);
    expect(hashOf(...(await received))).toBe(hashOf(data));
    const dropped = answerer.stats().dropped;
    expect(Object.keys(dropped).filter((reason) => reason.startsWith('dtls.')).length).toBeGreaterThan(0);
  });

  test('I7: a peer that vanishes closes with CONSENT_LOST within the consent time', async () => {
    const [a, b] = await Promise.all([listen({ consentIntervalMs: 100, consentTimeoutMs: 500 }), listen({ closeTimeoutMs: 0 })]);
    const relay = await relayBetween(a, b);
    const { offerer } = await connect(a, b, { relay });
    const channel = offerer.createChannel('c');
    const closed = new Promise((done) => channel.once('close', done));
    const ended = once(offerer, 'close');
    relay.tamper = () => [];
    expect(await ended).toMatchObject({ name: 'ChannelError', code: 'CONSENT_LOST' });
    expect(await closed).toMatchObject({ code: 'CONSENT_LOST' });
    expect(() => channel.send('late')).toThrow(/closed/);
  });

  test('D19: a certificate that signaling did not announce is refused at both ends', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { peer: offerer, sdp, accept } = await a.offer();
    const forged = sdp.replace(/(a=fingerprint:sha-256) .*/, `$1 ${Array(32).fill('00').join(':')}`);
    const { peer: answerer, sdp: answer } = await b.answer(forged);
    const ends = [once(offerer, 'close'), once(answerer, 'close')];
    answerer.createChannel('c').send('secret');
    await accept(answer);
    for (const error of await Promise.all(ends)) expect(error).toMatchObject({ code: 'DTLS_FAILED' });
  });
});

describe('one port', () => {
  test('I9: fifty peers talk through one port', async () => {
    const certificate = await generateCertificate();
    const hub = await listen();
    const spokes = await Promise.all(Array.from({ length: 50 }, () => listen({ certificate })));
    hub.on('peer', (peer) => {
      peer.on('channel', (channel) => channel.on('message', (data) => channel.send(data)));
    });
    const echoes = await Promise.all(
      spokes.map(async (spoke, i) => {
        const { offerer } = await signal(spoke, hub);
        const channel = offerer.createChannel('echo');
        channel.send(`hello ${i}`);
        return messages(channel, 1);
      }),
    );
    expect(echoes).toEqual(spokes.map((_, i) => [`hello ${i}`]));
    expect(hub.stats().peers).toBe(50);
  });

  test('I9: a client that begins anew from the same address and port takes the place of its old connection', async () => {
    const [first, second, hub] = await Promise.all([listen({ closeTimeoutMs: 0 }), listen(), listen()]);
    const relay = await relayBetween(first, hub);
    const old = await connect(first, hub, { relay });
    const ended = once(old.answerer, 'close');
    relay.moveA(second.port);
    const fresh = await signal(second, hub, { relay });
    const received = incoming(fresh.answerer, 1);
    fresh.offerer.createChannel('again').send('hello');
    expect(await received).toEqual(['hello']);
    expect(await ended).toMatchObject({ code: 'REPLACED' });
    expect(hub.stats().peers).toBe(1);
  });

  test('connections made and closed one after another leave nothing behind', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    for (let i = 0; i < 20; i++) {
      const { offerer, answerer } = await connect(a, b);
      const ended = once(answerer, 'close');
      await offerer.close();
      await ended;
    }
    expect([a.stats().peers, b.stats().peers]).toEqual([0, 0]);
  });

  test('datagrams of nobody are dropped and counted', async () => {
    const server = await listen();
    const socket: Socket = createSocket('udp4');
    const check = new Uint8Array(44);
    check.set([0, 1, 0, 24, 0x21, 0x12, 0xa4, 0x42]);
    check.set([0, 6, 0, 9, ...new TextEncoder().encode('none:some')], 20);
    const datagrams = [
      check,
      Uint8Array.of(22, 254, 253),
      Uint8Array.of(1, 1),
      new Uint8Array(0),
      new Uint8Array(2000).fill(200),
    ];
    for (const datagram of datagrams) socket.send(datagram, server.port, '127.0.0.1');
    while (server.stats().datagramsReceived < datagrams.length) await new Promise((done) => setImmediate(done));
    expect(server.stats().dropped).toEqual({ 'unknown-fragment': 1, 'unknown-path': 4 });
    socket.close();
    await onceEvent(socket, 'close');
  });

  test('forged datagrams from the address of a peer are counted and change nothing', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const relay = await relayBetween(a, b);
    const { offerer, answerer } = await connect(a, b, { relay });
    const random = seededRandom(5);
    for (let i = 0; i < 200; i++) {
      const datagram = randomBytes(random, 1 + ((i * 37) % 1300));
      datagram[0] = [0, 1, 22, 23, 100][i % 5]!;
      relay.inject(datagram);
      // A record that looks right up to its tag.
      relay.inject(Uint8Array.from([23, 254, 253, 0, 1, 0, 0, 0, 0, 9, i, 0, 40, ...randomBytes(random, 40)]));
    }
    const received = incoming(answerer, 1);
    offerer.createChannel('c').send('alive');
    expect(await received).toEqual(['alive']);
    const { dropped } = answerer.stats();
    expect(Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(250);
  });
});

describe('life and death', () => {
  test('L1: after close nothing keeps the process alive', async () => {
    const active = (): string[] => process.getActiveResourcesInfo().filter((name) => /^(UDPWrap|Timeout|Immediate)$/.test(name));
    // Of the tests before.
    await expect.poll(active).toEqual([]);
    const [a, b] = await Promise.all([listen(), listen()]);
    await connect(a, b);
    // One peer is never described, and one channel is left open.
    await a.offer();
    (await connect(a, b)).offerer.createChannel('c');
    expect(active().filter((name) => name === 'UDPWrap')).toHaveLength(2);
    await closeAll();
    // A handle that is closed is gone a turn later.
    await expect.poll(active).toEqual([]);
    await a.close();
  });

  test('L9: closing one server leaves another in the same process alone', async () => {
    const [a, b, c, d] = await Promise.all([listen(), listen(), listen(), listen()]);
    await connect(a, b);
    const { offerer, answerer } = await connect(c, d);
    await Promise.all([a.close(), b.close()]);
    const received = incoming(answerer, 1);
    offerer.createChannel('c').send('still here');
    expect(await received).toEqual(['still here']);
  });

  test('a closed server takes no more offers', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { sdp } = await a.offer();
    await b.close();
    await expect(b.answer(sdp)).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
    await expect(b.offer()).rejects.toMatchObject({ code: 'SERVER_CLOSED' });
    expect(b.stats().socketBufferBytes).toBe(0);
  });

  test('what a listener throws does not disturb the others', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { offerer, answerer } = await connect(a, b);
    const thrown = new Promise((done) => {
      const listeners = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const listener of listeners) process.on('uncaughtException', listener);
        done(error.message);
      });
    });
    answerer.on('channel', (channel) => {
      channel.on('message', (data) => {
        channel.send(data);
        throw new Error('of the application');
      });
    });
    const channel = offerer.createChannel('c');
    channel.send('x');
    expect(await messages(channel, 1)).toEqual(['x']);
    expect(await thrown).toBe('of the application');
    expect(answerer.state).toBe('connected');
  });
});

test('what a callback of the application throws is its own affair, too', async () => {
  const thrown: string[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => thrown.push(error.message));
  try {
    const keyLog = (): void => {
      throw new Error('of keyLog');
    };
    const trace = (): void => {
      throw new Error('of trace');
    };
    const [a, b] = await Promise.all([listen({ keyLog, trace }), listen()]);
    const { offerer, answerer } = await connect(a, b);
    const received = incoming(answerer, 1);
    offerer.createChannel('c').send('x');
    expect(await received).toEqual(['x']);
    await closeAll();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  expect(new Set(thrown)).toEqual(new Set(['of keyLog', 'of trace']));
});

describe('signaling', () => {
  test('an offer that nobody answers closes its peer in time', async () => {
    const server = await listen({ connectTimeoutMs: 150 });
    const { peer, accept } = await server.offer();
    const error = await once(peer, 'close');
    expect(error).toMatchObject({ code: 'CONNECT_FAILED' });
    expect(error!.message).toContain('the other side was not described');
    await expect.poll(() => server.stats().peers).toBe(0);
    const other = await listen();
    const { sdp } = await other.answer((await server.offer()).sdp);
    await expect(accept(sdp)).rejects.toMatchObject({ code: 'WRONG_STATE' });
  });

  test('P1: the answer says active by default, passive on demand, and never actpass', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { sdp } = await a.offer();
    expect(sdp).toContain('a=setup:actpass');
    expect((await b.answer(sdp)).sdp).toContain('a=setup:active');
    expect((await b.answer(sdp, { setup: 'passive' })).sdp).toContain('a=setup:passive');
    expect((await b.answer(sdp.replace('actpass', 'active'))).sdp).toContain('a=setup:passive');
    await expect(b.answer(sdp.replace('actpass', 'active'), { setup: 'active' })).rejects.toThrow(RangeError);
  });

  test('an offer that can not be used is refused with the reason', async () => {
    const server = await listen();
    const { sdp } = await server.offer();
    const count = server.stats().peers;
    for (const bad of ['', 'v=0', sdp.replace(/a=fingerprint.*\r\n/, ''), sdp.replace('m=application', 'm=audio')]) {
      await expect(server.answer(bad)).rejects.toMatchObject({ name: 'ChannelError', code: 'INVALID_SDP' });
    }
    await expect(server.answer(5 as never)).rejects.toThrow(TypeError);
    expect(server.stats().peers).toBe(count);
  });

  test('an answer is taken once', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { sdp, accept, peer } = await a.offer();
    const { sdp: answer } = await b.answer(sdp);
    await expect(accept('nonsense')).rejects.toMatchObject({ code: 'INVALID_SDP' });
    const connected = once(peer, 'connected');
    await accept(answer);
    await expect(accept(answer)).rejects.toMatchObject({ code: 'WRONG_STATE' });
    await connected;
  });

  test('candidates may come later, in any of the forms that signaling uses', async () => {
    const [a, b] = await Promise.all([listen(), listen()]);
    const { peer, sdp, accept } = await a.offer();
    const bare = (text: string): string => text.replace(/a=candidate.*\r\n/g, '').replace('a=end-of-candidates\r\n', '');
    const { sdp: answer } = await b.answer(bare(sdp));
    await accept(bare(answer));
    const [line] = answer.match(/candidate:.*/)!;
    peer.addRemoteCandidate('candidate:1 1 udp 1 0f0f.local 9 typ host');
    peer.addRemoteCandidate('a=candidate:1 1 tcp 1 127.0.0.1 9 typ host tcptype active');
    const connected = once(peer, 'connected');
    peer.addRemoteCandidate(line!);
    await connected;
    peer.addRemoteCandidate('');
    peer.addRemoteCandidate(null);
    expect(() => peer.addRemoteCandidate('nonsense')).toThrow(/candidate/);
    expect(() => peer.addRemoteCandidate(5 as never)).toThrow(TypeError);
  });

  test('the number of peers is bounded', async () => {
    const server = await listen({ maxPeers: 2 });
    const { peer } = await server.offer();
    await server.offer();
    await expect(server.offer()).rejects.toMatchObject({ code: 'TOO_MANY_PEERS' });
    await peer.close();
    await server.offer();
  });

  test('the peer event comes before the answer, and names are the application’s where it gives them', async () => {
    const server = await listen();
    const seen: Peer[] = [];
    server.on('peer', (peer) => seen.push(peer));
    const first = server.offer({ id: 'alice' });
    expect(seen.map((peer) => peer.id)).toEqual(['alice']);
    expect((await first).peer).toBe(seen[0]);
    expect((await server.offer()).peer.id).not.toBe((await server.offer()).peer.id);
  });

  test('all interfaces are the default, with one port for both families', async () => {
    const server = await createServer();
    const { sdp } = await server.offer();
    const ports = [...sdp.matchAll(/a=candidate:.* (\d+) typ host/g)].map(([, port]) => Number(port));
    expect(ports.length).toBeGreaterThan(0);
    expect(new Set(ports)).toEqual(new Set([server.port]));
    expect(server.stats().socketBufferBytes).toBeGreaterThan(0);
    await server.close();
  });

  test('addresses that are announced stand in the place of the bound ones', async () => {
    const server = await listen({ announcedAddresses: ['203.0.113.7'] });
    const { sdp } = await server.offer();
    expect(sdp).toMatch(/a=candidate:\S+ 1 udp \d+ 203\.0\.113\.7 \d+ typ host/);
    expect(sdp).not.toContain('127.0.0.1');
  });

  test('a peer may differ from its server, within what the server allows', async () => {
    const server = await listen();
    const { sdp } = await server.offer({ maxMessageSize: 5000 });
    expect(sdp).toContain('a=max-message-size:5000');
    await expect(server.offer({ maxDatagramBytes: 1400 })).rejects.toThrow(/at most the server's, 1200/);
    await expect(server.offer({ maxMessageSize: -1 })).rejects.toThrow(RangeError);
  });

  test('a port that is taken is refused with the reason of the operating system', async () => {
    const server = await listen();
    await expect(listen({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

async function onceDrained(channel: Channel): Promise<void> {
  while (channel.bufferedAmount > 0) await new Promise((done) => setImmediate(done));
}
