import type { Load } from '../session/results.ts';

/** Three significant digits at least, no decimals from 100 on: 7.31, 42.8, 305. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

export function formatRate(bytesPerSecond: number): string {
  return `${formatFigure(bytesPerSecond / 1e6)} MB/s`;
}

/** Rate and CPU of both sides, in columns that don't jump. */
export function formatLoad({ mbPerS, senderCpuPercent, receiverCpuPercent }: Load): string {
  const percent = (value: number): string => `${Math.round(value)} %`.padStart(5);
  return `${formatFigure(mbPerS).padStart(5)} MB/s, CPU sender ${percent(senderCpuPercent)}, receiver ${percent(receiverCpuPercent)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 2 ** 20) return `${bytes} bytes`;
  return `${formatFigure(bytes / 2 ** 20)} MiB`;
}
