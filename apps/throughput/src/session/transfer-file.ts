import { rename, rm } from 'node:fs/promises';
import type { Options } from '../cli/options.ts';
import { formatLoad, formatRate } from '../report/format.ts';
import type { Progress } from '../report/progress.ts';
import type { PairOpener } from './open-pair.ts';
import type { SuiteResult } from './results.ts';

export interface FileTransfer {
  readonly path: string;
  readonly out: string;
  /** Where the bytes go until their hash is known to be right. */
  readonly partial: string;
}

/** Sends a file from one process to the other, once. `out` is there afterwards if the hash is right. */
export async function transferFile(
  { path, out, partial }: FileTransfer,
  options: Options,
  opener: PairOpener,
  progress: Progress,
): Promise<SuiteResult> {
  const suite = options.suites[0]!;
  const engine = options.engines![0]!;
  progress.begin(`${suite.algorithm} ${engine}: ${path}`);
  const pair = await opener.open(suite, engine, (live) => progress.live(formatLoad(live)), { path, out: partial });
  const bytesPerSecond = await pair.fullSpeed({});
  const run = await pair.costTransfer();
  progress.end(formatRate(bytesPerSecond));
  await opener.close(pair);
  if (run.sha256Ok) await rename(partial, out);
  else await rm(partial, { force: true });
  return { suite, engines: [{ engine, runs: [run], loads: [] }], loadBytesPerSecond: undefined };
}
