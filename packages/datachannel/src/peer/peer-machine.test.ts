import { randomBytes, seededRandom } from '@millrace/core';
import { describe, expect, test } from 'vitest';
import type { ChannelOptions } from '../channel-types.ts';
import { ChannelError } from '../errors.ts';
import { certificates, type PeerNode, PeerPair } from './testing/peer-pair.ts';

describe('connecting', () => {
  test.each(['a', 'b'] as const)('two peers connect with %s as the DTLS client, and talk both ways', (client) => {
    const pair = new PeerPair({ seed: 1, client });
    const channel = pair.a.create('chat');
    channel.send('hello');
    pair.until(() => pair.b.log.includes('chat hello'));
    expect(pair.b.log.slice(0, 4)).toEqual(['connected', 'channel chat', 'chat open', 'chat hello']);
    pair.b.channels[0]!.send(Uint8Array.of(1, 2, 3));
    pair.until(() => pair.a.log.includes('chat bytes 3'));
    expect(pair.a.log.slice(0, 3)).toEqual(['connected', 'chat open', 'chat bytes 3']);
    expect(channel.id).toBe(client === 'a' ? 0 : 1);
    expect([pair.a.machine.state, pair.b.machine.state]).toEqual(['connected', 'connected']);
  });

  test('the same seed gives the same run', () => {
    const run = (): unknown[] => {
      const pair = new PeerPair({ seed: 5, link: { delayMs: 10, jitterMs: 5, loss: 0.05 } }).connect();
      // Signatures differ in length: the platform draws for them.
      const { bytesDelivered: _, ...stats } = pair.sim.aToB.stats;
      return [pair.sim.now, stats, pair.sim.bToA.stats.sent];
    };
    expect(run()).toEqual(run());
  });

  test.each(Array.from({ length: 12 }, (_, i) => i))(
    'S7: although datagram %i of each side is lost, the channel opens after the connection and nothing of it is lost',
    (lost) => {
      const intercept = (_: Uint8Array, index: number): 'drop' | 'pass' => (index === lost ? 'drop' : 'pass');
      for (const client of ['a', 'b'] as const) {
        const pair = new PeerPair({ seed: 7, client, link: { delayMs: 5, intercept } });
        const channels = [pair.a.create('early'), pair.b.create('late')];
        for (const channel of channels) channel.send('hello');
        pair.until(() => pair.a.log.includes('late hello') && pair.b.log.includes('early hello'));
        expect(pair.sim.now).toBeLessThan(5000);
        expect(pair.a.log).toEqual(
          expect.arrayContaining(['connected', 'early open', 'channel late', 'late open', 'late hello']),
        );
        for (const end of [pair.a, pair.b]) expect(end.log[0]).toBe('connected');
      }
    },
  );

  test('a ClientHello that comes before this end has a path is held, not lost', () => {
    // The controlled end is the DTLS client; its first check back to a is delayed.
    let held = 0;
    const pair = new PeerPair({
      seed: 3,
      link: { delayMs: 5 },
      bToA: { delayMs: 5, intercept: (data) => (data[0]! < 4 && held++ < 2 ? 60 : 'pass') },
    }).connect();
    expect(pair.sim.now).toBeLessThan(400);
  });

  test('what comes before the description of the other side is held up to a limit', () => {
    const pair = new PeerPair({ seed: 3, link: { delayMs: 5 } });
    const path = pair.a.machine.selectedPath;
    expect(path).toBeUndefined();
    for (let i = 0; i < 20; i++) {
      pair.a.machine.handleDatagram(
        0,
        { local: 0, remote: { family: 4, address: '192.0.2.2', port: 5000 } },
        Uint8Array.of(22, 1),
        0,
        2,
      );
    }
    expect(pair.a.machine.stats().dropped).toEqual({ 'peer.early-datagram': 12 });
    pair.connect();
  });

  test('D19: a certificate that was not announced is refused, and no data passes', () => {
    const wrong = { fingerprints: [{ algorithm: 'sha-256', value: Array(32).fill('00').join(':') }] };
    for (const side of ['remoteOfA', 'remoteOfB'] as const) {
      const pair = new PeerPair({ seed: 2, [side]: wrong });
      pair.a.create('c').send('secret');
      pair.until(() => pair.a.machine.state === 'closed' && pair.b.machine.state === 'closed');
      expect(pair.a.log).toEqual(['c close DTLS_FAILED', 'closed DTLS_FAILED']);
      expect(pair.b.log).toEqual(['closed DTLS_FAILED']);
    }
  });

  test('D20: an end that closes is noticed at once by the other, whatever the state', () => {
    const pair = new PeerPair({ seed: 2 }).connect();
    pair.a.machine.close(pair.sim.now);
    const before = pair.sim.now;
    pair.until(() => pair.b.log.includes('closed'));
    expect(pair.sim.now - before).toBeLessThan(200);
    expect(pair.a.log.at(-1)).toBe('closed');
  });

  test('D21: STUN between the records of the handshake does no harm', () => {
    const pair = new PeerPair({
      seed: 4,
      link: { delayMs: 150 },
      a: { consentIntervalMs: 100 },
      b: { consentIntervalMs: 100 },
    }).connect();
    const dropped = [pair.a, pair.b].flatMap((end) => Object.keys(end.machine.stats().dropped));
    expect(dropped.filter((reason) => /^(dtls|peer)\./.test(reason))).toEqual([]);
  });

  test('no answer within the time allowed closes with CONNECT_FAILED', () => {
    const pair = new PeerPair({ seed: 2, link: { loss: 1 }, a: { connectTimeoutMs: 2000 } });
    pair.a.create('c');
    pair.until(() => pair.a.machine.state === 'closed');
    expect(pair.a.log).toEqual(['c close CONNECT_FAILED', 'closed CONNECT_FAILED']);
    expect(pair.sim.now).toBeLessThan(2100);
  });

  test('a path without DTLS behind it closes with CONNECT_FAILED or DTLS_FAILED in time', () => {
    const pair = new PeerPair({
      seed: 2,
      aToB: { intercept: (data) => (data[0]! < 4 ? 'pass' : 'drop') },
      a: { connectTimeoutMs: 3000 },
      b: { connectTimeoutMs: 3000 },
    });
    pair.until(() => pair.a.machine.state === 'closed' && pair.b.machine.state === 'closed');
    expect(pair.sim.now).toBeLessThan(6500);
    for (const end of [pair.a, pair.b]) expect(end.log.at(-1)).toMatch(/^closed (CONNECT|DTLS)_FAILED$/);
  });

  test('a second description is refused', () => {
    const pair = new PeerPair({ seed: 2 });
    expect(() => pair.a.describe(pair.b, 0, 'server')).toThrow(ChannelError);
  });

  test('P3: the ports of SCTP are those of the descriptions', () => {
    const pair = new PeerPair({
      seed: 2,
      a: { localSctpPort: 6000 },
      b: { localSctpPort: 7000 },
      remoteOfA: { sctpPort: 7000 },
      remoteOfB: { sctpPort: 6000 },
    }).connect();
    expect(pair.a.machine.state).toBe('connected');
  });

  test('both ends derive the same keying material', () => {
    const pair = new PeerPair({ seed: 2 });
    expect(() => pair.a.machine.exportKeyingMaterial('EXPORTER-x', undefined, 16)).toThrow(/NOT_CONNECTED|not/);
    pair.connect();
    const [a, b] = [pair.a, pair.b].map((end) => end.machine.exportKeyingMaterial('EXPORTER-x', undefined, 16));
    expect(a).toEqual(b);
  });
});

