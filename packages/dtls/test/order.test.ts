import { describe, expect, test } from 'vitest';
import { createConfig } from '../src/config.ts';
import { decodeClientHello } from '../src/messages/client-hello.ts';
import { encodeClientKeyExchange } from '../src/messages/client-key-exchange.ts';
import { encodeHelloVerifyRequest } from '../src/messages/hello-verify-request.ts';
import { encodeEcdheParams, encodeServerKeyExchange } from '../src/messages/server-key-exchange.ts';
import {
  type End,
  type Pair,
  createEnd,
  createPair,
  drain,
  exchange,
  receive,
  sealText,
  serverCertificate,
  transmit,
} from './pair.ts';
import { concat, fragment, messageOf, record, recordsOf } from './wire.ts';

/** A pair up to the client's second flight, which is returned record by record. */
function withFlight(): Pair & { flight: Uint8Array[] } {
  const pair = createPair();
  receive(pair.server, 0, transmit(pair.client, 0));
  receive(pair.client, 0, transmit(pair.server, 0));
  return { ...pair, flight: transmit(pair.client, 0).flatMap(recordsOf) };
}

describe('TLS-8: the order of messages', () => {
  test('a message in the place of another ends the handshake with unexpected_message', () => {
    const { server } = withFlight();
    receive(server, 0, [fragment(16, 1, encodeClientKeyExchange(new Uint8Array(32)))]);
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'unexpected_message' } }]);
    const { client } = createPair();
    transmit(client, 0);
    receive(client, 0, [fragment(2, 0, new Uint8Array(0))]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { alert: 'decode_error' } }]);
  });

  test.each([
    ['Certificate', 0],
    ['ClientKeyExchange', 1],
    ['CertificateVerify', 2],
    ['ChangeCipherSpec', 3],
    ['Finished', 4],
  ])('without the %s the handshake is not complete, and with it later it is', (_, index) => {
    const { server, flight } = withFlight();
    receive(server, 0, flight.toSpliced(index, 1));
    expect(server.dtls.state).toBe('connecting');
    receive(server, 0, [flight[index]!]);
    expect(server.dtls.state).toBe('connected');
  });

  test('a Finished in the clear is dropped', () => {
    const { server, flight } = withFlight();
    receive(server, 0, [...flight.slice(0, 4), fragment(20, 4, new Uint8Array(12))]);
    expect(server.dtls.stats.dropped).toEqual({ 'wrong-epoch': 1 });
    receive(server, 0, flight.slice(4));
    expect(server.dtls.state).toBe('connected');
  });

  test('a handshake that was changed on the way fails at Finished', () => {
    const { client, server } = createPair();
    const [hello] = transmit(client, 0);
    // The suites stand before the compression methods and the extensions, CCM last.
    const body = decodeClientHello(messageOf(recordsOf(hello!)[0]!).body)!;
    const at = hello!.length - [...body.extensions.values()].reduce((sum, data) => sum + data.length + 4, 2) - 2;
    expect([...hello!.subarray(at - 2, at)]).toEqual([0xc0, 0xac]);
    hello![at - 1] = 0xad;
    receive(server, 0, [hello!]);
    exchange(client, server);
    expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'decrypt_error' } }]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'decrypt_error' } }]);
  });
});

describe('TLS-11: the key agreement', () => {
  test('an X25519 key of zeros is refused by the server', () => {
    const pair = createPair({}, { remoteFingerprints: undefined });
    receive(pair.server, 0, transmit(pair.client, 0));
    receive(pair.server, 0, [fragment(16, 1, encodeClientKeyExchange(new Uint8Array(32)))]);
    expect(pair.server.events).toMatchObject([{ type: 'closed', error: { alert: 'illegal_parameter' } }]);
  });

  test.each([
    ['an X25519 key of zeros', 29, new Uint8Array(32)],
    ['a compressed point', 23, new Uint8Array(33).fill(2)],
    ['a point that is not on the curve', 23, new Uint8Array(65).fill(4)],
    ['a group that was not offered', 25, new Uint8Array(133).fill(4)],
  ])('%s, signed as it should be, is refused by the client', (_, group, publicKey) => {
    const { client, server } = createPair({}, { remoteFingerprints: undefined });
    const [hello] = transmit(client, 0);
    const clientRandom = messageOf(recordsOf(hello!)[0]!).body.slice(2, 34);
    receive(server, 0, [hello!]);
    const flight = transmit(server, 0).flatMap(recordsOf);
    const serverRandom = messageOf(flight[0]!).body.slice(2, 34);
    const params = encodeEcdheParams(group, publicKey);
    const signature = serverCertificate.sign('SHA-256', concat(clientRandom, serverRandom, params));
    const { messageSeq } = messageOf(flight[2]!);
    const body = encodeServerKeyExchange(params, 0x0403, signature);
    receive(client, 0, [flight[0]!, flight[1]!, fragment(12, messageSeq, body), flight[3]!]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'illegal_parameter' } }]);
  });
});

