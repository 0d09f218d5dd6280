import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkFile } from './check-file.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-demo-'));
  writeFileSync(join(folder, 'in'), 'x');
  mkdirSync(join(folder, 'sub'));
});

afterAll(() => rmSync(folder, { recursive: true }));

test('relative paths are taken from where the command was given', () => {
  expect(checkFile({ path: 'in', out: 'sub/copy' }, folder)).toEqual({
    path: join(folder, 'in'),
    out: join(folder, 'sub', 'copy'),
  });
});

test.each([
  ['no-such', 'copy', '--file takes a file that is there'],
  ['sub', 'copy', '--file takes a file that is there'],
  ['in', './in', '--out must be another file'],
  ['in', 'sub', '--out takes the name of a file'],
  ['in', 'nowhere/copy', '--out: there is no folder'],
])('--file %s --out %s is refused in words', (path, out, words) => {
  expect(checkFile({ path, out }, folder)).toContain(words);
});
