import { createCertificate, generateCertificate } from '@millrace/crypto';
import { describe, expect, test } from 'vitest';
import { defaultCipherSuites } from '../src/cipher-suites.ts';
import { encodeClientHello } from '../src/messages/client-hello.ts';
import { encodeHelloVerifyRequest } from '../src/messages/hello-verify-request.ts';
import { encodeServerHello } from '../src/messages/server-hello.ts';
import { clientExtensions } from '../src/v12/negotiate.ts';
import { createConfig } from '../src/config.ts';
import { connectedPair, createEnd, createPair, drain, exchange, receive, sealText, send, simulate, transmit } from './pair.ts';
import { concat, fragment, messageOf, record, recordsOf, refragment } from './wire.ts';

const gcm = 0xc02b;

function hello(options: { suites?: number[]; signatures?: Uint8Array } = {}): Uint8Array {
  const extensions = new Map(clientExtensions(createConfig({ role: 'client', onData: () => {} })));
  if (options.signatures !== undefined) extensions.set(13, options.signatures);
  return encodeClientHello({
    version: 0xfefd,
    random: new Uint8Array(32).fill(7),
    sessionId: new Uint8Array(0),
    cookie: new Uint8Array(0),
    cipherSuites: options.suites ?? [gcm],
    compressionMethods: Uint8Array.of(0),
    extensions,
  });
}

test('D2: a flight repeated in fragments cut at other offsets completes the message with those of the first time', () => {
  const { client, server } = createPair();
  receive(server, 0, transmit(client, 0));
  const flight = transmit(server, 0).flatMap(recordsOf);
  // Of every message only even pieces of 256 bytes arrive, then pieces cut elsewhere.
  const first = flight.flatMap((bytes) => refragment(bytes, 256).filter((_, i) => i % 2 === 0));
  receive(client, 0, first);
  expect(client.dtls.state).toBe('connecting');
  receive(client, 1000, flight.flatMap((bytes) => refragment(bytes, 300, 100)).reverse());
  exchange(client, server, 1000);
  expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
});

test('D3: a flight without an answer is repeated after 1 s, then ever twice as late, at most 60 s apart', () => {
  const { client } = createPair({ handshakeTimeoutMs: 400_000 });
  transmit(client, 0);
  const sentAt: number[] = [];
  for (let now = client.dtls.pollTimeout(); client.dtls.state === 'connecting'; now = client.dtls.pollTimeout()) {
    client.dtls.handleTimeout(now - 0.5);
    expect(transmit(client, now - 0.5)).toEqual([]);
    client.dtls.handleTimeout(now);
    if (transmit(client, now).length > 0) sentAt.push(now);
  }
  expect(sentAt).toEqual([1000, 3000, 7000, 15_000, 31_000, 63_000, 123_000, 183_000, 243_000, 303_000, 363_000]);
  drain(client);
  expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'TIMEOUT' } }]);
});

test('D3: with a round trip that is known the timer starts at 1.5 times it, at least 50 ms, and doubles as well', () => {
  for (const [rttMs, expected] of [
    [100, [150, 450, 1050]],
    [1, [50, 150, 350]],
  ] as const) {
    const { client } = createPair();
    client.dtls.setRoundTripTime(rttMs);
    transmit(client, 0);
    const sentAt = expected.map(() => {
      const now = client.dtls.pollTimeout();
      client.dtls.handleTimeout(now);
      expect(transmit(client, now)).not.toEqual([]);
      return now;
    });
    expect(sentAt).toEqual(expected);
  }
});

test('D4: a server that is connected repeats its last flight each time the client repeats its own', () => {
  const { client, server } = createPair();
  receive(server, 0, transmit(client, 0));
  receive(client, 0, transmit(server, 0));
  receive(server, 0, transmit(client, 0));
  expect(server.dtls.state).toBe('connected');
  transmit(server, 0);
  for (const now of [1000, 3000]) {
    client.dtls.handleTimeout(now);
    receive(server, now, transmit(client, now));
    expect(server.dtls.stats.handshakeRetransmissions).toBeGreaterThan(0);
    const again = transmit(server, now);
    expect(again.flatMap(recordsOf).map((bytes) => bytes[0])).toEqual([20, 22]);
    if (now === 3000) receive(client, now, again);
  }
  expect(client.events).toMatchObject([{ type: 'connected' }]);
  send(server, client, 'after');
  expect(client.received).toEqual(['after']);
});

