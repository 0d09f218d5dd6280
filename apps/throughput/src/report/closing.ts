import type { Options } from '../cli/options.ts';
import { engineLabels, engines } from '../engines.ts';
import type { SuiteResult } from '../session/results.ts';
import { formatBigFigure } from './big-figure.ts';
import type { Style } from './style.ts';
import { cpuDrop, type EngineSummary } from './summary.ts';

/** Stands above the line that a browser's users should read. */
export const browserSentence =
  'Browsers offer no AES-CCM suite: between Node and a browser, AES-128-GCM or ChaCha20-Poly1305 is what applies.';

/** What the engines do: only of those that were measured. */
export function formatLegend(summaries: readonly EngineSummary[], style: Style): string {
  const measured = engines.filter((engine) => summaries.some((summary) => summary.engine === engine));
  return measured.map((engine) => style('dim', `${engine}: ${engineLabels[engine]}\n`)).join('');
}

/** The CPU drop, large. Empty where `reference` and `auto` were not both measured. */
export function formatDrop(summaries: readonly EngineSummary[], style: Style): string {
  const drop = cpuDrop(summaries);
  if (drop === undefined) return '';
  const { algorithm } = summaries[0]!.suite;
  const figure = formatBigFigure(`${Math.round(drop.total)} %`);
  const tone = drop.total > 0 ? 'green' : 'red';
  const captions = [
    style('bold', `CPU drop with ${algorithm}`),
    '',
    'CPU time per byte at full speed, auto against reference:',
    `sender ${percent(drop.sender)}, receiver ${percent(drop.receiver)}, both together ${percent(drop.total)}`,
    drop.total > 0 ? '' : 'auto took more CPU than reference here',
  ];
  return `${figure.map((line, row) => `  ${style(tone, line)}   ${captions[row]}`.trimEnd()).join('\n')}\n`;
}

/** Says of which suites passes were left out because the time was up. */
export function formatOmitted(results: readonly SuiteResult[], { file, passes }: Options): string[] {
  if (file !== undefined) return [];
  const short = results.filter(({ engines: measured }) => measured.some(({ runs }) => runs.length < passes));
  return short.map(({ suite, engines: measured }) => {
    const runs = measured[0]!.runs.length;
    return `${suite.algorithm}: ${runs} of ${passes} passes, as this machine was too busy for more within a minute; --passes asks for them.`;
  });
}

/** Whether what arrived is what was sent, in all runs. */
export function formatHashes(results: readonly SuiteResult[], style: Style): string {
  const runs = results.flatMap(({ suite, engines: measured }) =>
    measured.flatMap(({ engine, runs }) => runs.map((run) => ({ suite, engine, run }))),
  );
  const wrong = runs.find(({ run }) => !run.sha256Ok);
  if (wrong !== undefined) {
    return style('red', `SHA-256 differs: ${wrong.suite.algorithm} ${wrong.engine} did not receive what was sent.`);
  }
  const what = runs.length === 1 ? 'of what arrived is that of what was sent' : `is right in all ${runs.length} transfers`;
  return `SHA-256 ${what}; hashing was outside the measured time.`;
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}