describe('data', () => {
  test.each(Array.from({ length: 12 }, (_, i) => i + 1))(
    'seed %i: all messages arrive once, whole and in order over a lossy network',
    (seed) => {
      const pair = new PeerPair({
        seed,
        link: { delayMs: 20, jitterMs: 10, loss: 0.05, duplicate: 0.02, reorder: 0.05, reorderMs: 30 },
      });
      const random = seededRandom(seed);
      const kinds: ChannelOptions[] = [{}, { ordered: false }, { negotiated: true, id: 100 }];
      const sent = new Map<string, string[]>();
      const got = new Map<string, string[]>();
      const digest = (data: string | Uint8Array): string =>
        typeof data === 'string' ? `text ${data}` : `bytes ${data.length} ${data[0]} ${data.at(-1)}`;
      pair.b.onMessage = (channel, data) => void got.set(channel.label, [...(got.get(channel.label) ?? []), digest(data)]);
      pair.b.create('c2', kinds[2]);
      for (const [index, options] of kinds.entries()) {
        const channel = pair.a.create(`c${index}`, options);
        const messages = Array.from({ length: 40 }, (_, i) => {
          const size = [0, 1, 1000, 5000, 40_000][i % 5]!;
          return i % 3 === 0 ? `${i}` : randomBytes(random, size);
        });
        sent.set(channel.label, messages.map(digest));
        for (const message of messages) channel.send(message);
      }
      const count = (): number => [...got.values()].reduce((sum, messages) => sum + messages.length, 0);
      pair.until(() => count() === 120, 120_000);
      expect(got.get('c0')).toEqual(sent.get('c0'));
      expect(got.get('c2')).toEqual(sent.get('c2'));
      expect(got.get('c1')!.toSorted()).toEqual(sent.get('c1')!.toSorted());
      pair.until(() => pair.a.machine.stats().bufferedBytes === 0);
    },
  );

  test('unreliable messages may be lost, but reliable ones beside them are not', () => {
    const pair = new PeerPair({ seed: 9, link: { delayMs: 10, loss: 0.2 } }).connect();
    const lossy = pair.a.create('lossy', { ordered: false, maxRetransmits: 0 });
    const steady = pair.a.create('steady');
    const lossyGot: (string | Uint8Array)[] = [];
    const steadyGot: (string | Uint8Array)[] = [];
    pair.b.onMessage = (channel, data) => void (channel.label === 'lossy' ? lossyGot : steadyGot).push(data);
    pair.until(() => pair.b.channels.length === 2);
    for (let i = 0; i < 200; i++) {
      lossy.send(`${i}`);
      steady.send(`${i}`);
      pair.sim.run({ forMs: 5 });
    }
    pair.until(() => steadyGot.length === 200 && lossy.bufferedAmount === 0);
    pair.sim.run({ forMs: 10_000 });
    expect(steadyGot).toEqual(Array.from({ length: 200 }, (_, i) => `${i}`));
    expect(lossyGot.length).toBeGreaterThan(50);
    expect(new Set(lossyGot).size).toBe(lossyGot.length);
    // Given up may also be what arrived while its acknowledgement was lost.
    expect(lossyGot.length + pair.a.machine.stats().abandonedMessages).toBeGreaterThanOrEqual(200);
  });

  test('S48: DCEP is not lost on a channel that does not retransmit', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const pair = new PeerPair({
        seed,
        link: { delayMs: 10, loss: 0.3 },
        a: { connectTimeoutMs: 120_000 },
        b: { connectTimeoutMs: 120_000 },
      });
      pair.a.create('lossy', { ordered: false, maxRetransmits: 0 });
      pair.until(() => pair.b.log.includes('lossy open'), 120_000);
    }
  });

  test('C28: messages that interleave on the wire are delivered whole', () => {
    const pair = new PeerPair({ seed: 4, link: { delayMs: 10, jitterMs: 20 } }).connect();
    const channels = [0, 1, 2, 3].map((i) => pair.a.create(`c${i}`, { ordered: i % 2 === 0 }));
    const seen: string[] = [];
    pair.b.onMessage = (channel, data) => {
      const bytes = data as Uint8Array;
      expect(bytes.every((byte) => byte === bytes[0])).toBe(true);
      expect(`c${bytes[0]}`).toBe(channel.label);
      seen.push(`${channel.label} ${bytes.length}`);
    };
    for (let size = 10_000; size <= 100_000; size += 30_000) {
      for (const [i, channel] of channels.entries()) channel.send(new Uint8Array(size).fill(i));
    }
    pair.until(() => seen.length === 16);
    expect(new Set(seen).size).toBe(16);
  });

  test('no datagram is larger than allowed, at both ends of the range', () => {
    for (const maxDatagramBytes of [512, 1200, 8000, 16_421]) {
      let largest = 0;
      const intercept = (data: Uint8Array): 'pass' => {
        largest = Math.max(largest, data.length);
        return 'pass';
      };
      const pair = new PeerPair({
        seed: 1,
        link: { delayMs: 2, intercept },
        a: { maxDatagramBytes },
        b: { maxDatagramBytes },
      }).connect();
      pair.a.create('c').send(new Uint8Array(200_000));
      pair.until(() => pair.b.log.includes('c bytes 200000'));
      expect(largest).toBeLessThanOrEqual(maxDatagramBytes);
      // One record holds 2^14 bytes, and the default suite adds 29.
      expect(largest).toBeGreaterThan(Math.min(maxDatagramBytes, 16_384 + 29) - 8);
    }
  });

  test('C20: closing a channel delivers what is queued', () => {
    const pair = new PeerPair({ seed: 6, link: { delayMs: 20, loss: 0.05 } }).connect();
    const channel = pair.a.create('c');
    let bytes = 0;
    pair.b.onMessage = (_, data) => void (bytes += data.length);
    for (let i = 0; i < 20; i++) channel.send(new Uint8Array(30_000));
    channel.close();
    pair.until(() => pair.b.log.includes('c close') && channel.state === 'closed');
    expect(bytes).toBe(600_000);
  });

  test('S55: a hundred channels opened, used and closed with data in flight leave the association alive', () => {
    const pair = new PeerPair({ seed: 6, link: { delayMs: 5, loss: 0.02 } }).connect();
    const steady = pair.a.create('steady');
    for (let i = 0; i < 100; i++) {
      const channel = pair.a.create(`c${i}`);
      channel.send(`m${i}`);
      channel.close();
      if (i % 10 === 9) pair.until(() => pair.b.log.includes(`c${i} close`));
    }
    steady.send('still here');
    pair.until(() => pair.b.log.includes('steady still here'));
    for (let i = 0; i < 100; i++) expect(pair.b.log).toContain(`c${i} m${i}`);
    expect(pair.a.machine.stats().channels).toBe(1);
  });

  test('S56: ids are used again, so that channels never run out', () => {
    const pair = new PeerPair({ seed: 6, link: { delayMs: 1 } }).connect();
    const ids = new Set<number>();
    for (let i = 0; i < 300; i++) {
      const channel = pair.a.create('c');
      ids.add(channel.id);
      pair.until(() => channel.state === 'open');
      channel.close();
      pair.until(() => channel.state === 'closed');
    }
    expect(ids.size).toBeLessThan(4);
  });
});

