import { expect, test, vi } from 'vitest';
import { encodeUint16List } from '../src/byte-writer.ts';
import { messageOf, recordsOf, refragment } from './wire.ts';
import { createPair, exchange, receive, transmit } from './pair.ts';

/** What a browser of today adds to its hello: DTLS 1.3, a hybrid group first, GREASE, use_srtp. */
const added = vi.hoisted(() => ({ extensions: new Map<number, Uint8Array>() }));

vi.mock(import('../src/v12/negotiate.ts'), async (original) => {
  const negotiate = await original();
  return {
    ...negotiate,
    clientExtensions: (config) => new Map([...negotiate.clientExtensions(config), ...added.extensions]),
  };
});

function vector16(bytes: Uint8Array): Uint8Array {
  return Uint8Array.of(bytes.length >>> 8, bytes.length, ...bytes);
}

function keyShare(group: number, length: number): Uint8Array {
  return Uint8Array.of(...encodeUint16List([group]), ...vector16(new Uint8Array(length).fill(group)));
}

const groups = (list: number[]): Map<number, Uint8Array> =>
  new Map([
    [0x2a2a, new Uint8Array(0)],
    [10, vector16(encodeUint16List(list))],
    [14, Uint8Array.of(0, 4, 0, 1, 0, 2, 0)],
    [43, Uint8Array.of(6, 0x5a, 0x5a, 0xfe, 0xfc, 0xfe, 0xfd)],
    [51, vector16(Uint8Array.of(...keyShare(0x11ec, 1216), ...keyShare(29, 32)))],
    [0x8a8a, Uint8Array.of(0)],
  ]);

test.each([
  ['X25519', [0x3a3a, 0x11ec, 29, 23, 24], 29],
  ['P-256', [0x11ec, 23, 24], 23],
] as const)(
  'D1: a ClientHello in two fragments, with X25519MLKEM768 first and DTLS 1.3, is answered with 1.2 and %s',
  (_, list, code) => {
    for (const order of ['in order', 'reversed', 'a second time in other pieces']) {
      added.extensions = groups([...list]);
      const { client, server } = createPair();
      const fragments = transmit(client, 0);
      expect(fragments.length).toBe(2);
      receive(server, 0, fragments.slice(0, 1));
      expect(server.dtls.state).toBe('new');
      if (order === 'reversed') receive(server, 0, [...fragments].reverse());
      else if (order === 'in order') receive(server, 0, fragments.slice(1));
      else {
        client.dtls.handleTimeout(1000);
        const again = transmit(client, 1000);
        receive(server, 1000, again.slice(1));
      }
      expect(server.dtls.state).toBe('connecting');
      const flight = transmit(server, 0);
      const messages = flight.flatMap(recordsOf).map(messageOf);
      expect(messages.map((message) => message.type)).toEqual([2, 11, 12, 13, 14]);
      expect([...messages[0]!.body.subarray(0, 2)]).toEqual([0xfe, 0xfd]);
      expect([...messages[2]!.body.subarray(0, 3)]).toEqual([3, 0, code]);
      receive(client, 0, flight);
      exchange(client, server);
      expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
    }
  },
);

test('D1: with a cookie exchange the fragments of both hellos are put together', () => {
  added.extensions = groups([0x11ec, 29, 23]);
  const { client, server } = createPair({}, { cookieExchange: true });
  exchange(client, server);
  expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
});

test('a client of DTLS 1.3 alone is told so', () => {
  added.extensions = new Map([[43, Uint8Array.of(2, 0xfe, 0xfc)]]);
  const { client, server } = createPair();
  exchange(client, server);
  expect(server.events).toMatchObject([{ type: 'closed', error: { alert: 'protocol_version' } }]);
  expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'protocol_version' } }]);
});

test('a ClientHello in many tiny fragments, in any order and overlapping, is put together', () => {
  added.extensions = groups([0x11ec, 29, 23]);
  const { client, server } = createPair({ maxDatagramBytes: 4000 });
  const [whole] = transmit(client, 0);
  const pieces = [...refragment(whole!, 97), ...refragment(whole!, 131, 40)].reverse();
  receive(server, 0, pieces);
  expect(server.dtls.state).toBe('connecting');
  exchange(client, server);
  expect(client.dtls.state).toBe('connected');
});