test('D5: a lost flight is repeated by the timer of its own, when nothing else happens', () => {
  for (const lost of [0, 1, 2, 3]) {
    const pair = createPair();
    let index = 0;
    const intercept = (): 'drop' | 'pass' => (index++ === lost ? 'drop' : 'pass');
    const sim = simulate(pair, { seed: lost, link: { delayMs: 10, intercept } });
    const connected = (): boolean => pair.client.dtls.state === 'connected' && pair.server.dtls.state === 'connected';
    expect(sim.run({ forMs: 1100, until: connected })).toBe(true);
    expect(sim.now).toBeGreaterThanOrEqual(1000);
  }
});

test('D6: messages and ChangeCipherSpec of a flight may come in any order, Finished first', () => {
  const { client, server } = createPair();
  receive(server, 0, transmit(client, 0));
  receive(client, 0, transmit(server, 0).flatMap(recordsOf).reverse());
  const flight = transmit(client, 0).flatMap(recordsOf);
  expect(flight.map((bytes) => bytes[0])).toEqual([22, 22, 22, 20, 22]);
  receive(server, 0, flight.reverse());
  expect(server.dtls.state).toBe('connected');
  receive(client, 0, transmit(server, 0).flatMap(recordsOf).reverse());
  expect(client.events).toMatchObject([{ type: 'connected' }]);
});

test('D8: a HelloVerifyRequest of any version is answered with its cookie', () => {
  for (const version of [0xfeff, 0xfefd]) {
    const { client } = createPair();
    transmit(client, 0);
    const request = encodeHelloVerifyRequest(Uint8Array.of(1, 2, 3));
    request.set([version >>> 8, version & 255]);
    const datagram = fragment(3, 0, request);
    datagram.set([version >>> 8, version & 255], 1);
    receive(client, 0, [datagram]);
    const [answer] = transmit(client, 0);
    const { type, messageSeq, body } = messageOf(answer!);
    expect([type, messageSeq]).toEqual([1, 1]);
    expect([...body.subarray(35, 39)]).toEqual([3, 1, 2, 3]);
  }
});

test('D9: a bad record is dropped alone, and the good ones around it in the datagram are taken', () => {
  const { client, server } = connectedPair();
  const [a, b, c] = ['a', 'b', 'c'].map((text) => sealText(client, text));
  b![b!.length - 1]! ^= 1;
  receive(server, 0, [concat(a!, b!, record(22, 0, 9, [1, 2]), record(21, 0, 10, [2, 40]), c!)]);
  expect(server.received).toEqual(['a', 'c']);
  expect(server.dtls.stats.dropped).toMatchObject({ 'bad-mac': 1, 'unauthenticated-alert': 1 });
  expect(server.dtls.state).toBe('connected');
});

test('D10: a record that came before, or is older than 64, or of another epoch, is dropped', () => {
  const { client, server } = connectedPair();
  const records = Array.from({ length: 70 }, (_, i) => sealText(client, `${i}`));
  receive(server, 0, [records[0]!, records[0]!, records[69]!, records[6]!, records[5]!, records[69]!]);
  expect(server.received).toEqual(['0', '69', '6']);
  expect(server.dtls.stats.dropped.replayed).toBe(3);
  const otherEpoch = records[20]!.slice();
  otherEpoch[4] = 2;
  const plain = record(23, 0, 500, [1, 2, 3]);
  receive(server, 0, [otherEpoch, plain]);
  expect(server.dtls.stats.dropped['wrong-epoch']).toBe(2);
  expect(server.received.length).toBe(3);
});

test('D10: a forged record with a high number does not move the window', () => {
  const { client, server } = connectedPair();
  const good = sealText(client, 'good');
  const forged = good.slice();
  forged.fill(0xff, 5, 11);
  receive(server, 0, [forged, good]);
  expect(server.received).toEqual(['good']);
});

describe('D11: what an unknown sender can make us hold is bounded', () => {
  test('by fragments of messages far ahead, and by messages too large', () => {
    const { client, server } = createPair();
    transmit(client, 0);
    const body = new Uint8Array(10_000);
    for (let seq = 0; seq < 5000; seq++) receive(client, 0, [fragment(11, seq, body, 0, 10)]);
    receive(client, 0, [fragment(11, 1, new Uint8Array(20_000), 0, 10)]);
    expect(client.dtls.stats.dropped['handshake-too-far']).toBeGreaterThan(4980);
    expect(client.dtls.stats.dropped['handshake-too-large']).toBe(1);
    for (let i = 0; i < 100; i++) receive(client, 0, [record(22, 1, i, new Uint8Array(1000))]);
    expect(client.dtls.stats.dropped['too-early']).toBe(84);
    expect(server.dtls.state).toBe('new');
  });

  test('by pieces of ClientHellos', () => {
    const server = createEnd('server');
    for (let i = 0; i < 5000; i++) receive(server, 0, [fragment(1, i, new Uint8Array(8000), 0, 10)]);
    expect(server.dtls.stats.dropped['handshake-too-far']).toBeGreaterThan(4980);
    // And a client that comes then still gets through.
    const client = createEnd('client');
    client.dtls.connect(0);
    exchange(client, server);
    expect(server.events).toMatchObject([{ type: 'connected' }]);
  });
});

