import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes, seededRandom } from '@millrace/core';
import { ChannelError } from '@millrace/datachannel/server';
import { expect, test } from 'vitest';
import { openFileSink } from './file-sink.ts';
import { openFileSource } from './file-source.ts';
import { createPatternSource } from './pattern.ts';
import type { LoadReport, Transfer } from './protocol.ts';
import { Receiver } from './receiver.ts';
import { Sender } from './sender.ts';
import { nullSink, type Sink } from './sink.ts';
import { sliceBytes } from './slice.ts';
import type { Source } from './source.ts';
import { createChannelPair, type FakeChannel, type Wire } from './testing/channel-pair.ts';

interface Rig {
  readonly sender: Sender;
  readonly receiver: Receiver;
  readonly channel: FakeChannel;
  /** The next report of the receiver; rejects where it fails. */
  report(): Promise<Transfer | LoadReport>;
}

function createRig(options: { source?: Source; sink?: Sink; wire?: Wire; messageSize?: number } = {}): Rig {
  const { source = createPatternSource(), sink = nullSink, wire, messageSize = 16_384 } = options;
  const [near, far] = createChannelPair(wire);
  let settle: { resolve(report: Transfer | LoadReport): void; reject(error: Error): void } | undefined;
  const arrived: (Transfer | LoadReport)[] = [];
  const receiver = new Receiver(far, sink, {
    report(report) {
      if (settle === undefined) arrived.push(report);
      else settle.resolve(report);
    },
    failed: (error) => settle?.reject(error),
  });
  return {
    sender: new Sender(near, source, messageSize),
    receiver,
    channel: near,
    report: () =>
      arrived.length > 0
        ? Promise.resolve(arrived.shift()!)
        : new Promise((resolve, reject) => {
            settle = { resolve, reject };
          }),
  };
}

test('both ends come to the same hash and count over several slices', async () => {
  const { sender, report } = createRig({ messageSize: 262_144 });
  const bytes = sliceBytes + 300_001;
  const sent = await sender.fullSpeed({ bytes });
  const received = await report();
  expect(sent.bytes).toBe(bytes);
  expect(received).toMatchObject({ type: 'fullSpeed', bytes, sha256: sent.sha256 });
  expect(received.cpuUs).toBeGreaterThan(0);
  expect(received.elapsedMs).toBeGreaterThan(0);
});

test('what is sent to warm up is neither counted nor hashed', async () => {
  const { sender, receiver, report } = createRig();
  await sender.warmUp(30);
  const warmUpBytes = receiver.receivedBytes;
  expect(warmUpBytes).toBeGreaterThan(0);
  const sent = await sender.fullSpeed({ bytes: 50_000 });
  expect(await report()).toMatchObject({ bytes: 50_000, sha256: sent.sha256 });
  expect(receiver.receivedBytes).toBe(warmUpBytes + 50_000);
});

test('a run by time sends something, and ends', async () => {
  const { sender, report } = createRig();
  const sent = await sender.fullSpeed({ durationMs: 20 });
  expect(sent.bytes).toBeGreaterThan(0);
  expect(await report()).toMatchObject({ bytes: sent.bytes, sha256: sent.sha256 });
});

test('two transfers over one channel have a hash each', async () => {
  const { sender, report } = createRig();
  const first = await sender.fullSpeed({ bytes: 10_000 });
  expect((await report()) as Transfer).toMatchObject({ sha256: first.sha256 });
  const second = await sender.fullSpeed({ bytes: 10_000 });
  expect((await report()) as Transfer).toMatchObject({ sha256: second.sha256 });
  expect(second.sha256).not.toBe(first.sha256);
});

test('a byte that changes on the way changes the hash', async () => {
  let messages = 0;
  const wire: Wire = (data) => {
    if (typeof data !== 'string' && ++messages === 3) data[100]! ^= 1;
    return data;
  };
  const { sender, report } = createRig({ wire });
  const sent = await sender.fullSpeed({ bytes: 100_000 });
  const received = (await report()) as Transfer;
  expect(received.bytes).toBe(sent.bytes);
  expect(received.sha256).not.toBe(sent.sha256);
});

test('the same load counts what is sent after it has settled', async () => {
  const { sender, receiver, report } = createRig({ messageSize: 1000 });
  await sender.warmUp(1);
  const sent = await sender.sameLoad(2_000_000, 30, 100);
  const received = await report();
  expect(received).toMatchObject({ type: 'sameLoad', bytes: sent.bytes });
  expect(sent.bytes).toBeGreaterThan(0);
  // The bucket never gives more than the rate and one burst of 50 ms.
  expect(sent.bytes).toBeLessThanOrEqual(2000 * (sent.elapsedMs + 50) + 1000);
  expect(receiver.receivedBytes).toBeGreaterThan(received.bytes);
});

test.each([0, 1, 5_000_000])('a file of %i bytes arrives as it is', async (size) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-demo-'));
  try {
    const content = randomBytes(seededRandom(size), size);
    await writeFile(join(folder, 'in'), content);
    const sink = await openFileSink(join(folder, 'out'));
    const source = await openFileSource(join(folder, 'in'));
    const { sender, report } = createRig({ source, sink });
    const sent = await sender.fullSpeed({});
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(sent).toMatchObject({ bytes: size, sha256 });
    expect(await report()).toMatchObject({ bytes: size, sha256 });
    await Promise.all([source.close(), sink.close()]);
    expect(Buffer.compare(await readFile(join(folder, 'out')), content)).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a disk that is full fails the transfer with its reason', async () => {
  const sink: Sink = { write: () => Promise.reject(new Error('ENOSPC: no space left')), close: () => Promise.resolve() };
  const { sender, channel, report } = createRig({ sink });
  const sending = sender.fullSpeed({ bytes: 100_000 });
  await expect(report()).rejects.toThrow('ENOSPC');
  channel.close();
  await expect(sending).rejects.toThrow('closed the channel');
});

test('a channel that closes meanwhile fails both ends', async () => {
  const { sender, channel, report } = createRig();
  const sending = sender.fullSpeed({ bytes: 100_000_000 });
  setTimeout(() => channel.close(new ChannelError('CONSENT_LOST', 'consent lost')), 20);
  await expect(report()).rejects.toThrow('consent lost');
  await expect(sending).rejects.toThrow();
});
