import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Assignment, Command, ProgressReport, Report } from '../endpoint/protocol.ts';

type ReportOf<T extends Report['type']> = Extract<Report, { type: T }>;

/** An endpoint that neither answers nor moves a byte for so long has failed. */
const stallMs = 20_000;
/** How long an endpoint may take to close before it is killed. */
const closeGraceMs = 1000;

/** The parent's handle of a sender's or receiver's process. */
export class EndpointProcess {
  /** Rejects when the endpoint fails; never resolves. */
  readonly failed: Promise<never>;
  readonly #role: Assignment['role'];
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #reports: Report[] = [];
  readonly #onProgress: (progress: ProgressReport) => void;
  #waiting: { resolve(report: Report): void; reject(error: Error): void } | undefined;
  #failure: Error | undefined;
  #rejectFailed!: (error: Error) => void;
  #stallTimer: NodeJS.Timeout | undefined;
  #lastBytes = 0;

  constructor(assignment: Assignment, onProgress: (progress: ProgressReport) => void, entry: URL = defaultEntry()) {
    this.#role = assignment.role;
    this.#onProgress = onProgress;
    // stdout is for the result alone: what an endpoint prints is trouble, and goes to stderr.
    this.#child = fork(fileURLToPath(entry), {
      execArgv: [...process.execArgv, '--expose-gc'],
      stdio: ['ignore', 2, 'inherit', 'ipc'],
    });
    this.failed = new Promise((_, reject) => {
      this.#rejectFailed = reject;
    });
    // Nobody may be listening; `expect` says it as well.
    this.failed.catch(() => {});
    this.#child.on('message', (report) => this.#take(report as Report));
    this.#child.on('error', (error) => this.#fail(error));
    this.#exited = new Promise((resolve) => {
      this.#child.on('exit', (code, signal) => {
        this.#fail(new Error(`its process ended (${signal ?? `exit code ${code}`})`));
        resolve();
      });
    });
    this.#child.send(assignment);
  }

  /** Resolves with the next report, which must be of this type. Rejects where the endpoint fails first. */
  async expect<T extends Report['type']>(type: T): Promise<ReportOf<T>> {
    const report = this.#reports.shift() ?? (await this.#next());
    if (report.type !== type) throw new Error(`the ${this.#role} reported ${report.type} where ${type} was due`);
    return report as ReportOf<T>;
  }

  command(command: Command): void {
    if (this.#child.connected) this.#child.send(command);
  }

  /** Ends the process, by force where it does not end by itself. */
  async close(): Promise<void> {
    this.command({ type: 'close' });
    const timer = setTimeout(() => this.kill(), closeGraceMs);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Ends the process at once; it holds nothing that needs care. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #next(): Promise<Report> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#watch();
    });
  }

  #take(report: Report): void {
    if (report.type === 'progress') {
      if (report.bytes !== this.#lastBytes && this.#waiting !== undefined) this.#watch();
      this.#lastBytes = report.bytes;
      this.#onProgress(report);
    } else if (report.type === 'failed') this.#fail(new Error(report.message));
    else if (this.#waiting === undefined) this.#reports.push(report);
    else this.#settle().resolve(report);
  }

  #fail(error: Error): void {
    this.#failure ??= new Error(`The ${this.#role} failed: ${error.message}.`);
    this.#rejectFailed(this.#failure);
    if (this.#waiting !== undefined) this.#settle().reject(this.#failure);
  }

  #settle(): { resolve(report: Report): void; reject(error: Error): void } {
    const waiting = this.#waiting!;
    this.#waiting = undefined;
    clearTimeout(this.#stallTimer);
    return waiting;
  }

  #watch(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = setTimeout(() => this.#fail(new Error(`nothing moved for ${stallMs / 1000} s`)), stallMs);
  }
}

function defaultEntry(): URL {
  return new URL('../endpoint/endpoint.js', import.meta.url);
}