test('D14: signature algorithms that are not known are passed over', () => {
  const server = createEnd('server');
  receive(server, 0, [fragment(1, 0, hello({ signatures: Uint8Array.of(0, 8, 0x5a, 0x5a, 8, 4, 9, 9, 4, 3) }))]);
  expect(server.dtls.state).toBe('connecting');
  expect(messageOf(recordsOf(transmit(server, 0)[0]!)[0]!).type).toBe(2);
});

describe('D15: only what the certificate can do is offered and chosen', () => {
  test('a server with an ECDSA key refuses a client that knows RSA suites or RSA signatures alone', () => {
    for (const options of [{ suites: [0xc02f, 0xcca8] }, { signatures: Uint8Array.of(0, 4, 4, 1, 5, 1) }]) {
      const server = createEnd('server');
      receive(server, 0, [fragment(1, 0, hello(options))]);
      expect(transmit(server, 0)).toEqual([record(21, 0, 0, [2, 40])]);
      expect(server.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'handshake_failure' } }]);
    }
  });

  test('a server with an RSA key is refused when it is made', async () => {
    const certificate = await generateCertificate({ type: 'RSA' });
    expect(() => createEnd('server', { certificate })).toThrow(/certificate .* P-256 or P-384/);
  });
});

describe('D16: the suite is one that the client offered', () => {
  test('a server takes the first of its own that is offered, and sends alert 40 where there is none', () => {
    const server = createEnd('server');
    receive(server, 0, [fragment(1, 0, hello({ suites: [0x1301, 0xc0ac, 0x00ff] }))]);
    const { body } = messageOf(recordsOf(transmit(server, 0)[0]!)[0]!);
    expect([...body.subarray(35, 37)]).toEqual([0xc0, 0xac]);
    const other = createEnd('server');
    receive(other, 0, [fragment(1, 0, hello({ suites: [0xc0ae] }))]);
    expect(transmit(other, 0)).toEqual([record(21, 0, 0, [2, 40])]);
  });

  test('a client refuses a suite that it did not offer', () => {
    const { client } = createPair();
    transmit(client, 0);
    const body = encodeServerHello({
      version: 0xfefd,
      random: new Uint8Array(32),
      sessionId: new Uint8Array(0),
      cipherSuite: 0xc0ae,
      compressionMethod: 0,
      extensions: new Map(),
    });
    receive(client, 0, [fragment(2, 0, body)]);
    expect(client.events).toMatchObject([{ type: 'closed', error: { code: 'HANDSHAKE_FAILED', alert: 'illegal_parameter' } }]);
    expect(transmit(client, 0)).toEqual([record(21, 0, 1, [2, 47])]);
  });
});

test('D18: a ClientHello in epoch 1 is dropped', () => {
  const server = createEnd('server');
  const datagram = fragment(1, 0, hello());
  datagram[4] = 1;
  receive(server, 0, [datagram]);
  expect(server.dtls.state).toBe('new');
  expect(server.dtls.stats.dropped).toEqual({ 'wrong-epoch': 1 });
  const pair = connectedPair();
  datagram[10] = 50;
  receive(pair.server, 0, [datagram]);
  expect(pair.server.dtls.stats.dropped['bad-mac']).toBe(1);
  expect(pair.server.dtls.state).toBe('connected');
});

test('D19: a certificate that was not announced ends the handshake on both sides, and no data passes', () => {
  const stranger = [{ algorithm: 'sha-256', value: Array(32).fill('AB').join(':') }];
  const byClient = connectedPair({ remoteFingerprints: stranger });
  expect(byClient.client.events).toMatchObject([{ type: 'closed', error: { code: 'FINGERPRINT_MISMATCH' } }]);
  expect(byClient.server.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'bad_certificate' } }]);
  const byServer = connectedPair({}, { remoteFingerprints: stranger });
  expect(byServer.server.events).toMatchObject([{ type: 'closed', error: { code: 'FINGERPRINT_MISMATCH' } }]);
  expect(byServer.client.events).toMatchObject([{ type: 'closed', error: { code: 'ALERT_RECEIVED', alert: 'bad_certificate' } }]);
  for (const end of [byClient.client, byClient.server, byServer.client, byServer.server]) {
    expect(() => sealText(end, 'x')).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }));
  }
});

