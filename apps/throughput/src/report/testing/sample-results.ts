import type { DemoEngine } from '../../engines.ts';
import type { EngineResult, Load, Run, SuiteResult } from '../../session/results.ts';
import { suiteByShortName } from '../../suites.ts';

/** Results as a measurement gives them, with figures that are easy to check by hand. */
export function sampleResults(): SuiteResult[] {
  return [
    {
      suite: suiteByShortName('ccm'),
      engines: [
        engine('reference', [run(20, 30, 20), run(22, 34, 24)], [load(14, 60, 50), load(14, 64, 52)]),
        engine('single-buffer', [run(24, 24, 20), run(26, 24, 20)], [load(14, 50, 44), load(14, 50, 44)]),
        engine('auto', [run(40, 12, 8), run(42, 14, 10)], [load(14, 30, 20), load(14, 34, 22)]),
      ],
      loadBytesPerSecond: 14_000_000,
    },
    {
      suite: suiteByShortName('gcm'),
      engines: [
        engine('reference', [run(30, 20, 20)], [load(21, 50, 40)]),
        engine('auto', [run(60, 10, 10)], [load(21, 25, 20)]),
      ],
      loadBytesPerSecond: 21_000_000,
    },
  ];
}

function engine(name: DemoEngine, runs: Run[], loads: Load[]): EngineResult {
  return { engine: name, runs, loads };
}

function run(mbPerS: number, senderCpu: number, receiverCpu: number): Run {
  return {
    bytes: 32 * 2 ** 20,
    mbPerS,
    sender: { cpuSecondsPerGb: senderCpu, nsPerRecord: 100 * senderCpu, bytesPerRecord: 10 * senderCpu, recordsPerFlush: 12 },
    receiver: {
      cpuSecondsPerGb: receiverCpu,
      nsPerRecord: 100 * receiverCpu,
      bytesPerRecord: 10 * receiverCpu,
      recordsPerFlush: 7.5,
    },
    sha256: 'ab'.repeat(32),
    sha256Ok: true,
  };
}

function load(mbPerS: number, senderCpuPercent: number, receiverCpuPercent: number): Load {
  return { mbPerS, senderCpuPercent, receiverCpuPercent };
}
