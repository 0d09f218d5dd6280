import { rmSync } from 'node:fs';
import { checkFile } from './cli/check-file.ts';
import { help } from './cli/help.ts';
import { enginesFor, type Options, parseOptions } from './cli/options.ts';
import { readEnvironment } from './report/environment.ts';
import { formatHeading } from './report/heading.ts';
import { formatJson } from './report/json.ts';
import { createProgress, type Progress } from './report/progress.ts';
import { formatReport } from './report/report.ts';
import { createStyle } from './report/style.ts';
import { measureSuite } from './session/measure-suite.ts';
import { PairOpener } from './session/open-pair.ts';
import { onInterrupt } from './session/on-interrupt.ts';
import type { SuiteResult } from './session/results.ts';
import { TimeBudget } from './session/time-budget.ts';
import { transferFile } from './session/transfer-file.ts';
import { startSignalingServer } from './signaling/signaling-server.ts';

/** All of a run with two passes, which is what the defaults make, ends in this. */
const budgetMs = 51_000;

/** Runs the demo. Resolves with the exit code: 0 done, 1 wrong hash or failed transfer, 2 wrong flag. */
export async function demo(args: readonly string[]): Promise<number> {
  const parsed = parseOptions(args);
  if (parsed.kind === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (parsed.kind === 'refused') return refuse(parsed.reason);
  let { options } = parsed;
  if (options.file !== undefined) {
    const file = checkFile(options.file);
    if (typeof file === 'string') return refuse(file);
    options = { ...options, file };
  }
  const results = await measure(options);
  if (results === undefined) return 1;
  const output = options.json
    ? formatJson(results, options, readEnvironment())
    : formatReport(results, options, createStyle(process.stdout));
  process.stdout.write(output);
  return results.every(({ engines }) => engines.every(({ runs }) => runs.every(({ sha256Ok }) => sha256Ok))) ? 0 : 1;
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n`);
  return 2;
}

/** `undefined` where a transfer failed; the reason was printed. */
async function measure(options: Options): Promise<SuiteResult[] | undefined> {
  const stream = options.json ? process.stderr : process.stdout;
  stream.write(formatHeading(readEnvironment(), options, createStyle(stream)));
  const progress = createProgress(stream);
  const signaling = await startSignalingServer();
  const opener = new PairOpener(signaling, options);
  const partial = options.file === undefined ? undefined : `${options.file.out}.partial`;
  const cleanUp = (): void => {
    opener.killAll();
    if (partial !== undefined) rmSync(partial, { force: true });
  };
  const release = onInterrupt(() => {
    progress.clear();
    cleanUp();
  });
  try {
    return await measureAll(options, opener, progress, partial);
  } catch (error) {
    progress.clear();
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  } finally {
    cleanUp();
    release();
    await signaling.close();
  }
}

async function measureAll(
  options: Options,
  opener: PairOpener,
  progress: Progress,
  partial: string | undefined,
): Promise<SuiteResult[]> {
  if (options.file !== undefined) return [await transferFile({ ...options.file, partial: partial! }, options, opener, progress)];
  const pairs = options.passes * options.suites.reduce((sum, suite) => sum + enginesFor(suite, options).length, 0);
  const budget = new TimeBudget(performance.now(), (budgetMs * options.passes) / 2, pairs);
  const results: SuiteResult[] = [];
  for (const suite of options.suites) {
    results.push(await measureSuite(suite, enginesFor(suite, options), { opener, options, progress, budget }));
  }
  return results;
}
