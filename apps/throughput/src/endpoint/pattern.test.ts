import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPatternSource } from './pattern.ts';

test('two sources give the same bytes, and no block comes twice', async () => {
  const [a, b] = [new Uint8Array(3_000_000), new Uint8Array(3_000_000)];
  const source = createPatternSource();
  const other = createPatternSource();
  for (const target of [a, b]) expect(await source.fill(target)).toBe(target.length);
  const again = new Uint8Array(3_000_000);
  await other.fill(again);
  expect(Buffer.compare(a, again)).toBe(0);
  const blocks = new Set<string>();
  for (const data of [a, b]) {
    for (let at = 0; at < data.length; at += 1024) {
      blocks.add(
        createHash('sha1')
          .update(data.subarray(at, at + 1024))
          .digest('hex'),
      );
    }
  }
  expect(blocks.size).toBe(2 * Math.ceil(3_000_000 / 1024));
});
