/*
 * Entry of the sender's and the receiver's process. Nothing of it outlives the demo: where the demo
 * ends, however it does, the IPC channel closes and this process with it.
 */
import { joinSignaling } from '../signaling/join-signaling.ts';
import { connect, type Connection } from './connect.ts';
import { openFileSink } from './file-sink.ts';
import { openFileSource } from './file-source.ts';
import { createPatternSource } from './pattern.ts';
import type { Assignment, Command, Report, Transfer, TransferReport } from './protocol.ts';
import { Receiver } from './receiver.ts';
import { costRecords } from './record-cost.ts';
import { Sender } from './sender.ts';
import { nullSink } from './sink.ts';
import { processCpuUs } from './stopwatch.ts';

const progressMs = 200;
const recordCostMs = 120;

process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group; the demo decides what becomes of its endpoints.
process.on('SIGINT', () => {});
process.once('message', (assignment: Assignment) => {
  run(assignment).catch(fail);
});

function report(message: Report): void {
  if (process.connected) process.send?.(message);
}

function fail(error: Error): void {
  report({ type: 'failed', message: error.message });
}

async function run(assignment: Assignment): Promise<void> {
  const signaling = await joinSignaling(assignment.signalingUrl);
  const connection = await connect(assignment, signaling);
  signaling.close();
  const obey =
    assignment.role === 'sender' ? await startSender(assignment, connection) : await startReceiver(assignment, connection);
  process.on('message', (command: Command) => {
    obey(command).catch(fail);
  });
  report({ type: 'connected', cipherSuite: connection.peer.stats().cipherSuite ?? 'none' });
}

type Obey = (command: Command) => Promise<void>;

async function startSender(assignment: Assignment, { channel, server }: Connection): Promise<Obey> {
  const source = assignment.filePath === undefined ? createPatternSource() : await openFileSource(assignment.filePath);
  const sender = new Sender(channel, source, assignment.messageSize);
  reportProgress(() => sender.sentBytes - channel.bufferedAmount);
  return async (command) => {
    switch (command.type) {
      case 'warmUp':
        await sender.warmUp(command.durationMs);
        report({ type: 'warmedUp' });
        return;
      case 'fullSpeed':
        report(withBatches(await sender.fullSpeed(command.limit), server));
        return;
      case 'sameLoad':
        report(await sender.sameLoad(command.bytesPerSecond, command.settleMs, command.durationMs));
        return;
      case 'costRecords':
        report(costRecords({ ...assignment, durationMs: recordCostMs }, globalThis.gc));
        return;
      case 'close':
        await source.close();
        await server.close();
        process.disconnect();
    }
  };
}

async function startReceiver(assignment: Assignment, { channel, server }: Connection): Promise<Obey> {
  const sink = assignment.filePath === undefined ? nullSink : await openFileSink(assignment.filePath);
  let closing = false;
  const failed = (error: Error): void => {
    if (!closing) fail(error);
  };
  const receiver = new Receiver(channel, sink, {
    report: (made) => report(made.type === 'fullSpeed' ? withBatches(made, server) : made),
    failed,
  });
  reportProgress(() => receiver.receivedBytes);
  return async (command) => {
    if (command.type === 'costRecords') report(costRecords({ ...assignment, durationMs: recordCostMs }, globalThis.gc));
    if (command.type !== 'close') return;
    closing = true;
    await sink.close();
    await server.close();
    process.disconnect();
  };
}

function withBatches(transfer: Transfer, server: Connection['server']): TransferReport {
  return { ...transfer, recordsPerFlush: server.stats().records.meanBatch };
}

function reportProgress(bytes: () => number): void {
  setInterval(() => {
    report({ type: 'progress', bytes: bytes(), cpuUs: processCpuUs(), atMs: performance.now() });
  }, progressMs).unref();
}
