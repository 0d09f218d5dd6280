import type { LoadReport, Limit, ProgressReport, RecordCostReport, Role, TransferReport } from '../endpoint/protocol.ts';
import type { DemoEngine } from '../engines.ts';
import type { Suite } from '../suites.ts';
import { EndpointProcess } from './endpoint-process.ts';
import type { Load, Run, SideCost } from './results.ts';

export interface PairOptions {
  readonly suite: Suite;
  readonly engine: DemoEngine;
  readonly messageSize: number;
  readonly datagramBytes: number;
  readonly signalingUrl: string;
  readonly file?: { readonly path: string; readonly out: string };
  /** Called about five times a second while both run. */
  onLive(live: Load): void;
}

/** A sender and a receiver, connected, in processes of their own. */
export class Pair {
  readonly #sender: EndpointProcess;
  readonly #receiver: EndpointProcess;
  readonly #meter: LiveMeter;
  #transfer: { sent: TransferReport; arrived: TransferReport } | undefined;

  constructor(options: PairOptions) {
    const meter = new LiveMeter(options.onLive);
    this.#meter = meter;
    const start = (role: Role, filePath: string | undefined): EndpointProcess => {
      const { suite, engine, messageSize, datagramBytes, signalingUrl } = options;
      const assignment = { role, suite, engine, messageSize, datagramBytes, signalingUrl };
      return new EndpointProcess(filePath === undefined ? assignment : { ...assignment, filePath }, (p) => meter.take(role, p));
    };
    this.#receiver = start('receiver', options.file?.out);
    this.#sender = start('sender', options.file?.path);
  }

  /** Resolves when they are connected with `suite`. */
  async connected(suite: Suite): Promise<void> {
    const [{ cipherSuite }] = await Promise.all([this.#sender.expect('connected'), this.#receiver.expect('connected')]);
    if (cipherSuite !== suite.name) throw new Error(`The connection came up with ${cipherSuite} instead of ${suite.name}.`);
  }

  async warmUp(durationMs: number): Promise<void> {
    this.#meter.isRunning = true;
    this.#sender.command({ type: 'warmUp', durationMs });
    // What the sender alone reports still ends where the receiver fails.
    await Promise.race([this.#sender.expect('warmedUp'), this.#receiver.failed]);
  }

  /** Resolves with the speed in bytes per second at the receiver. */
  async fullSpeed(limit: Limit): Promise<number> {
    this.#meter.isRunning = true;
    this.#sender.command({ type: 'fullSpeed', limit });
    const [sent, arrived] = await Promise.all([this.#sender.expect('fullSpeed'), this.#receiver.expect('fullSpeed')]);
    this.#meter.isRunning = false;
    this.#transfer = { sent, arrived };
    return bytesPerSecond(arrived);
  }

  async sameLoad(rate: number, settleMs: number, durationMs: number): Promise<Load> {
    this.#meter.isRunning = true;
    this.#sender.command({ type: 'sameLoad', bytesPerSecond: rate, settleMs, durationMs });
    const [sent, arrived] = await Promise.all([this.#sender.expect('sameLoad'), this.#receiver.expect('sameLoad')]);
    this.#meter.isRunning = false;
    return {
      mbPerS: bytesPerSecond(arrived) / 1e6,
      senderCpuPercent: cpuPercent(sent),
      receiverCpuPercent: cpuPercent(arrived),
    };
  }

  /** What the last full-speed transfer gave, with the cost of records measured now. */
  async costTransfer(): Promise<Run> {
    const { sent, arrived } = this.#transfer!;
    for (const endpoint of [this.#sender, this.#receiver]) endpoint.command({ type: 'costRecords' });
    const [seal, open] = await Promise.all([this.#sender.expect('recordCost'), this.#receiver.expect('recordCost')]);
    return {
      bytes: arrived.bytes,
      mbPerS: bytesPerSecond(arrived) / 1e6,
      sender: sideCost(sent, seal),
      receiver: sideCost(arrived, open),
      sha256: arrived.sha256,
      sha256Ok: arrived.sha256 === sent.sha256 && arrived.bytes === sent.bytes,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#sender.close(), this.#receiver.close()]);
  }

  kill(): void {
    this.#sender.kill();
    this.#receiver.kill();
  }
}

/** Puts the progress of both together. */
class LiveMeter {
  /** A pair that waits for its turn has nothing to show. */
  isRunning = false;
  readonly #onLive: (live: Load) => void;
  readonly #last: Partial<Record<Role, ProgressReport>> = {};
  readonly #cpuPercent: Record<Role, number> = { sender: 0, receiver: 0 };

  constructor(onLive: (live: Load) => void) {
    this.#onLive = onLive;
  }

  take(role: Role, now: ProgressReport): void {
    const last = this.#last[role];
    this.#last[role] = now;
    if (last === undefined) return;
    const elapsedMs = now.atMs - last.atMs;
    this.#cpuPercent[role] = cpuPercent({ cpuUs: now.cpuUs - last.cpuUs, elapsedMs });
    if (role !== 'receiver' || !this.isRunning) return;
    this.#onLive({
      mbPerS: (now.bytes - last.bytes) / elapsedMs / 1000,
      senderCpuPercent: this.#cpuPercent.sender,
      receiverCpuPercent: this.#cpuPercent.receiver,
    });
  }
}

function sideCost(transfer: TransferReport, { nsPerRecord, bytesPerRecord }: RecordCostReport): SideCost {
  const cpuSecondsPerGb = transfer.bytes === 0 ? 0 : (transfer.cpuUs * 1000) / transfer.bytes;
  return { cpuSecondsPerGb, nsPerRecord, bytesPerRecord, recordsPerFlush: transfer.recordsPerFlush };
}

function bytesPerSecond({ bytes, elapsedMs }: TransferReport | LoadReport): number {
  return bytes === 0 ? 0 : (bytes * 1000) / elapsedMs;
}

function cpuPercent({ cpuUs, elapsedMs }: { cpuUs: number; elapsedMs: number }): number {
  return cpuUs / (elapsedMs * 10);
}
