import type { Options } from '../cli/options.ts';
import type { Run, SuiteResult } from '../session/results.ts';
import type { Environment } from './environment.ts';
import { cpuDrop, summarize } from './summary.ts';

/** The result as `--json` prints it, on one line. Figures of an engine are medians; its single runs stand in `samples`. */
export function formatJson(results: readonly SuiteResult[], options: Options, environment: Environment): string {
  const summaries = results.map(summarize);
  const drops = summaries.map((of) => ({ suite: of[0]!.suite, drop: cpuDrop(of) }));
  const ccm = drops.find(({ suite }) => suite.short === 'ccm')?.drop;
  const report = {
    runs: results.flatMap((result, i) =>
      summaries[i]!.map(({ suite, engine, mib, mbPerS, sender, receiver, sha256Ok }, j) => ({
        suite: suite.name,
        engine,
        mib,
        mbPerS,
        sender,
        receiver,
        sha256Ok,
        samples: result.engines[j]!.runs.map(sample),
      })),
    ),
    sameLoad: summaries
      .flat()
      .flatMap(({ suite, engine, load }) => (load === undefined ? [] : { suite: suite.name, engine, ...load })),
    // CCM alone; other suites stand in cpuDropPercentBySuite.
    cpuDropPercent: ccm ?? { sender: null, receiver: null, total: null },
    cpuDropPercentBySuite: Object.fromEntries(
      drops.flatMap(({ suite, drop }) => (drop === undefined ? [] : [[suite.name, drop]])),
    ),
    messageSize: options.messageSize,
    datagramBytes: options.datagramBytes,
    machine: environment,
    ...(options.file === undefined ? {} : { file: options.file }),
  };
  return `${JSON.stringify(report, roundFigure)}\n`;
}

function sample({ bytes, mbPerS, sender, receiver, sha256, sha256Ok }: Run): object {
  return {
    mib: bytes / 2 ** 20,
    mbPerS,
    senderCpuSecondsPerGb: sender.cpuSecondsPerGb,
    receiverCpuSecondsPerGb: receiver.cpuSecondsPerGb,
    sha256,
    sha256Ok,
  };
}

/** Six significant digits are more than any of the figures is good for. */
function roundFigure(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}
