import type { Options } from '../cli/options.ts';
import type { DemoEngine } from '../engines.ts';
import { formatLoad, formatRate } from '../report/format.ts';
import type { Progress } from '../report/progress.ts';
import type { Suite } from '../suites.ts';
import type { PairOpener } from './open-pair.ts';
import type { Pair } from './pair.ts';
import type { Load, Run, SuiteResult } from './results.ts';
import type { TimeBudget } from './time-budget.ts';

const warmUpMs = 2000;
/** Between full speed and the measured part of the same load: queues empty, the rate settles. */
const settleMs = 300;

export interface MeasureContext {
  readonly opener: PairOpener;
  readonly options: Options;
  readonly progress: Progress;
  readonly budget: TimeBudget;
}

interface Lane {
  readonly engine: DemoEngine;
  readonly runs: Run[];
  readonly loads: Load[];
}

/**
 * Measures a suite with each engine, in passes that go forwards and backwards in turn (A B B A), so
 * that a machine that gets faster or slower meanwhile favors none. In each pass every engine gets a
 * fresh pair of processes, which warms up and goes at full speed. The pairs then wait, and when the
 * slowest engine is known, they go once more at the rate that all can keep.
 */
export async function measureSuite(suite: Suite, engines: readonly DemoEngine[], context: MeasureContext): Promise<SuiteResult> {
  const { options, budget } = context;
  const lanes = engines.map((engine): Lane => ({ engine, runs: [], loads: [] }));
  let rate: number | undefined;
  for (let pass = 0; pass < options.passes; pass++) {
    // A slow machine gets fewer passes rather than more than its time; one it always gets.
    if (pass > 0 && options.mustFit && !budget.fits(performance.now(), lanes.length)) break;
    const order = pass % 2 === 0 ? lanes : lanes.toReversed();
    const begin = performance.now();
    const intervalMs = budget.intervalMs(begin);
    const fast = await goFullSpeed(suite, order, intervalMs, context);
    rate ??= (Math.min(...fast.map(({ bytesPerSecond }) => bytesPerSecond)) * options.loadPercent) / 100;
    for (const { pair, lane } of fast.toReversed()) await goSameLoad(suite, pair, lane, rate, intervalMs, context);
    budget.spend(order.length, intervalMs, performance.now() - begin);
  }
  return { suite, engines: lanes, loadBytesPerSecond: rate };
}

async function goFullSpeed(
  suite: Suite,
  order: readonly Lane[],
  intervalMs: number,
  { opener, options, progress }: MeasureContext,
): Promise<{ pair: Pair; lane: Lane; bytesPerSecond: number }[]> {
  const done = [];
  for (const lane of order) {
    const title = `${suite.algorithm} ${lane.engine}`;
    progress.begin(`${title}: warm-up`);
    const pair = await opener.open(suite, lane.engine, (live) => progress.live(formatLoad(live)));
    await pair.warmUp(warmUpMs);
    progress.begin(`${title}: full speed`);
    const limit = options.mib === undefined ? { durationMs: intervalMs } : { bytes: options.mib * 2 ** 20 };
    const bytesPerSecond = await pair.fullSpeed(limit);
    progress.end(formatRate(bytesPerSecond));
    done.push({ pair, lane, bytesPerSecond });
  }
  return done;
}

async function goSameLoad(
  suite: Suite,
  pair: Pair,
  lane: Lane,
  rate: number,
  intervalMs: number,
  { opener, progress }: MeasureContext,
): Promise<void> {
  progress.begin(`${suite.algorithm} ${lane.engine}: same load`);
  const load = await pair.sameLoad(rate, settleMs, intervalMs);
  lane.loads.push(load);
  lane.runs.push(await pair.costTransfer());
  progress.end(formatLoad(load));
  await opener.close(pair);
}
