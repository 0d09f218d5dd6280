import { expect, test, vi } from 'vitest';
import { PeerPair, type PeerPairOptions } from './testing/peer-pair.ts';

const limitBlocks = vi.hoisted(() => 20_000);

/** Keys that are soon used up: the real limits are beyond a test. */
vi.mock('../../../dtls/src/record/key-limits.ts', async (original) => {
  const { keyLimits, ...rest } = await original<{ keyLimits: Record<string, object> }>();
  const small = Object.entries(keyLimits).map(([name, limits]) => [name, { ...limits, sealBlocks: limitBlocks }]);
  return { ...rest, keyLimits: Object.fromEntries(small) };
});

/** Sends messages of 10 kB one by one until there are so many, or the peer has closed. */
function pour(options: Omit<PeerPairOptions, 'seed'>, count: number): PeerPair {
  const pair = new PeerPair({ seed: 3, ...options }).connect();
  const channel = pair.a.create('bulk');
  pair.until(() => pair.b.log.includes('bulk open'));
  for (let i = 0; i < count && pair.a.machine.state === 'connected'; i++) {
    channel.send(new Uint8Array(10_000));
    pair.until(() => channel.bufferedAmount === 0 || pair.a.machine.state === 'closed');
  }
  return pair;
}

test('the application is told at 90 % of the limit and at the limit, and the stats go on', () => {
  const { a, b } = pour({}, 40);
  expect(a.log.filter((line) => line.startsWith('keyUsage'))).toEqual(['keyUsage near', 'keyUsage reached']);
  const near = a.events.find((event) => event.type === 'keyUsage');
  expect(near?.usage.sealedBlocks).toBeGreaterThanOrEqual(0.9 * limitBlocks);
  expect(near?.usage.sealedBlocks).toBeLessThan(limitBlocks);
  expect(b.log.filter((line) => line === 'bulk bytes 10000')).toHaveLength(40);
  const { keyUsage } = a.machine.stats();
  expect(keyUsage).toMatchObject({ sealLimitBlocks: limitBlocks, failedOpens: 0 });
  expect(keyUsage!.sealedBlocks).toBeGreaterThan(limitBlocks);
  expect(keyUsage!.recordsBeyondLimit).toBeGreaterThan(0);
  expect(b.machine.stats().keyUsage!.sealedBlocks).toBeLessThan(limitBlocks);
});

test('with enforceKeyLimits the peer closes with the reason', () => {
  const pair = pour({ a: { enforceKeyLimits: true } }, 40);
  const closed = pair.a.events.at(-1);
  expect(closed).toMatchObject({ type: 'closed', error: { code: 'DTLS_FAILED', cause: { code: 'KEY_LIMIT_REACHED' } } });
  expect(pair.a.log).toContain('bulk close DTLS_FAILED');
  pair.until(() => pair.b.machine.state === 'closed');
});