describe('TLS-6: cookies', () => {
  test('cost the server no state: any object with the secret goes on where another asked', () => {
    const shared = {
      cookieExchange: true,
      cookieSecret: new Uint8Array(32).fill(9),
      clientIdentity: Uint8Array.of(127, 0, 0, 1, 5, 5),
    };
    const client = createEnd('client');
    client.dtls.connect(0);
    const first = createEnd('server', shared);
    receive(first, 0, transmit(client, 0));
    expect(first.dtls.state).toBe('new');
    expect(first.dtls.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
    receive(client, 0, transmit(first, 0));
    const second = createEnd('server', shared);
    const stranger = createEnd('server', { ...shared, clientIdentity: Uint8Array.of(127, 0, 0, 1, 5, 6) });
    const hello = transmit(client, 0);
    receive(stranger, 0, hello);
    expect(stranger.dtls.state).toBe('new');
    receive(second, 0, hello);
    expect(second.dtls.state).toBe('connecting');
    exchange(client, second);
    expect([client.dtls.state, second.dtls.state]).toEqual(['connected', 'connected']);
  });

  test('the request takes the record number of the hello, and is no larger than it', () => {
    const server = createEnd('server', { cookieExchange: true });
    const { client } = createPair();
    const [hello] = transmit(client, 0);
    hello!.set([0, 0, 1, 2, 3, 4], 5);
    receive(server, 0, [hello!]);
    const [request] = transmit(server, 0);
    expect([...request!.subarray(5, 11)]).toEqual([0, 0, 1, 2, 3, 4]);
    expect(request!.length).toBeLessThan(hello!.length);
    expect([...messageOf(request!).body.subarray(0, 2)]).toEqual([0xfe, 0xff]);
  });

  test('several requests are answered, a repeated one is not, and one that never ends is given up', () => {
    const { client } = createPair();
    transmit(client, 0);
    for (let i = 1; i <= 8; i++) {
      const request = fragment(3, 0, encodeHelloVerifyRequest(Uint8Array.of(i)));
      receive(client, 0, [request]);
      expect(transmit(client, 0).length).toBe(1);
      receive(client, 0, [request]);
      expect(transmit(client, 0)).toEqual([]);
    }
    receive(client, 0, [fragment(3, 0, encodeHelloVerifyRequest(Uint8Array.of(9)))]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED' } }]);
  });

  test('a client that begins anew during the handshake, from the same address, is taken', () => {
    const server = createEnd('server', { cookieExchange: true });
    const first = createEnd('client', {}, 1);
    const second = createEnd('client', {}, 2);
    first.dtls.connect(0);
    for (let round = 0; round < 2; round++) {
      receive(server, 0, transmit(first, 0));
      receive(first, 0, transmit(server, 0));
    }
    expect(server.dtls.state).toBe('connecting');
    second.dtls.connect(0);
    exchange(second, server);
    expect(second.dtls.state).toBe('connected');
    expect(server.events).toMatchObject([{ type: 'connected' }]);
  });
});

describe('TLS-5: fragments', () => {
  test('a forged piece with another length neither mixes with the message nor blocks it', () => {
    const { client, server } = createPair();
    receive(server, 0, transmit(client, 0));
    const flight = transmit(server, 0).flatMap(recordsOf);
    receive(client, 0, [flight[0]!, fragment(11, 1, new Uint8Array(900), 0, 50)]);
    receive(client, 0, flight.slice(1));
    expect(client.dtls.stats.dropped).toEqual({ 'handshake-conflict': 1 });
    exchange(client, server);
    expect(client.dtls.state).toBe('connected');
  });

  test('a fragment that reaches past its message, or past its record, is dropped', () => {
    const { client } = createPair();
    transmit(client, 0);
    const past = fragment(2, 0, new Uint8Array(60), 10, 30);
    past[13 + 8] = 50;
    const short = record(22, 0, 0, fragment(2, 0, new Uint8Array(60)).slice(13, 40));
    receive(client, 0, [past, short]);
    expect(client.dtls.stats.dropped).toEqual({ 'malformed-handshake': 2 });
    expect(client.dtls.state).toBe('connecting');
  });
});

describe('TLS-1: datagrams', () => {
  test('records that are cut off, too large, or of a kind or version that is not known are dropped', () => {
    const { client, server } = createPair();
    exchange(client, server);
    const cut = record(23, 1, 9, new Uint8Array(30));
    receive(server, 0, [
      cut.slice(0, 12),
      cut.slice(0, 20),
      record(23, 1, 9, new Uint8Array(2 ** 14 + 2049)),
      record(23, 1, 9, new Uint8Array(2 ** 14 + 300)),
      record(24, 0, 9, [1]),
      Uint8Array.of(0x2f, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14),
    ]);
    const version = record(22, 1, 9, new Uint8Array(30));
    version[2] = 0xff;
    receive(server, 0, [version, new Uint8Array(0)]);
    expect(server.dtls.stats.dropped).toEqual({
      'truncated-record': 2,
      'oversized-record': 2,
      'unknown-content-type': 2,
      'wrong-version': 1,
      'not-dtls': 1,
    });
  });
});

test('options that are not allowed are refused by name', () => {
  const onData = (): void => {};
  const base = { role: 'client' as const, onData };
  const cases: [object, RegExp][] = [
    [{ role: 'peer' }, /role/],
    [{ onData: undefined }, /onData/],
    [{ role: 'server' }, /certificate/],
    [{ cipherSuites: [] }, /cipherSuites/],
    [{ cipherSuites: ['TLS_NULL'] }, /cipherSuites .*AES_128_GCM/],
    [{ groups: ['X448'] }, /groups .*X25519/],
    [{ groups: ['X25519', 'X25519'] }, /groups/],
    [{ remoteFingerprints: [] }, /remoteFingerprints/],
    [{ remoteFingerprints: [{ algorithm: 'sha-256', value: 'XY' }] }, /remoteFingerprints/],
    [{ remoteFingerprints: [{ algorithm: 'sha-256' }] }, /remoteFingerprints/],
    [{ cookieSecret: new Uint8Array(8) }, /cookieSecret .*16/],
    [{ initialRetransmitMs: 0 }, /initialRetransmitMs/],
    [{ handshakeTimeoutMs: Number.NaN }, /handshakeTimeoutMs/],
    [{ maxDatagramBytes: 100 }, /maxDatagramBytes .*256/],
    [{ maxRecordsPerEpoch: 2 ** 49 }, /maxRecordsPerEpoch/],
    [{ engine: 'fast' }, /engine .*auto/],
    [{ limits: { maxMessageBytes: 1 } }, /limits.maxMessageBytes/],
    [{ limits: { maxBufferedBytes: 1.5 } }, /limits.maxBufferedBytes/],
    [{ limits: { maxEarlyRecords: -1 } }, /limits.maxEarlyRecords/],
  ];
  for (const [options, message] of cases) expect(() => createConfig({ ...base, ...options })).toThrow(message);
  const server = createEnd('server');
  expect(() => server.dtls.connect(0)).toThrow(/connect/);
  expect(() => server.dtls.setRoundTripTime(-1)).toThrow(/rttMs/);
  expect(() => server.dtls.setRemoteFingerprints([])).toThrow(/remoteFingerprints/);
});

test('the trace tells the way of a handshake', () => {
  const names: string[] = [];
  const { client, server } = createPair({ trace: ({ layer, name }) => void names.push(`${layer} ${name}`) });
  exchange(client, server);
  client.dtls.close(9);
  transmit(client, 9);
  drain(client);
  expect(names).toEqual(['dtls connected', 'dtls close', 'dtls alert-sent']);
});

test('nothing that was borrowed is kept, whatever kind of bytes it came in', () => {
  const { client, server } = createPair();
  const deliver = (to: End, datagrams: readonly Uint8Array[]): void => {
    for (const datagram of datagrams) {
      const borrowed = Buffer.alloc(datagram.length + 50);
      borrowed.set(datagram, 20);
      to.dtls.handleDatagram(0, borrowed, 20, 20 + datagram.length);
      borrowed.fill(0x58);
    }
    drain(to);
  };
  deliver(server, transmit(client, 0));
  // Backwards, so that messages wait for those before them, and records for their keys.
  deliver(client, transmit(server, 0).toReversed());
  deliver(server, transmit(client, 0).toReversed());
  deliver(client, transmit(server, 0).toReversed());
  expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
  deliver(server, [sealText(client, 'whole')]);
  expect(server.received).toEqual(['whole']);
});
