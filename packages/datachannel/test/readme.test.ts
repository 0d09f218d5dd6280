import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import * as server from '../src/server/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const [example] = [...readme.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1]!);
const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...values: unknown[]) => Promise<void>;

test('the first example of the README runs as it is', async () => {
  const log = vi.fn();
  const body = example!.replace(/^import (\{.*\}) from '@millrace\/datachannel\/server';$/m, 'const $1 = server;');
  await new AsyncFunction('server', 'console', body)(server, { log });
  expect(log.mock.calls).toEqual([['chat got hello']]);
});
