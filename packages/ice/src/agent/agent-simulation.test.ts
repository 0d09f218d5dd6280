import { expect, test } from 'vitest';
import { type Host, IceNetwork, ipv4, ipv6 } from '../testing/ice-network.ts';

const isDone = (...hosts: Host[]): boolean => hosts.every(({ agent }) => agent.state === 'completed');

function twoHosts(seed: number, link = {}): { net: IceNetwork; a: Host; b: Host } {
  const net = new IceNetwork(seed);
  const a = net.addHost({ role: 'controlling', addresses: [ipv4('192.0.2.1', 1000), ipv6('2001:db8::1', 1000)], link });
  const b = net.addHost({ role: 'controlled', addresses: [ipv4('192.0.2.2', 2000), ipv6('2001:db8::2', 2000)], link });
  return { net, a, b };
}

/** Both ends use the same two addresses. */
function expectSamePath(a: Host, b: Host): void {
  const ofA = a.agent.selectedPath!;
  const ofB = b.agent.selectedPath!;
  expect(ofA.remote.address).toBe(b.addresses[ofB.local]!.address);
  expect(ofB.remote.address).toBe(a.addresses[ofA.local]!.address);
}

test('two hosts connect in three round trips without loss', () => {
  const { net, a, b } = twoHosts(1);
  net.signal(a, b);
  net.signal(b, a);
  expect(net.run(1000, () => isDone(a, b))).toBe(true);
  expect(net.now).toBeLessThanOrEqual(20);
  expectSamePath(a, b);
  expect(a.states()).toEqual(['checking', 'connected', 'completed']);
  expect(b.states()).toEqual(['checking', 'connected', 'completed']);
  expect(a.events.filter(({ type }) => type === 'selected')).toEqual([
    { type: 'selected', path: a.agent.selectedPath, rttMs: 2 },
  ]);
  expect(a.agent.stats.rttMs).toBe(2);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'seed %i: under loss of 5 to 20 percent, jitter and duplicates both ends agree on a path',
  (seed) => {
    for (const loss of [0.05, 0.1, 0.2]) {
      const { net, a, b } = twoHosts(seed * 100 + loss * 10, { loss, delayMs: 20, jitterMs: 15, duplicate: 0.1 });
      net.signal(a, b, { parametersAfterMs: 10, candidatesAfterMs: 30 });
      net.signal(b, a, { parametersAfterMs: 25, candidatesAfterMs: 15 });
      expect(
        net.run(20_000, () => isDone(a, b)),
        `loss ${loss}`,
      ).toBe(true);
      // Ten minutes of consent under the same loss.
      expect(
        net.run(600_000, () => a.closed() !== undefined || b.closed() !== undefined),
        `loss ${loss}`,
      ).toBe(false);
      expectSamePath(a, b);
    }
  },
);

test.each([
  ['parameters before candidates', 0, 300],
  ['candidates before parameters', 300, 0],
])('trickling works with %s', (_, parametersAfterMs, candidatesAfterMs) => {
  const { net, a, b } = twoHosts(2);
  net.signal(a, b, { parametersAfterMs, candidatesAfterMs });
  net.signal(b, a, { parametersAfterMs, candidatesAfterMs });
  expect(net.run(2000, () => isDone(a, b))).toBe(true);
  expect(net.now).toBeLessThan(340);
  expectSamePath(a, b);
});

test('checks that come before the remote parameters are answered at once and followed up', () => {
  const { net, a, b } = twoHosts(3);
  net.signal(b, a);
  net.signal(a, b, { parametersAfterMs: 400, candidatesAfterMs: 10_000 });
  net.run(300);
  expect(a.agent.state).toBe('completed');
  expect(b.agent.state).toBe('new');
  expect(net.run(200, () => isDone(a, b))).toBe(true);
  expect(net.now).toBeLessThan(420);
});

test('peer-reflexive: a host behind a NAT connects although its candidates reach nobody', () => {
  for (const isSymmetric of [false, true]) {
    for (const role of ['controlling', 'controlled'] as const) {
      const net = new IceNetwork(4);
      const server = net.addHost({
        role: role === 'controlling' ? 'controlled' : 'controlling',
        addresses: [ipv4('192.0.2.1', 3478)],
      });
      const addresses = [ipv4('10.0.0.5', 5000), ipv4('10.9.0.5', 5001)];
      const client = net.addHost({ role, addresses, nat: { address: '198.51.100.7', isSymmetric } });
      net.signal(server, client);
      net.signal(client, server);
      expect(net.run(3000, () => isDone(server, client))).toBe(true);
      expect(server.agent.selectedPath!.remote.address).toBe('198.51.100.7');
      expect(client.agent.selectedPath!.remote).toMatchObject({ address: '192.0.2.1', port: 3478 });
    }
  }
});

test('a host without announced candidates is found by its checks alone', () => {
  const net = new IceNetwork(5);
  const a = net.addHost({ role: 'controlling', addresses: [ipv4('192.0.2.1', 1)] });
  const b = net.addHost({ role: 'controlled', addresses: [ipv4('192.0.2.2', 2)] });
  b.candidates.length = 0;
  net.signal(a, b);
  net.signal(b, a);
  expect(net.run(1000, () => isDone(a, b))).toBe(true);
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])('I1: seed %i: two ends with the same role settle it and connect', (seed) => {
  for (const role of ['controlling', 'controlled'] as const) {
    for (const loss of [0, 0.1]) {
      const net = new IceNetwork(seed);
      const link = { delayMs: 5, jitterMs: 4, loss };
      const a = net.addHost({ role, addresses: [ipv4('192.0.2.1', 1), ipv4('203.0.113.1', 1)], link });
      const b = net.addHost({ role, addresses: [ipv4('192.0.2.2', 2), ipv4('203.0.113.2', 2)], link });
      net.signal(a, b, { parametersAfterMs: seed });
      net.signal(b, a, { parametersAfterMs: 2 * ((seed * 7) % 5) });
      expect(
        net.run(20_000, () => isDone(a, b)),
        `both ${role}, loss ${loss}`,
      ).toBe(true);
      expect(new Set([a.agent.role, b.agent.role]).size).toBe(2);
      expectSamePath(a, b);
    }
  }
});

test('I7: a peer that vanishes is noticed: disconnected first, then failed within the consent time', () => {
  const { net, a, b } = twoHosts(6);
  net.signal(a, b);
  net.signal(b, a);
  net.run(1000, () => isDone(a, b));
  net.run(60_000);
  b.isDown = true;
  const downAt = net.now;
  expect(net.run(20_000, () => a.agent.state === 'disconnected')).toBe(true);
  expect(net.run(30_000, () => a.closed() !== undefined)).toBe(true);
  expect(net.now - downAt).toBeLessThanOrEqual(30_000);
  expect(net.now - downAt).toBeGreaterThan(23_000);
  expect(a.closed()).toMatchObject({ error: { name: 'IceError', code: 'CONSENT_LOST' } });
  expect(a.agent.state).toBe('failed');
  expect(a.agent.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
  expect(a.states()).toEqual(['checking', 'connected', 'completed', 'disconnected', 'failed']);
});

test('an outage that ends within the consent time ends in the state before it', () => {
  const { net, a, b } = twoHosts(7);
  net.signal(a, b);
  net.signal(b, a);
  net.run(1000, () => isDone(a, b));
  net.run(20_000);
  a.isDown = true;
  expect(net.run(22_000, () => a.agent.state === 'disconnected')).toBe(true);
  a.isDown = false;
  expect(net.run(8000, () => isDone(a, b))).toBe(true);
  expect(net.run(120_000, () => !isDone(a, b))).toBe(false);
});

test('a NAT that forgets its mapping in the middle costs no connection', () => {
  for (const role of ['controlling', 'controlled'] as const) {
    const net = new IceNetwork(8);
    const server = net.addHost({
      role: role === 'controlling' ? 'controlled' : 'controlling',
      addresses: [ipv4('192.0.2.1', 3478)],
    });
    const client = net.addHost({ role, addresses: [ipv4('10.0.0.5', 5000)], nat: { address: '198.51.100.7' } });
    net.signal(server, client);
    net.signal(client, server);
    net.run(3000, () => isDone(server, client));
    const before = server.agent.selectedPath!.remote.port;
    net.run(30_000);
    client.mappings.clear();
    client.allowed.clear();
    expect(
      net.run(60_000, () => isDone(server, client) && server.agent.selectedPath!.remote.port !== before),
      role,
    ).toBe(true);
    expect(net.run(120_000, () => server.closed() !== undefined || client.closed() !== undefined)).toBe(false);
  }
});

test('consent is light: a request and an answer every five seconds, and nothing else', () => {
  const { net, a, b } = twoHosts(9);
  net.signal(a, b);
  net.signal(b, a);
  net.run(1000, () => isDone(a, b));
  net.run(1000);
  const before = a.link.stats.sent;
  net.run(600_000);
  const sent = a.link.stats.sent - before;
  expect(sent).toBeGreaterThan(2 * 95);
  expect(sent).toBeLessThan(2 * 155);
  expect(a.agent.stats.dropped).toEqual({});
});

test('without a pair that works the agent fails in time, with a typed error', () => {
  const net = new IceNetwork(10);
  const a = net.addHost({ role: 'controlling', addresses: [ipv4('192.0.2.1', 1)], connectTimeoutMs: 15_000 });
  a.agent.setRemoteParameters(0, { ufrag: 'gone', pwd: 'gonegonegonegonegonegone' });
  a.agent.addRemoteCandidate(0, { foundation: '1', priority: 1, address: '192.0.2.99', port: 9, type: 'host' });
  expect(net.run(14_999, () => a.closed() !== undefined)).toBe(false);
  expect(net.run(2, () => a.closed() !== undefined)).toBe(true);
  expect(a.closed()).toMatchObject({ error: { code: 'CONNECT_FAILED' } });
  // RFC 8489 section 6.2.1: at 0, 0.5, 1.5, 3.5 and 7.5 s.
  expect(a.link.stats.sent).toBe(5);
});
