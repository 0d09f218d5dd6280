import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Pair, createEnd, createPair, drain, receive, sealText, transmit } from './pair.ts';

// Many handshakes; a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 });

const seed = 40_077;

/** The flights of real handshakes, with and without a cookie, and some data and a close. */
const captured = [true, false].map((cookieExchange) => {
  const { client, server } = createPair({}, { cookieExchange });
  const up: Uint8Array[] = [];
  const down: Uint8Array[] = [];
  for (let round = 0; round < 5; round++) {
    const fromClient = transmit(client, 0);
    up.push(...fromClient);
    receive(server, 0, fromClient);
    const fromServer = transmit(server, 0);
    down.push(...fromServer);
    receive(client, 0, fromServer);
  }
  up.push(sealText(client, 'up'));
  down.push(sealText(server, 'down'));
  client.dtls.close(0);
  up.push(...transmit(client, 0));
  return { cookieExchange, up, down };
});

interface Mutation {
  readonly which: number;
  readonly at: number;
  readonly with: number;
  readonly kind: 'flip' | 'truncate' | 'insert' | 'splice' | 'length' | 'none' | 'twice';
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  which: fc.nat(1000),
  at: fc.nat(1500),
  with: fc.nat(255),
  kind: fc.constantFrom('flip', 'truncate', 'insert', 'splice', 'length', 'none', 'twice'),
});

function mutate(datagrams: readonly Uint8Array[], { which, at, with: value, kind }: Mutation): Uint8Array {
  const original = datagrams[which % datagrams.length]!;
  const index = at % original.length;
  switch (kind) {
    case 'flip': {
      const copy = original.slice();
      copy[index]! ^= value;
      return copy;
    }
    case 'truncate':
      return original.slice(0, index);
    case 'insert':
      return Uint8Array.of(...original.subarray(0, index), value, ...original.subarray(index));
    case 'splice':
      return Uint8Array.of(...original.subarray(0, index), ...datagrams[value % datagrams.length]!);
    case 'length': {
      // The lengths of record, message and fragment stand in the first 25 bytes.
      const copy = original.slice();
      copy[[11, 12, 14, 15, 16, 19, 20, 21, 22, 23, 24][at % 11]!] = value;
      return copy;
    }
    case 'twice':
      return Uint8Array.of(...original, ...original);
    case 'none':
      return original.slice();
  }
}

/** Whatever came, an end answers what it is asked, and comes to rest. */
function expectSound({ client, server }: Pair): void {
  for (const end of [client, server]) {
    for (let round = 0; round < 100 && end.dtls.pollTimeout() < 40_000; round++) {
      end.dtls.handleTimeout(end.dtls.pollTimeout());
      expect(transmit(end, 0).length).toBeLessThan(20);
    }
    drain(end);
    expect(end.events.filter(({ type }) => type === 'closed').length).toBeLessThan(2);
    expect(end.dtls.pollTimeout()).toBeGreaterThan(0);
  }
}

describe(`handleDatagram never throws (seed ${seed})`, () => {
  test('on random bytes', () => {
    const first = fc.constantFrom(20, 21, 22, 23, 24, 25, 32, 63, 0, 255);
    const version = fc.constantFrom([0xfe, 0xfd], [0xfe, 0xff], [3, 3]);
    const bytes = fc.tuple(first, version, fc.uint8Array({ maxLength: 120 })).map(([a, b, c]) => Uint8Array.of(a, ...b, ...c));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 20 }), (datagrams) => {
        const pair = createPair();
        receive(pair.client, 0, datagrams);
        receive(pair.server, 0, datagrams);
        expectSound(pair);
      }),
      { seed, numRuns: 300 },
    );
  });

  test('on handshake records with random bodies, in and out of turn', () => {
    const type = fc.constantFrom(0, 1, 2, 3, 11, 12, 13, 14, 15, 16, 20, 99);
    const message = fc.tuple(type, fc.nat(4), fc.uint8Array({ maxLength: 200 })).map(([t, seq, body]) => {
      const length = body.length;
      const payload = [t, 0, 0, length, 0, seq, 0, 0, 0, 0, 0, length, ...body];
      return Uint8Array.of(22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 1, payload.length >>> 8, payload.length, ...payload);
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (datagrams) => {
        const pair = createPair();
        receive(pair.client, 0, datagrams);
        receive(pair.server, 0, datagrams);
        expectSound(pair);
      }),
      { seed, numRuns: 400 },
    );
  });

  test.each(captured)(
    'on real flights, changed, cut, spliced and repeated (cookieExchange $cookieExchange)',
    ({ cookieExchange, up, down }) => {
      fc.assert(
        fc.property(fc.array(mutation, { minLength: 1, maxLength: 25 }), (mutations) => {
          const pair = createPair({}, { cookieExchange });
          transmit(pair.client, 0);
          for (const m of mutations) {
            receive(pair.server, 0, [mutate(up, m)]);
            receive(pair.client, 0, [mutate(down, m)]);
            transmit(pair.server, 0);
            transmit(pair.client, 0);
          }
          expectSound(pair);
        }),
        { seed, numRuns: 250 },
      );
    },
  );

  test('and noise between the datagrams of a handshake, or after it, never ends it', () => {
    const noise = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      // Records whose protected content is of no use to anyone, and alerts in the clear once connected.
      fc
        .tuple(fc.constantFrom(20, 21, 22, 23), fc.constantFrom(1, 2, 9), fc.uint8Array({ maxLength: 60 }))
        .map(([t, epoch, body]) => Uint8Array.of(t, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 0, 1, 0, 0, body.length, ...body)),
    );
    fc.assert(
      fc.property(fc.array(noise, { minLength: 1, maxLength: 12 }), (datagrams) => {
        const { client, server } = createPair();
        for (let round = 0; round < 4; round++) {
          receive(server, 0, [...datagrams, ...transmit(client, 0)]);
          receive(client, 0, [...datagrams, ...transmit(server, 0)]);
        }
        receive(server, 0, [...datagrams, Uint8Array.of(21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40)]);
        expect([client.dtls.state, server.dtls.state]).toEqual(['connected', 'connected']);
        receive(server, 0, [sealText(client, 'through')]);
        expect(server.received).toEqual(['through']);
      }),
      { seed, numRuns: 150 },
    );
  });

  test('nor does a server that was given bytes at odd offsets of a larger buffer', () => {
    const server = createEnd('server');
    const client = createEnd('client');
    client.dtls.connect(0);
    const [hello] = transmit(client, 0);
    const buffer = new Uint8Array(hello!.length + 20).fill(0xee);
    buffer.set(hello!, 7);
    server.dtls.handleDatagram(0, buffer, 7, 7 + hello!.length);
    expect(server.dtls.state).toBe('connecting');
  });
});
