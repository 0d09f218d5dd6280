import { describe, expect, test, vi } from 'vitest';
import { exchange, createPair, send } from './pair.ts';

/** Changes the extensions of our ClientHello: to what other clients send. */
const change = vi.hoisted((): { extensions: (map: Map<number, Uint8Array>) => void } => ({ extensions: () => {} }));

vi.mock(import('../src/v12/negotiate.ts'), async (original) => {
  const negotiate = await original();
  return {
    ...negotiate,
    clientExtensions: (config) => {
      const extensions = new Map(negotiate.clientExtensions(config));
      change.extensions(extensions);
      return extensions;
    },
  };
});

describe('TLS-10: a peer without the extended master secret', () => {
  test('is taken, but nothing is exported (RFC 7627 section 5.4)', () => {
    change.extensions = (extensions) => extensions.delete(23);
    const { client, server } = createPair();
    exchange(client, server);
    send(client, server, 'up');
    send(server, client, 'down');
    expect([server.received, client.received]).toEqual([['up'], ['down']]);
    for (const { dtls } of [client, server]) {
      expect(() => dtls.exportKeyingMaterial('x', undefined, 20)).toThrow(expect.objectContaining({ code: 'EXPORT_REFUSED' }));
    }
  });
});

test.each([
  ['renegotiation_info', 0xff01],
  ['ec_point_formats', 11],
  ['supported_groups, so P-256 is taken', 10],
])('a client without %s connects', (_, type) => {
  change.extensions = (extensions) => extensions.delete(type);
  const { client, server } = createPair();
  exchange(client, server);
  expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
});

test.each([
  ['no signature_algorithms', 13, undefined, 'handshake_failure'],
  ['no signature algorithm that the server has', 13, [0, 2, 2, 1], 'handshake_failure'],
  ['malformed signature_algorithms', 13, [0, 3, 4, 3, 5], 'decode_error'],
  ['no group that the server has', 10, [0, 2, 0x11, 0xec], 'handshake_failure'],
  ['malformed supported_groups', 10, [0, 9, 0, 23], 'decode_error'],
  ['compressed points alone', 11, [1, 1], 'illegal_parameter'],
  ['malformed ec_point_formats', 11, [7, 0], 'decode_error'],
  ['renegotiation_info that is not empty', 0xff01, [2, 1, 1], 'handshake_failure'],
  ['extended_master_secret that is not empty', 23, [0], 'decode_error'],
  ['supported_versions without 1.2', 43, [2, 0xfe, 0xfc], 'protocol_version'],
  ['malformed supported_versions', 43, [3, 0xfe, 0xfd, 1], 'protocol_version'],
])('a client with %s is told why it is refused', (_, type, data, alert) => {
  change.extensions = (extensions) => {
    if (data === undefined) extensions.delete(type);
    else extensions.set(type, Uint8Array.from(data));
  };
  const { client, server } = createPair();
  exchange(client, server);
  expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert } }]);
  expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert } }]);
});
