import { expect, test } from 'vitest';
import { formatCandidate, parseCandidate } from './candidate-line.ts';
import { SdpError } from './sdp-error.ts';

const body =
  '842163049 1 udp 1677729535 203.0.113.9 46154 typ srflx raddr 0.0.0.0 rport 0 generation 0 ufrag EsAw network-cost 999';

test.each(['', 'candidate:', 'a=candidate:'])('a candidate is read with %j before it', (prefix) => {
  expect(parseCandidate(prefix + body)).toEqual({
    foundation: '842163049',
    priority: 1677729535,
    address: '203.0.113.9',
    port: 46154,
    type: 'srflx',
    relatedAddress: '0.0.0.0',
    relatedPort: 0,
    ufrag: 'EsAw',
  });
});

test('what is written is read back', () => {
  const candidate = parseCandidate(body)!;
  expect(formatCandidate(candidate)).toBe(
    'candidate:842163049 1 udp 1677729535 203.0.113.9 46154 typ srflx raddr 0.0.0.0 rport 0 ufrag EsAw',
  );
  expect(parseCandidate(formatCandidate(candidate))).toEqual(candidate);
  const tcp = parseCandidate('1 1 TCP 2105524479 2001:db8::9 9 typ host tcptype active')!;
  expect(tcp).toMatchObject({ tcpType: 'active', address: '2001:db8::9' });
  expect(parseCandidate(formatCandidate(tcp))).toEqual(tcp);
});

test('I8: a .local name is an address like any other here', () => {
  expect(parseCandidate('candidate:1 1 udp 1 1f4712db-ea17-4bcf-a596-105139dfd8bf.local 5 typ host')?.address).toMatch(
    /\.local$/,
  );
});

test.each([
  'candidate:1 2 udp 1 192.0.2.1 5 typ host',
  'candidate:1 1 ssltcp 1 192.0.2.1 443 typ host',
  'candidate:1 1 udp 1 192.0.2.1 5 typ other',
  'candidate:1 1 tcp 1 192.0.2.1 5 typ host',
  'candidate:1 1 tcp 1 192.0.2.1 5 typ host tcptype strange',
])('%s is passed over', (text) => {
  expect(parseCandidate(text)).toBeUndefined();
});

test.each([
  '',
  'candidate:',
  'candidate:1',
  'candidate: 1 udp 1 192.0.2.1 5 typ host',
  'candidate:1 x udp 1 192.0.2.1 5 typ host',
  'candidate:1 1  udp 1 192.0.2.1 5 typ host',
  'candidate:1 1 udp -1 192.0.2.1 5 typ host',
  'candidate:1 1 udp 1 192.0.2.1;rm 5 typ host',
  'candidate:1 1 udp 1 192.0.2.1 5 typ',
  'candidate:1 1 udp 1 192.0.2.1 5 type host',
  'candidate:1 1 udp 1 192.0.2.1 5 typ host raddr 1.2.3.4 rport 65536',
  `candidate:1 1 udp 1 192.0.2.1 5 typ host${' a b'.repeat(40)}`,
])('%j breaks the grammar', (text) => {
  expect(() => parseCandidate(text)).toThrow(SdpError);
});

test('an extension without a value does no harm', () => {
  expect(parseCandidate('candidate:1 1 udp 1 192.0.2.1 5 typ host generation')?.port).toBe(5);
});
