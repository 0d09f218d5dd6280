import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import * as pure from '../src/index.ts';
import * as node from '../src/node/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1]!);
const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...values: unknown[]) => Promise<void>;

async function run(example: string, exports: object): Promise<unknown[][]> {
  const log = vi.fn();
  const body = example.replace(/^import (\{.*\}) from '@millrace\/crypto';$/m, 'const $1 = millrace;');
  await new AsyncFunction('millrace', 'console', body)(exports, { log });
  return log.mock.calls;
}

describe.each([
  ['node', node],
  ['pure', pure],
])('the examples of the README run as they are: %s', (_, exports) => {
  test('createCcm', async () => {
    expect(await run(examples[0]!, exports)).toEqual([['hello']]);
  });
  test('createRecordQueue', async () => {
    expect(await run(examples[1]!, exports)).toEqual([[true, 97]]);
  });
  test('createRecordArena', async () => {
    expect(await run(examples[2]!, exports)).toEqual([]);
  });
  test('generateCertificate', async () => {
    expect(await run(examples[3]!, exports)).toEqual([[expect.stringMatching(/^sha-256 ([0-9A-F]{2}:){31}/)], [true]]);
    expect(examples).toHaveLength(4);
  });
});
