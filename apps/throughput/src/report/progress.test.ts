import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { formatLoad } from './format.ts';
import { createProgress } from './progress.ts';

function record(terminal: boolean, columns = 80): { stream: NodeJS.WritableStream; text(): string } {
  const stream = new PassThrough();
  const chunks: string[] = [];
  stream.on('data', (chunk) => chunks.push(String(chunk)));
  if (terminal) Object.assign(stream, { isTTY: true, columns });
  return { stream, text: () => chunks.join('') };
}

test('without a terminal there are plain lines at the beginning and end of each step', () => {
  const { stream, text } = record(false);
  const progress = createProgress(stream);
  progress.begin('AES-128-CCM auto: full speed');
  progress.live(' 50 MB/s');
  progress.end('   50 MB/s, CPU sender  80 %');
  progress.clear();
  expect(text()).toBe('AES-128-CCM auto: full speed ...\nAES-128-CCM auto: full speed: 50 MB/s, CPU sender 80 %\n');
});

test('on a terminal one line is written over, and stays with its result', () => {
  const { stream, text } = record(true);
  const progress = createProgress(stream);
  progress.begin('warm-up');
  progress.live('50 MB/s');
  progress.live('60 MB/s');
  progress.end('55 MB/s');
  expect(text().match(/\n/g)).toHaveLength(1);
  expect(text().split('\r\x1b[2K').at(-1)).toMatch(/^ {2}warm-up +55 MB\/s\n$/);
});

test('the figures of both sides fit a terminal of 80 columns', () => {
  const { stream, text } = record(true);
  const progress = createProgress(stream);
  progress.begin('AES-128-CCM single-buffer: full speed');
  progress.live(formatLoad({ mbPerS: 50, senderCpuPercent: 95, receiverCpuPercent: 98 }));
  expect(text()).toMatch(/full speed 50\.0 MB\/s, CPU sender 95 %, receiver 98 %$/);
});

test('a line is cut before it wraps', () => {
  const { stream, text } = record(true, 30);
  createProgress(stream).begin('a title that is longer than the terminal is wide');
  expect(text().replaceAll('\r\x1b[2K', '').length).toBeLessThan(30);
});
