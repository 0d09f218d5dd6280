import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import * as sctp from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [example, ...others] = [...readme.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1]!);
const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...values: unknown[]) => Promise<void>;

test('the example of the README runs as it is', async () => {
  const log = vi.fn();
  const body = example!.replace(/^import (\{.*\}) from 'sctp-js';$/m, 'const $1 = sctp;');
  await new AsyncFunction('sctp', 'console', body)(sctp, { log });
  expect(log.mock.calls).toEqual(
    expect.arrayContaining([
      [0, 'connected'],
      [1, 'connected'],
      [1, 1, 'hello'],
      [0, 1, 'hello'],
      [0, 'closed'],
    ]),
  );
  expect(others).toEqual([]);
});
