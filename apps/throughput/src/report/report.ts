import type { Options } from '../cli/options.ts';
import type { Run, SuiteResult } from '../session/results.ts';
import { browserSentence, formatDrop, formatHashes, formatLegend, formatOmitted } from './closing.ts';
import { formatBytes } from './format.ts';
import type { Style } from './style.ts';
import { summarize } from './summary.ts';
import { formatTable } from './table.ts';

/** What stands at the end: a table per suite, the CPU drop of each, the check. */
export function formatReport(results: readonly SuiteResult[], options: Options, style: Style): string {
  const summaries = results.map(summarize);
  const tables = results.map(({ loadBytesPerSecond }, i) =>
    formatTable(summaries[i]!, loadBytesPerSecond, options.datagramBytes, style),
  );
  const drops = summaries.map((of) => formatDrop(of, style)).filter((text) => text !== '');
  const closing = [...formatOmitted(results, options), formatHashes(results, style)];
  if (summaries.flat().some(({ suite }) => !suite.short.startsWith('ccm'))) closing.unshift(browserSentence);
  if (options.file !== undefined) closing.push(formatFile(results[0]!.engines[0]!.runs[0]!, options.file.out));
  const parts = [...tables, formatLegend(summaries.flat(), style), ...drops, `${closing.join('\n')}\n`];
  return `\n${parts.join('\n')}`;
}

function formatFile({ bytes, sha256Ok }: Run, out: string): string {
  return sha256Ok ? `${formatBytes(bytes)} went to ${out}.` : `${out} was not written.`;
}
