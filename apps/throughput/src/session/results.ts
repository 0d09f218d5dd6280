import type { DemoEngine } from '../engines.ts';
import type { Suite } from '../suites.ts';

/** One full-speed run. */
export interface Run {
  readonly bytes: number;
  /** 10^6 bytes per second at the receiver. */
  readonly mbPerS: number;
  readonly sender: SideCost;
  readonly receiver: SideCost;
  readonly sha256: string;
  /** What arrived has the hash of what was sent. */
  readonly sha256Ok: boolean;
}

export interface SideCost {
  /** User and system time per 10^9 bytes. */
  readonly cpuSecondsPerGb: number;
  /** Sender: sealing; receiver: opening. */
  readonly nsPerRecord: number;
  readonly bytesPerRecord: number;
  /** Records that were protected together, on average, at full speed. */
  readonly recordsPerFlush: number;
}

/** One run at the rate that all engines share. */
export interface Load {
  readonly mbPerS: number;
  /** Of one core. */
  readonly senderCpuPercent: number;
  readonly receiverCpuPercent: number;
}

export interface EngineResult {
  readonly engine: DemoEngine;
  readonly runs: readonly Run[];
  readonly loads: readonly Load[];
}

export interface SuiteResult {
  readonly suite: Suite;
  readonly engines: readonly EngineResult[];
  /** The rate of the same load, in bytes per second; `undefined` where there was none. */
  readonly loadBytesPerSecond: number | undefined;
}
