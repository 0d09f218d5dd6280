import { describe, expect, test, vi } from 'vitest';
import { networkProfiles } from '@millrace/sim';
import { type EndOptions, type Pair, createPair, send, simulate } from './pair.ts';

// Many handshakes; a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 });

function isConnected({ client, server }: Pair): boolean {
  return client.dtls.state === 'connected' && server.dtls.state === 'connected';
}

function expectWorking(pair: Pair, now: number): void {
  expect(pair.client.events).toMatchObject([{ type: 'connected' }]);
  expect(pair.server.events).toMatchObject([{ type: 'connected' }]);
  send(pair.client, pair.server, 'up', now);
  send(pair.server, pair.client, 'down', now);
  expect([pair.server.received, pair.client.received]).toEqual([['up'], ['down']]);
}

type Fate = 'drop' | 'duplicate' | number;

/** Runs a handshake in which the given datagrams, counted per direction, meet a fate. */
function run(up: ReadonlyMap<number, Fate>, down: ReadonlyMap<number, Fate>, options: EndOptions): { pair: Pair; ms: number } {
  // Small datagrams make many of them.
  const pair = createPair({ ...options, maxDatagramBytes: 300 }, { ...options, maxDatagramBytes: 300 });
  const meet =
    (fates: ReadonlyMap<number, Fate>) =>
    (_: Uint8Array, index: number): Fate | 'pass' =>
      fates.get(index) ?? 'pass';
  const sim = simulate(pair, {
    seed: 1,
    aToB: { delayMs: 20, intercept: meet(up) },
    bToA: { delayMs: 20, intercept: meet(down) },
  });
  const done = sim.run({ forMs: 20_000, until: () => isConnected(pair) });
  expect(done).toBe(true);
  expectWorking(pair, sim.now);
  return { pair, ms: sim.now };
}

describe.each([{ cookieExchange: false }, { cookieExchange: true }])('with cookieExchange $cookieExchange', (options) => {
  const none = new Map<number, Fate>();
  const { pair, ms } = run(none, none, options);
  /** More than any handshake here sends, so that repeated ones are met as well. */
  const sent = pair.client.dtls.stats.recordsSent + pair.server.dtls.stats.recordsSent;

  test.each<[string, Fate, number]>([
    ['is lost', 'drop', 1100],
    ['comes twice', 'duplicate', 0],
    ['is 50 ms late', 50, 51],
    ['is 1500 ms late', 1500, 1100],
  ])('the handshake completes where any one datagram %s', (_, fate, extraMs) => {
    for (let index = 0; index <= sent; index++) {
      for (const up of [true, false]) {
        const fates = new Map([[index, fate]]);
        const { ms: took } = run(up ? fates : none, up ? none : fates, options);
        expect(took).toBeLessThanOrEqual(ms + extraMs);
      }
    }
  });

  test('the handshake completes where any two datagrams are lost', () => {
    for (let a = 0; a < 8; a++) {
      for (let b = 0; b < 8; b++) run(new Map([[a, 'drop']]), new Map([[b, 'drop']]), options);
    }
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])('the handshake completes with 30 %% loss, reordering and duplication, seed %i', (seed) => {
  const pair = createPair({ initialRetransmitMs: 100 }, { initialRetransmitMs: 100, cookieExchange: seed % 2 === 0 }, seed);
  const link = { delayMs: 10, jitterMs: 30, loss: 0.3, duplicate: 0.1, reorder: 0.1, reorderMs: 60 };
  const sim = simulate(pair, { seed, link });
  expect(sim.run({ forMs: 29_000, until: () => isConnected(pair) })).toBe(true);
  expectWorking(pair, sim.now);
});

test.each(Object.keys(networkProfiles) as (keyof typeof networkProfiles)[])('the handshake completes on the path %s', (name) => {
  const pair = createPair();
  const sim = simulate(pair, { seed: 5, link: networkProfiles[name] });
  expect(sim.run({ forMs: 10_000, until: () => isConnected(pair) })).toBe(true);
  expectWorking(pair, sim.now);
});

test('a path too narrow for the datagrams of the handshake gets smaller ones in the end', () => {
  const pair = createPair();
  const sim = simulate(pair, { seed: 1, link: { delayMs: 10, maxDatagramBytes: 600 } });
  expect(sim.run({ forMs: 29_000, until: () => isConnected(pair) })).toBe(true);
  expectWorking(pair, sim.now);
});

test('a peer that never answers ends the handshake with TIMEOUT', () => {
  const pair = createPair({ handshakeTimeoutMs: 5000 });
  const sim = simulate(pair, { seed: 1, link: { loss: 1 } });
  sim.run({ forMs: 60_000 });
  expect(pair.client.events).toMatchObject([{ type: 'closed', error: { code: 'TIMEOUT' } }]);
  expect(pair.client.dtls.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
});
