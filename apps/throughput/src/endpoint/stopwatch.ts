/** What a measured interval took. */
export interface Lap {
  readonly elapsedMs: number;
  /** User and system time of this process, all threads, in µs. */
  readonly cpuUs: number;
}

/** Adds up wall-clock and CPU time of this process over the intervals between `start` and `stop`. */
export class Stopwatch {
  #elapsedMs = 0;
  #cpuUs = 0;
  #startedAt: number | undefined;
  #startedCpuUs = 0;

  start(): void {
    this.#startedCpuUs = processCpuUs();
    this.#startedAt = performance.now();
  }

  stop(): void {
    const lap = this.read();
    this.#elapsedMs = lap.elapsedMs;
    this.#cpuUs = lap.cpuUs;
    this.#startedAt = undefined;
  }

  /** The sum so far, with the running interval. */
  read(): Lap {
    if (this.#startedAt === undefined) return { elapsedMs: this.#elapsedMs, cpuUs: this.#cpuUs };
    return {
      elapsedMs: this.#elapsedMs + performance.now() - this.#startedAt,
      cpuUs: this.#cpuUs + processCpuUs() - this.#startedCpuUs,
    };
  }
}

/** User and system time since this process began, in µs. */
export function processCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
