import { expect, test } from 'vitest';
import { formatBigFigure } from './big-figure.ts';
import { formatBytes, formatFigure, formatLoad } from './format.ts';

test.each([
  [7.314, '7.31'],
  [9.996, '10.0'],
  [42.84, '42.8'],
  [99.96, '100'],
  [305.4, '305'],
  [0, '0.00'],
  [-12.34, '-12.3'],
  [Number.NaN, '-'],
])('%d is shown as %s', (value, text) => expect(formatFigure(value)).toBe(text));

test('bytes and loads are shown with their units', () => {
  expect(formatBytes(16_384)).toBe('16384 bytes');
  expect(formatBytes(3 * 2 ** 20)).toBe('3.00 MiB');
  expect(formatLoad({ mbPerS: 12.34, senderCpuPercent: 98.6, receiverCpuPercent: 7 })).toBe(
    ' 12.3 MB/s, CPU sender  99 %, receiver   7 %',
  );
});

test('every character that a figure can have is drawn five lines high, as wide in each', () => {
  for (const character of '0123456789-%') {
    const lines = formatBigFigure(`${character}1`);
    expect(lines.map((line) => line.length)).toEqual([14, 14, 14, 14, 14]);
    expect(lines.join('').replaceAll(/[ █]/g, '')).toBe('');
  }
  const drawn = new Set([...'0123456789-% '].map((character) => formatBigFigure(character).join('\n')));
  expect(drawn.size).toBe(13);
});
