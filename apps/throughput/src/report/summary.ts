import type { DemoEngine } from '../engines.ts';
import type { EngineResult, SuiteResult } from '../session/results.ts';
import { dropPercent, median, spreadPercent } from '../statistics.ts';
import type { Suite } from '../suites.ts';

interface SideSummary {
  readonly cpuSecondsPerGb: number;
  readonly bytesPerRecord: number;
  readonly recordsPerFlush: number;
}

/** The medians of an engine's runs. */
export interface EngineSummary {
  readonly suite: Suite;
  readonly engine: DemoEngine;
  readonly mib: number;
  readonly mbPerS: number;
  readonly sender: SideSummary & { readonly sealNsPerRecord: number };
  readonly receiver: SideSummary & { readonly openNsPerRecord: number };
  /** The spread of both sides' CPU time between runs, in percent of its median. */
  readonly cpuSpreadPercent: number;
  readonly mbPerSSpreadPercent: number;
  readonly sha256Ok: boolean;
  readonly load: { readonly mbPerS: number; readonly senderCpuPercent: number; readonly receiverCpuPercent: number } | undefined;
}

/** By how much less CPU time per byte `auto` takes than `reference`, in percent. */
export interface CpuDrop {
  readonly sender: number;
  readonly receiver: number;
  /** Of both sides' CPU time added up. */
  readonly total: number;
}

export function summarize({ suite, engines }: SuiteResult): EngineSummary[] {
  return engines.map((result) => summarizeEngine(suite, result));
}

/** `undefined` where not both engines were measured. */
export function cpuDrop(summaries: readonly EngineSummary[]): CpuDrop | undefined {
  const reference = summaries.find(({ engine }) => engine === 'reference');
  const auto = summaries.find(({ engine }) => engine === 'auto');
  if (reference === undefined || auto === undefined) return undefined;
  const [before, now] = [reference, auto].map(({ sender, receiver }) => [sender.cpuSecondsPerGb, receiver.cpuSecondsPerGb]);
  const [senderBefore, receiverBefore] = before as [number, number];
  const [senderNow, receiverNow] = now as [number, number];
  return {
    sender: dropPercent(senderBefore, senderNow),
    receiver: dropPercent(receiverBefore, receiverNow),
    total: dropPercent(senderBefore + receiverBefore, senderNow + receiverNow),
  };
}

function summarizeEngine(suite: Suite, { engine, runs, loads }: EngineResult): EngineSummary {
  const middle = <T>(samples: readonly T[], value: (sample: T) => number): number => median(samples.map(value));
  return {
    suite,
    engine,
    mib: middle(runs, ({ bytes }) => bytes / 2 ** 20),
    mbPerS: middle(runs, ({ mbPerS }) => mbPerS),
    sender: {
      cpuSecondsPerGb: middle(runs, ({ sender }) => sender.cpuSecondsPerGb),
      sealNsPerRecord: middle(runs, ({ sender }) => sender.nsPerRecord),
      bytesPerRecord: middle(runs, ({ sender }) => sender.bytesPerRecord),
      recordsPerFlush: middle(runs, ({ sender }) => sender.recordsPerFlush),
    },
    receiver: {
      cpuSecondsPerGb: middle(runs, ({ receiver }) => receiver.cpuSecondsPerGb),
      openNsPerRecord: middle(runs, ({ receiver }) => receiver.nsPerRecord),
      bytesPerRecord: middle(runs, ({ receiver }) => receiver.bytesPerRecord),
      recordsPerFlush: middle(runs, ({ receiver }) => receiver.recordsPerFlush),
    },
    cpuSpreadPercent: spreadPercent(runs.map(({ sender, receiver }) => sender.cpuSecondsPerGb + receiver.cpuSecondsPerGb)),
    mbPerSSpreadPercent: spreadPercent(runs.map(({ mbPerS }) => mbPerS)),
    sha256Ok: runs.every(({ sha256Ok }) => sha256Ok),
    load:
      loads.length === 0
        ? undefined
        : {
            mbPerS: middle(loads, ({ mbPerS }) => mbPerS),
            senderCpuPercent: middle(loads, ({ senderCpuPercent }) => senderCpuPercent),
            receiverCpuPercent: middle(loads, ({ receiverCpuPercent }) => receiverCpuPercent),
          },
  };
}
