import { formatFigure, formatRate } from './format.ts';
import type { Style } from './style.ts';
import type { EngineSummary } from './summary.ts';

const nameColumns = 32;
const engineColumns = 15;
const changeColumns = 10;

/** An engine that stays further below the rate has not had the same load. */
const keptShare = 0.97;

/** A figure of each engine in a row. */
interface Row {
  readonly name: string;
  readonly value: (summary: EngineSummary) => number | undefined;
  readonly unit?: string;
  /** Whether the last column says how `auto` stands against `reference`. */
  readonly compared: boolean;
}

const fullSpeed: readonly Row[] = [
  { name: 'MB/s', value: ({ mbPerS }) => mbPerS, compared: true },
  { name: '  spread of the runs', value: ({ mbPerSSpreadPercent }) => mbPerSSpreadPercent, unit: ' %', compared: false },
  { name: 'CPU s/GB, sender', value: ({ sender }) => sender.cpuSecondsPerGb, compared: true },
  { name: 'CPU s/GB, receiver', value: ({ receiver }) => receiver.cpuSecondsPerGb, compared: true },
  { name: 'CPU s/GB, both', value: ({ sender, receiver }) => sender.cpuSecondsPerGb + receiver.cpuSecondsPerGb, compared: true },
  { name: '  spread of the runs', value: ({ cpuSpreadPercent }) => cpuSpreadPercent, unit: ' %', compared: false },
  { name: 'records per flush, sender', value: ({ sender }) => sender.recordsPerFlush, compared: false },
  { name: 'records per flush, receiver', value: ({ receiver }) => receiver.recordsPerFlush, compared: false },
];

const record: readonly Row[] = [
  { name: 'seal, µs', value: ({ sender }) => sender.sealNsPerRecord / 1000, compared: true },
  { name: 'open, µs', value: ({ receiver }) => receiver.openNsPerRecord / 1000, compared: true },
  { name: 'allocated by seal, bytes', value: ({ sender }) => Math.round(sender.bytesPerRecord), compared: true },
  { name: 'allocated by open, bytes', value: ({ receiver }) => Math.round(receiver.bytesPerRecord), compared: true },
];

const sameLoad: readonly Row[] = [
  { name: 'MB/s', value: ({ load }) => load?.mbPerS, compared: false },
  { name: 'CPU, sender', value: ({ load }) => load?.senderCpuPercent, unit: ' %', compared: true },
  { name: 'CPU, receiver', value: ({ load }) => load?.receiverCpuPercent, unit: ' %', compared: true },
];

/** The table of one suite: engines in columns, medians of their runs. */
export function formatTable(
  summaries: readonly EngineSummary[],
  loadBytesPerSecond: number | undefined,
  recordBytes: number,
  style: Style,
): string {
  const { suite } = summaries[0]!;
  const compares = ['reference', 'auto'].every((wanted) => summaries.some(({ engine }) => engine === wanted));
  const head = ''.padEnd(nameColumns) + summaries.map(({ engine }) => engine.padStart(engineColumns)).join('');
  const lines = [
    `${style('bold', suite.algorithm)}  ${style('dim', suite.name)}`,
    style('dim', head + (compares ? 'change'.padStart(changeColumns) : '')),
    'full speed',
    ...fullSpeed.map((row) => formatRow(row, summaries, style)),
    `a record of ${recordBytes} bytes, protected alone`,
    ...record.map((row) => formatRow(row, summaries, style)),
  ];
  if (loadBytesPerSecond !== undefined) {
    const isKept = summaries.every(({ load }) => load === undefined || load.mbPerS * 1e6 >= keptShare * loadBytesPerSecond);
    const caution = isKept ? '' : '; not all kept it, so their CPU is not that of the same load';
    lines.push(`same load, every engine paced to ${formatRate(loadBytesPerSecond)}${caution}`);
    lines.push(...sameLoad.map((row) => formatRow(row, summaries, style)));
  }
  return `${lines.join('\n')}\n`;
}

function formatRow({ name, value, unit = '', compared }: Row, summaries: readonly EngineSummary[], style: Style): string {
  const cells = summaries.map((summary) => {
    const figure = value(summary);
    const text = figure === undefined || Number.isNaN(figure) ? '-' : formatFigure(figure) + unit;
    return text.padStart(engineColumns);
  });
  const line = `  ${name}`.padEnd(nameColumns) + cells.join('');
  const change = compared ? formatChange(value, summaries) : '';
  if (change !== '') return line + style('bold', change.padStart(changeColumns));
  return compared ? line : style('dim', line);
}

/** `auto` against `reference`, as a change in percent; empty where there is none. */
function formatChange(value: Row['value'], summaries: readonly EngineSummary[]): string {
  const [before, now] = ['reference', 'auto'].map((wanted) => {
    const summary = summaries.find(({ engine }) => engine === wanted);
    return summary === undefined ? undefined : value(summary);
  });
  if (before === undefined || now === undefined || !(before > 0)) return '';
  const percent = Math.round(100 * (now / before - 1));
  return `${percent > 0 ? '+' : ''}${percent} %`;
}
