import { seededRandom } from '@millrace/core';
import { defaultProvider } from '@millrace/crypto';
import { expect, test, vi } from 'vitest';
import { certificates } from '../peer/testing/peer-pair.ts';
import { Transport, type TransportEvent } from './transport.ts';

function createTransport(index: 0 | 1): Transport {
  return new Transport({
    role: index === 0 ? 'client' : 'server',
    certificate: certificates[index]!,
    remoteFingerprints: [certificates[1 - index]!.fingerprint],
    maxDatagramBytes: 1200,
    handshakeTimeoutMs: 10_000,
    remoteSctpPort: 5000,
    limits: {},
    crypto: defaultProvider,
    random: seededRandom(index),
  });
}

function carry(from: Transport, to: Transport): boolean {
  const out = new Uint8Array(1500);
  const length = from.pollTransmit(0, out, 0, out.length);
  if (length > 0) to.handleDatagram(0, out, 0, length);
  return length > 0;
}

function drain(transport: Transport): TransportEvent[] {
  const events: TransportEvent[] = [];
  for (let event = transport.pollEvent(); event !== undefined; event = transport.pollEvent()) events.push(event);
  return events;
}

test('a new association of the other side under the same keys ends the connection with the reason', () => {
  const [a, b] = [createTransport(0), createTransport(1)];
  a.connect(0);
  while (carry(a, b) || carry(b, a));
  expect(drain(a).map(({ type }) => type)).toEqual(['secured', 'connected']);
  vi.spyOn(a.association!, 'pollEvent').mockReturnValueOnce({ type: 'restarted' });
  expect(drain(a)).toMatchObject([{ type: 'ended', error: { code: 'SCTP_FAILED' } }]);
  drain(b);
  while (carry(a, b));
  expect(drain(b)).toMatchObject([{ type: 'ended', error: { code: 'REMOTE_CLOSED' } }]);
});
