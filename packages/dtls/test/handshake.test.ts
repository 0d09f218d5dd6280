import { describe, expect, test } from 'vitest';
import { defaultGroups } from '../src/named-groups.ts';
import type { CipherSuite } from '../src/types.ts';
import { connectedPair, send } from './pair.ts';

const suites: CipherSuite[] = [
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CCM',
  'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8',
];

describe.each(suites)('%s', (suite) => {
  test.each(defaultGroups.flatMap((group) => [false, true].map((cookieExchange) => ({ group, cookieExchange }))))(
    'a handshake over $group, cookieExchange $cookieExchange',
    ({ group, cookieExchange }) => {
      const only = { cipherSuites: [suite], groups: [group] };
      const { client, server } = connectedPair(only, { ...only, cookieExchange });
      expect(client.events).toMatchObject([{ type: 'connected', cipherSuite: suite }]);
      expect(server.events).toMatchObject([{ type: 'connected', cipherSuite: suite }]);
      send(client, server, 'up');
      send(server, client, 'down');
      expect(server.received).toEqual(['up']);
      expect(client.received).toEqual(['down']);
    },
  );
});
