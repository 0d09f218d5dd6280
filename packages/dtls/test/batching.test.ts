import { createRecordQueue } from '@millrace/crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type End, connectedPair, createPair, drain, receive, sealText, transmit } from './pair.ts';
import { record } from './wire.ts';

// Many handshakes; a busy machine takes its time.
vi.setConfig({ testTimeout: 60_000 });

const seed = 20_261;

/** What a server showed of itself, in order. */
interface Outcome {
  readonly log: string[];
  readonly dropped: Readonly<Record<string, number>>;
  readonly recordsReceived: number;
  readonly sent: number;
  readonly state: string;
}

type Step =
  | { readonly kind: 'data' | 'replay' | 'forged' | 'forged replay' | 'old'; readonly index: number }
  | { readonly kind: 'plain alert' | 'junk' | 'finished again' | 'warning' | 'close_notify' | 'early data' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.record({ kind: fc.constantFrom('data', 'replay', 'forged', 'forged replay', 'old'), index: fc.nat(99) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('plain alert', 'junk', 'finished again', 'warning', 'early data') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close_notify') }) },
);

/**
 * Feeds one server with the datagrams of the steps; `flushAfter[i]` says whether the queue is flushed
 * after datagram i. The keys are the same each time, so that outcomes can be compared.
 */
function play(steps: readonly Step[], perDatagram: readonly number[], flushAfter: ((i: number) => boolean) | undefined): Outcome {
  const queue = flushAfter === undefined ? undefined : createRecordQueue();
  const log: string[] = [];
  const pair = createPair(
    {},
    {
      ...(queue === undefined ? {} : { recordQueue: queue }),
      onData: (data, start, end) => {
        const text = new TextDecoder().decode(data.subarray(start, end));
        log.push(`data ${text}`);
        if (text === 'close') server.dtls.close(0);
      },
    },
  );
  const { client, server } = pair;
  receive(server, 0, transmit(client, 0));
  receive(client, 0, transmit(server, 0));
  const flight = transmit(client, 0);
  const finish = (end: End): void => {
    for (let event = end.dtls.pollEvent(); event !== undefined; event = end.dtls.pollEvent()) log.push(event.type);
  };
  for (const datagram of flight) server.dtls.handleDatagram(0, datagram.slice(), 0, datagram.length);
  receive(client, 0, transmit(server, 0));

  // The client's side is the same for every split: it seals up front.
  const data = Array.from({ length: 100 }, (_, i) => sealText(client, i === 40 ? 'close' : `${i}`));
  client.dtls.handleTimeout(10_000);
  const records = steps.map((s, i) => recordFor(s, data, i));
  let closing: Uint8Array | undefined;
  let at = 0;
  for (let i = 0; at < records.length; i++) {
    const parts = records.slice(at, at + (perDatagram[i % perDatagram.length] ?? 1)).map((r) => {
      if (r !== 'close_notify') return r;
      if (closing === undefined) {
        client.dtls.close(0);
        closing = transmit(client, 0).at(-1)!;
      }
      return closing;
    });
    at += parts.length;
    const datagram = Uint8Array.from(parts.flatMap((part) => [...part]));
    server.dtls.handleDatagram(5, datagram, 0, datagram.length);
    if (flushAfter?.(i) === true) queue!.flush();
  }
  queue?.flush();
  finish(server);
  const sent = transmit(server, 5).length;
  const { state, stats } = server.dtls;
  const { dropped, recordsReceived } = stats;
  // A record that is queued with the one that ends the connection counts under its own fault or as
  // 'closed', as it happens to be judged before or after.
  const total = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  return { log, dropped: state === 'closed' ? { total } : dropped, recordsReceived, sent, state };
}

function recordFor(s: Step, data: readonly Uint8Array[], i: number): Uint8Array | 'close_notify' {
  switch (s.kind) {
    case 'data':
      return data[i % 100]!;
    case 'replay':
      return data[s.index]!;
    case 'old':
      return data[s.index % 5]!;
    case 'forged':
    case 'forged replay': {
      const forged = data[s.kind === 'forged' ? i % 100 : s.index]!.slice();
      forged[forged.length - 1]! ^= 1;
      return forged;
    }
    case 'plain alert':
      return record(21, 0, 7, [2, 40]);
    case 'junk':
      return record(22, 1, 300, new Uint8Array(40));
    case 'warning':
      return record(21, 1, 301, new Uint8Array(26));
    case 'finished again':
      return record(22, 0, 9, [20, 0, 0, 0]);
    case 'early data':
      return record(23, 2, 9, [1, 2, 3]);
    case 'close_notify':
      return s.kind;
  }
}

test(`any split of the input into batches gives the results and events of one by one (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
      (steps, perDatagram, flushes) => {
        const oneByOne = play(steps, perDatagram, undefined);
        expect(play(steps, perDatagram, (i) => flushes[i % flushes.length]!)).toEqual(oneByOne);
        expect(play(steps, perDatagram, () => false)).toEqual(oneByOne);
      },
    ),
    { seed, numRuns: 80 },
  );
});

test('one queue may serve many connections, and records are final only after its flush', () => {
  const recordQueue = createRecordQueue();
  const pairs = [1, 2, 3].map((seed) => connectedPair({ recordQueue }, { recordQueue }, seed));
  const sealed = pairs.map(({ client }) => sealText(client, 'to be sealed'));
  expect(sealed.every((bytes) => new TextDecoder().decode(bytes).includes('to be sealed'))).toBe(true);
  recordQueue.flush();
  expect(sealed.some((bytes) => new TextDecoder().decode(bytes).includes('to be sealed'))).toBe(false);
  for (const [i, { server }] of pairs.entries()) server.dtls.handleDatagram(0, sealed[i]!, 0, sealed[i]!.length);
  expect(recordQueue.pending).toBe(3);
  recordQueue.flush();
  expect(pairs.map(({ server }) => server.received)).toEqual([['to be sealed'], ['to be sealed'], ['to be sealed']]);
});

test('close delivers what came before it, and what was sealed before it stays good', () => {
  const recordQueue = createRecordQueue();
  const { client, server } = connectedPair({ recordQueue }, { recordQueue });
  const up = sealText(client, 'up');
  const down = sealText(server, 'down');
  recordQueue.flush();
  server.dtls.handleDatagram(0, up, 0, up.length);
  const late = sealText(server, 'late');
  server.dtls.close(0);
  drain(server);
  expect(server.received).toEqual(['up']);
  expect(recordQueue.pending).toBe(0);
  receive(client, 0, [down, late, ...transmit(server, 0)]);
  recordQueue.flush();
  drain(client);
  expect(client.received).toEqual(['down', 'late']);
  expect(client.events.at(-1)).toEqual({ type: 'closed' });
});
