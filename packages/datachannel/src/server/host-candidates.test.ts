import type { Address, Candidate } from '@millrace/ice';
import { expect, test } from 'vitest';
import { canonicalAddress, interfaceAddresses, isWildcard, literalFamily } from './addresses.ts';
import { hostCandidates } from './host-candidates.ts';

const added: [number, Address][] = [];
const add = (local: number, address: Address): Candidate => {
  added.push([local, address]);
  return { foundation: `f${local}`, priority: 2_130_706_431, address: address.address, port: address.port, type: 'host' };
};

test('an agent gets one candidate per socket, signaling all that are announced', () => {
  added.length = 0;
  const sockets = [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ] as const;
  const candidates = hostCandidates(sockets, 7000, ['203.0.113.1', '203.0.113.2'], add);
  expect(added.map(([local, { address, port }]) => [local, address, port])).toEqual([
    [0, '203.0.113.1', 7000],
    [1, '2001:db8::1', 7000],
  ]);
  expect(candidates.map(({ address }) => address)).toEqual(['203.0.113.1', '203.0.113.2', '2001:db8::1']);
  expect(new Set(candidates.map(({ foundation }) => foundation)).size).toBe(3);
  expect(candidates[1]!.priority).toBeLessThan(candidates[0]!.priority);
});

test('no two candidates have the same priority', () => {
  const sockets = [
    { address: '0.0.0.0', family: 4 },
    { address: '::', family: 6 },
  ] as const;
  const announced = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '2001:db8::1', '2001:db8::2'];
  // As the agent has them: one less for each socket.
  const prioritized = (local: number, address: Address): Candidate => ({
    ...add(local, address),
    priority: 2_130_706_431 - 256 * local,
  });
  const priorities = hostCandidates(sockets, 7000, announced, prioritized).map(({ priority }) => priority);
  expect(new Set(priorities).size).toBe(5);
  expect(Math.min(...priorities)).toBe(2_130_706_431 - 256 * 4);
});

test('all interfaces stand for their addresses', () => {
  const candidates = hostCandidates([{ address: '0.0.0.0', family: 4 }], 7000, undefined, add);
  expect(candidates.map(({ address }) => address)).toEqual(interfaceAddresses(4));
  expect(interfaceAddresses(4)).not.toContain('0.0.0.0');
});

test('addresses of one kind are one text', () => {
  expect(canonicalAddress({ family: 6, address: '2001:DB8:0:0::1' })).toBe('2001:db8::1');
  expect(canonicalAddress({ family: 4, address: '192.0.2.1' })).toBe('192.0.2.1');
  expect([isWildcard('::'), isWildcard('0:0::0'), isWildcard('0.0.0.0'), isWildcard('::1')]).toEqual([true, true, true, false]);
});

test.each(['localhost', 'fe80::1%eth0', '1.2.3', '', 5])('%s is no address to bind to', (address) => {
  expect(() => literalFamily('addresses', address)).toThrow(/addresses must be IP addresses/);
});