test('D19: data that overtakes the Finished of a client waits for it, and is lost where its certificate is wrong', () => {
  const { client, server } = createPair({}, {});
  receive(server, 0, transmit(client, 0));
  receive(client, 0, transmit(server, 0));
  const flight = transmit(client, 0).flatMap(recordsOf);
  receive(server, 0, [record(23, 1, 40, new Uint8Array(40)), ...flight.slice(2)]);
  expect(server.received).toEqual([]);
  receive(server, 0, flight.slice(0, 2));
  expect(server.events).toMatchObject([{ type: 'connected' }]);
  expect(server.dtls.stats.dropped['bad-mac']).toBe(1);
});

test('D20: close sends a close_notify after the data, the peer answers in kind, and both are closed at once', () => {
  const { client, server } = connectedPair();
  const last = sealText(client, 'last');
  client.dtls.close(5);
  drain(client);
  expect(client.events.at(-1)).toEqual({ type: 'closed' });
  expect(client.dtls.state).toBe('closed');
  const alert = transmit(client, 5);
  expect(alert.length).toBe(1);
  expect(alert[0]![0]).toBe(21);
  receive(server, 6, [last, ...alert]);
  expect(server.received).toEqual(['last']);
  expect(server.events.at(-1)).toEqual({ type: 'closed' });
  expect(transmit(server, 6).map((datagram) => datagram[0])).toEqual([21]);
  expect(transmit(client, 7)).toEqual([]);
  expect(server.dtls.pollTimeout()).toBe(Number.POSITIVE_INFINITY);
});

test('D21: STUN, TURN and RTP that share the port are dropped, during the handshake and after it', () => {
  const { client, server } = createPair();
  for (let round = 0; round < 4; round++) {
    for (const first of [0, 1, 19, 64, 79, 128, 255]) {
      receive(server, 0, [Uint8Array.of(first, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42)]);
      receive(client, 0, [Uint8Array.of(first, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42)]);
    }
    receive(server, 0, transmit(client, 0));
    receive(client, 0, transmit(server, 0));
  }
  expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
  expect(server.dtls.stats.dropped).toEqual({ 'not-dtls': 28 });
});

test('D23: 1000 handshakes with fresh keys and randoms all succeed', { timeout: 60_000 }, () => {
  const groups = ['X25519', 'P-256', 'P-384'] as const;
  let certificates = [createCertificate(), createCertificate()] as const;
  for (let i = 0; i < 1000; i++) {
    if (i % 5 === 0) certificates = [createCertificate(), createCertificate()];
    const [ours, theirs] = certificates;
    const { client, server } = connectedPair(
      { random: undefined, groups: [groups[i % 8] ?? 'X25519'], certificate: ours, remoteFingerprints: [theirs.fingerprint] },
      { random: undefined, certificate: theirs, remoteFingerprints: [ours.fingerprint] },
    );
    expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
  }
});

test('D24: a record with any bit changed is refused, and one with none is opened', () => {
  for (const suite of ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8'] as const) {
    const only = { cipherSuites: [suite] };
    const { client, server } = connectedPair(only, only);
    const good = sealText(client, 'hello');
    for (let bit = 0; bit < 8 * good.length; bit++) {
      const forged = good.slice();
      forged[bit >>> 3]! ^= 1 << (bit & 7);
      receive(server, 0, [forged]);
    }
    expect(server.received).toEqual([]);
    receive(server, 0, [good]);
    expect(server.received).toEqual(['hello']);
  }
});

test('D25: by default suites come as they cost, CCM last, and CCM_8 is not offered', () => {
  expect(defaultCipherSuites).toEqual([
    'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_ECDSA_WITH_AES_128_CCM',
  ]);
  expect(connectedPair().server.dtls.cipherSuite).toBe('TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256');
});

test('D26: the connection closes before a sequence number of the epoch could come again', () => {
  const { client, server } = connectedPair({ maxRecordsPerEpoch: 40 });
  const sealed: Uint8Array[] = [];
  expect(() => {
    for (;;) sealed.push(sealText(client, 'x'));
  }).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }));
  drain(client);
  expect(client.events.at(-1)).toMatchObject({ type: 'closed', error: { code: 'SEQUENCE_EXHAUSTED' } });
  const numbers = [...sealed, ...transmit(client, 0)].map((bytes) => bytes[10]!);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(Math.max(...numbers)).toBeLessThan(40);
  receive(server, 0, sealed);
  expect(server.received.length).toBe(sealed.length);
});
