import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Command, Report, Sample } from './messages.ts';
import type { StackName } from './stack.ts';

export interface TransferResult {
  /** 10^6 bytes of payload per second at the receiver. */
  readonly mbPerS: number;
  /** CPU seconds of the process per 10^9 bytes of payload. */
  readonly senderCpuPerGb: number;
  readonly receiverCpuPerGb: number;
}

const endpointPath = fileURLToPath(new URL('endpoint.js', import.meta.url));
const setUpLimitMs = 15_000;

/** Two fresh processes, a connection, a warm-up, and a measured interval. */
export async function runTransfer(
  stack: StackName,
  options: { readonly messageBytes: number; readonly warmUpMs: number; readonly measuredMs: number },
): Promise<TransferResult> {
  const sender = new Endpoint(stack);
  const receiver = new Endpoint(stack);
  try {
    await connect(sender, receiver);
    sender.tell({ type: 'send', messageBytes: options.messageBytes });
    await Promise.race([sleep(options.warmUpMs), sender.failure, receiver.failure]);
    const [sentBefore, before] = await mark(sender, receiver);
    await Promise.race([sleep(options.measuredMs), sender.failure, receiver.failure]);
    const [sentAfter, after] = await mark(sender, receiver);
    const bytes = after.bytes - before.bytes;
    if (bytes === 0) throw new Error(`${stack} delivered nothing in ${options.measuredMs} ms`);
    return {
      mbPerS: bytes / (after.atMs - before.atMs) / 1000,
      senderCpuPerGb: ((sentAfter.cpuMs - sentBefore.cpuMs) * 1e6) / bytes,
      receiverCpuPerGb: ((after.cpuMs - before.cpuMs) * 1e6) / bytes,
    };
  } finally {
    await Promise.all([sender.end(), receiver.end()]);
  }
}

async function connect(sender: Endpoint, receiver: Endpoint): Promise<void> {
  await Promise.all([sender.next('ready'), receiver.next('ready')]);
  const opened = Promise.all([sender.next('open'), receiver.next('open')]);
  sender.tell({ type: 'offer' });
  receiver.tell({ type: 'answer', sdp: (await sender.next('sdp')).sdp });
  sender.tell({ type: 'accept', sdp: (await receiver.next('sdp')).sdp });
  await opened;
}

function mark(sender: Endpoint, receiver: Endpoint): Promise<[Sample, Sample]> {
  const samples = Promise.all([sender.next('mark'), receiver.next('mark')]);
  sender.tell({ type: 'mark' });
  receiver.tell({ type: 'mark' });
  return samples;
}

class Endpoint {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  /** Rejects when the process reports a failure or ends. */
  readonly failure: Promise<never>;

  constructor(stack: StackName) {
    this.#child = fork(endpointPath, [stack], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#exited = new Promise((done) => this.#child.once('exit', () => done()));
    this.failure = new Promise((_, fail) => {
      this.#child.on('message', (report: Report) => {
        if (report.type === 'failed') fail(new Error(`${stack}: ${report.reason}`));
      });
      this.#child.once('exit', (code) => fail(new Error(`${stack}: a process ended with ${code}`)));
    });
    this.failure.catch(() => undefined);
  }

  tell(command: Command): void {
    if (this.#child.connected) this.#child.send(command);
  }

  /** The next report of a kind. */
  async next<T extends Report['type']>(type: T): Promise<Extract<Report, { type: T }>> {
    const limit = new AbortController();
    try {
      return await Promise.race([this.#report(type), this.failure, overdue(type, limit.signal)]);
    } finally {
      limit.abort();
    }
  }

  async end(): Promise<void> {
    this.tell({ type: 'close' });
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 2000);
    await this.#exited;
    clearTimeout(timer);
  }

  #report<T extends Report['type']>(type: T): Promise<Extract<Report, { type: T }>> {
    return new Promise((done) => {
      const listener = (report: Report): void => {
        if (report.type !== type) return;
        this.#child.off('message', listener);
        done(report as Extract<Report, { type: T }>);
      };
      this.#child.on('message', listener);
    });
  }
}

async function overdue(what: string, signal: AbortSignal): Promise<never> {
  await sleep(setUpLimitMs, undefined, { signal });
  throw new Error(`no ${what} within ${setUpLimitMs} ms`);
}