describe('the end', () => {
  test('closing delivers what is queued first, and tells the other side', () => {
    const pair = new PeerPair({ seed: 8, link: { delayMs: 20, loss: 0.02 } }).connect();
    const channel = pair.a.create('c');
    let bytes = 0;
    pair.b.onMessage = (_, data) => void (bytes += data.length);
    for (let i = 0; i < 10; i++) channel.send(new Uint8Array(20_000));
    pair.a.machine.close(pair.sim.now);
    expect(pair.a.machine.state).toBe('closing');
    expect(() => pair.a.create('late')).toThrow(/closing/);
    pair.until(() => pair.b.machine.state === 'closed' && pair.a.machine.state === 'closed');
    expect(bytes).toBe(200_000);
    expect(pair.a.log.slice(-2)).toEqual(['c close', 'closed']);
    expect(pair.b.log.slice(-2)).toEqual(['c close', 'closed']);
  });

  test('what can not be delivered in the time allowed is cut off with an error', () => {
    const pair = new PeerPair({ seed: 8, a: { closeTimeoutMs: 500 } }).connect();
    const channel = pair.a.create('c');
    pair.b.isMute = true;
    channel.send(new Uint8Array(200_000));
    pair.a.machine.close(pair.sim.now);
    const before = pair.sim.now;
    pair.until(() => pair.a.machine.state === 'closed');
    expect(pair.sim.now - before).toBeLessThan(600);
    expect(pair.a.log).toContain('c close PEER_CLOSED');
  });

  test('I7: a peer that vanishes is noticed within the consent time, and its channels close with CONSENT_LOST', () => {
    const pair = new PeerPair({ seed: 8, a: { consentIntervalMs: 500, consentTimeoutMs: 3000 } }).connect();
    const channel = pair.a.create('c');
    pair.until(() => channel.state === 'open');
    const before = pair.sim.now;
    pair.b.isMute = true;
    pair.until(() => pair.a.machine.state === 'closed');
    expect(pair.sim.now - before).toBeLessThan(4000);
    expect(pair.a.log.slice(-2)).toEqual(['c close CONSENT_LOST', 'closed CONSENT_LOST']);
    const out = new Uint8Array(1200);
    expect(pair.a.machine.pollTransmit(pair.sim.now, out, 0, out.length)).toBe(0);
  });

  test('an abort is told to the other side as one', () => {
    const pair = new PeerPair({ seed: 8 }).connect();
    const channel = pair.b.create('c');
    pair.until(() => channel.state === 'open');
    pair.a.machine.abort(pair.sim.now);
    pair.until(() => pair.b.machine.state === 'closed');
    expect(pair.b.log.slice(-2)).toEqual(['c close REMOTE_CLOSED', 'closed REMOTE_CLOSED']);
    const error = pair.b.events.flatMap((event) => (event.type === 'closed' ? [event.error] : []))[0];
    expect(error?.cause).toMatchObject({ code: 'ABORTED', causeCode: 12 });
  });

  /** All that `from` has to send reaches `to` before it is drained. */
  function carryAll(pair: PeerPair, from: PeerNode, to: PeerNode): void {
    const out = new Uint8Array(1200);
    const { now } = pair.sim;
    for (let n = from.machine.pollTransmit(now, out, 0, 1200); n > 0; n = from.machine.pollTransmit(now, out, 0, 1200))
      to.node.machine.handleDatagram(now, out.slice(0, n), 0, n);
  }

  test('messages, an abort and a close_notify that are read in one turn count in that order', () => {
    const pair = new PeerPair({ seed: 8 }).connect();
    const channel = pair.b.create('c');
    pair.until(() => channel.state === 'open' && pair.a.channels.length === 1);
    pair.sim.run({ forMs: 500 });
    pair.b.log.length = 0;
    for (const text of ['1', '2', '3']) pair.a.channels[0]!.send(text);
    carryAll(pair, pair.a, pair.b);
    pair.a.machine.abort(pair.sim.now);
    carryAll(pair, pair.a, pair.b);
    pair.b.drain();
    expect(pair.b.log).toEqual(['c 1', 'c 2', 'c 3', 'c close REMOTE_CLOSED', 'closed REMOTE_CLOSED']);
  });

  test('a channel that the other side opened, closes or sends on while the association ends is no fault', () => {
    const pair = new PeerPair({ seed: 8 }).connect();
    const [kept, reset] = [pair.a.create('kept'), pair.a.create('reset')];
    pair.until(() => kept.state === 'open' && reset.state === 'open' && pair.b.channels.length === 2);
    pair.b.log.length = 0;
    pair.a.create('new').send('first');
    reset.close();
    carryAll(pair, pair.a, pair.b);
    pair.a.machine.abort(pair.sim.now);
    carryAll(pair, pair.a, pair.b);
    // The association is gone, and the application is told so before its close event.
    expect(pair.b.channels[0]!.state).toBe('closing');
    expect(() => pair.b.channels[0]!.send('late')).toThrow(expect.objectContaining({ code: 'CHANNEL_CLOSED' }));
    pair.b.channels[0]!.close();
    pair.b.drain();
    expect(pair.b.log).toEqual(expect.arrayContaining(['channel new', 'new open', 'new first', 'closed REMOTE_CLOSED']));
    expect(pair.b.channels.map(({ state }) => state)).toEqual(['closed', 'closed', 'closed']);
  });

  test('a channel opened by the other side while this one closes is no fault', () => {
    const pair = new PeerPair({ seed: 8 }).connect();
    pair.a.create('first').send('x'.repeat(100_000));
    pair.a.machine.close(pair.sim.now);
    const late = pair.b.create('late');
    late.send('hello');
    pair.until(() => pair.a.machine.state === 'closed' && pair.b.machine.state === 'closed');
    expect(pair.b.log).toContain(`first ${'x'.repeat(100_000)}`);
    expect(pair.a.log.at(-1)).toBe('closed');
    expect(late.state).toBe('closed');
  });

  test('L5: after the end there is no timer and nothing to send', () => {
    const pair = new PeerPair({ seed: 8 }).connect();
    pair.a.machine.close(pair.sim.now);
    pair.until(() => pair.b.machine.state === 'closed' && pair.a.machine.state === 'closed');
    pair.sim.run({ forMs: 1000 });
    for (const end of [pair.a, pair.b]) expect(end.machine.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
    const sent = pair.sim.aToB.stats.sent + pair.sim.bToA.stats.sent;
    pair.sim.run({ forMs: 100_000 });
    expect(pair.sim.aToB.stats.sent + pair.sim.bToA.stats.sent).toBe(sent);
  });

  test('closing before the connection is up ends at once', () => {
    const pair = new PeerPair({ seed: 8 });
    const channel = pair.a.create('c');
    pair.a.machine.close(0);
    pair.a.drain();
    expect(pair.a.log).toEqual(['c close', 'closed']);
    expect(channel.state).toBe('closed');
  });
});

describe('noise', () => {
  test('garbage of every kind is dropped and counted, and the connection stays', () => {
    const pair = new PeerPair({ seed: 11 });
    const random = seededRandom(11);
    const inject = (): void => {
      for (const first of [0, 1, 3, 4, 19, 20, 22, 23, 40, 63, 64, 128, 255]) {
        for (const length of [1, 13, 20, 60, 1200]) {
          const data = randomBytes(random, length);
          data[0] = first;
          pair.sim.inject('a', data);
          pair.sim.inject('b', data.slice());
        }
      }
      pair.sim.inject('a', new Uint8Array(0));
    };
    inject();
    pair.connect();
    inject();
    const channel = pair.a.create('c');
    channel.send('alive');
    pair.until(() => pair.b.log.includes('c alive'));
    inject();
    expect(pair.a.machine.stats().dropped['peer.unknown-protocol']).toBeGreaterThan(30);
    expect([pair.a.machine.state, pair.b.machine.state]).toEqual(['connected', 'connected']);
  });

  test('datagrams that were changed on the way are dropped and counted, and everything arrives', () => {
    const random = seededRandom(12);
    const scratch = new Uint8Array(2);
    let changed = 0;
    const intercept = (data: Uint8Array): 'pass' => {
      random.fill(scratch);
      if (scratch[0]! < 8) {
        changed++;
        data[scratch[1]! % data.length]! ^= 0x55;
      }
      return 'pass';
    };
    const pair = new PeerPair({ seed: 12, link: { delayMs: 10, intercept } });
    const channel = pair.a.create('c');
    let bytes = 0;
    pair.b.onMessage = (_, data) => void (bytes += data.length);
    for (let i = 0; i < 10; i++) channel.send(new Uint8Array(50_000));
    pair.until(() => bytes === 500_000);
    expect(changed).toBeGreaterThan(10);
    expect(Object.values(pair.b.machine.stats().dropped).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3);
  });
});

test('misuse of the options is answered at once', () => {
  const base = {
    iceRole: 'controlling',
    certificate: certificates[0]!,
    path: () => undefined as never,
    now: () => 0,
    wake: () => {},
  } as const;
  expect(() => new PeerPair({ seed: 1, a: { ...base, maxDatagramBytes: 1 } })).toThrow(
    /maxDatagramBytes must be an integer from 512/,
  );
});
