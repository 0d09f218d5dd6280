import { describe, expect, test } from 'vitest';
import { findTitles, formatBehaviors } from '../../../scripts/behaviors.mjs';
import { checkLayers } from './check-layers.ts';
import { checkLinks } from './check-links.ts';
import { checkProtocolCode, isProtocolCode } from './check-protocol-code.ts';
import { checkText } from './check-text.ts';
import { findInheritance, parseSource } from './parse-source.ts';
import type { Workspace } from './workspaces.ts';

const workspaces: readonly Workspace[] = [
  { folder: '', manifest: { name: 'root', devDependencies: { vitest: '1.0.0' } } },
  { folder: 'packages/core', manifest: { name: '@millrace/core', exports: { '.': {} } } },
  {
    folder: 'packages/dtls',
    manifest: { name: '@millrace/dtls', exports: { '.': {} }, dependencies: { '@millrace/core': '1.0.0' } },
  },
  {
    folder: 'packages/sctp',
    manifest: { name: 'sctp-js', exports: { '.': {} }, dependencies: { '@millrace/core': '1.0.0', '@millrace/dtls': '1.0.0' } },
  },
];
const sctp = workspaces[3]!;

describe('the layer check', () => {
  const check = (text: string, file = 'src/a.ts'): string[] => checkLayers(`packages/sctp/${file}`, text, sctp, workspaces);

  test.for([
    ["import type { Ring } from '@millrace/core';", 'src/a.ts'],
    ["import { b } from './b.ts';", 'src/a.ts'],
    ["import { test } from 'vitest';", 'src/a.test.ts'],
    ["import { b } from '../src/b.ts';", 'test/a.ts'],
  ])('lets %s pass in %s', ([text, file]) => {
    expect(check(text!, file)).toEqual([]);
  });

  test.for([
    ["import { x } from '@millrace/dtls';", 'not below'],
    ["export { x } from '@millrace/core/src/ring.ts';", 'does not export'],
    ["const x = await import('@millrace/core/ring');", 'does not export'],
    ["import { x } from '../../core/src/ring.ts';", 'outside its package'],
    ["import { x } from './b';", 'without its extension'],
    ["import { x } from '@noble/hashes';", 'does not declare'],
    ["import { test } from 'vitest';", 'does not declare'],
  ])('refuses %s', ([text, reason]) => {
    expect(check(text!)).toEqual([expect.stringContaining(reason!)]);
  });
});

describe('the protocol check', () => {
  const path = 'packages/sctp/src/a.ts';

  test.for([
    'const at = Date.now();',
    'const at = new Date();',
    'setTimeout(() => {}, 1);',
    "import { createHash } from 'node:crypto';",
    'const bytes = Buffer.alloc(1);',
    'const x: Promise<void> = f();',
    'async () => {};',
    "console.log('x');",
    'const r = Math.random();',
    'const t = performance.now();',
  ])('refuses %s', (text) => {
    expect(checkProtocolCode(path, text)).not.toEqual([]);
  });

  test.for([
    'const o = { process: 1 }; o.process;',
    '// Date.now() in words',
    "const text = 'Buffer';",
    'interface Clock { performance(): void }',
    'new Date(0)',
  ])('lets %s pass', (text) => {
    expect(checkProtocolCode(path, text)).toEqual([]);
  });

  test('is about neither drivers nor tests', () => {
    expect(isProtocolCode('packages/dtls/src/v12/client.ts')).toBe(true);
    expect(isProtocolCode('packages/crypto/src/node/provider.ts')).toBe(false);
    expect(isProtocolCode('packages/datachannel/src/server/server.ts')).toBe(false);
    expect(isProtocolCode('packages/dtls/src/v12/client.test.ts')).toBe(false);
  });

  test('leaves promises to the face that applications see', () => {
    const text = 'export declare function writable(): Promise<void>;';
    expect(checkProtocolCode('packages/datachannel/src/channel/channel.ts', text)).toEqual([]);
    expect(checkProtocolCode('packages/datachannel/src/transport/transport.ts', text)).not.toEqual([]);
  });
});

test('inheritance is found', () => {
  expect(findInheritance(parseSource('a.ts', 'class A extends B {}\nclass C extends Error {}'))).toEqual([
    { what: 'extends B', line: 1 },
  ]);
});

test('machine paths, unfinished work and tests left out by hand are found', () => {
  const words = { path: ['', 'home', 'me'].join('/'), open: ['TO', 'DO'].join(''), skip: ['test', 'skip'].join('.') };
  for (const text of [`read ${words.path}/x`, `// ${words.open} later`, `${words.skip}('x', f)`]) {
    expect(checkText('packages/core/src/a.ts', text)).toHaveLength(1);
  }
  expect(checkText('packages/core/src/a.ts', 'skipped once, at https://example.org/work')).toEqual([]);
});

test('bytes are not copied by a slice that a Buffer takes for a view', () => {
  expect(checkText('packages/dtls/src/a.ts', 'const kept = data.slice(1, 2);')).toHaveLength(1);
  expect(checkText('packages/dtls/src/a.ts', 'const kept = copyOf(data, 1, 2); text.slice(1);')).toEqual([]);
  expect(checkText('packages/dtls/src/a.test.ts', 'data.slice(1, 2)')).toEqual([]);
});

test('broken links are found', () => {
  expect(checkLinks('README.md', '[a](packages) [b](https://example.org) [c](#d) [e](nowhere.md)')).toEqual([
    'README.md:1 nowhere.md',
  ]);
});

test('titles of behaviors are found, without seeds and parameters', () => {
  const text =
    "test('D1: a hello is reassembled', f); test(`S7: loss is survived (seed ${seed})`, f); test.for(x)('S8: no loss, seed %i', f)";
  const rows = findTitles(text);
  expect(rows).toEqual([
    { id: 'D1', sentence: 'a hello is reassembled' },
    { id: 'S7', sentence: 'loss is survived' },
    { id: 'S8', sentence: 'no loss' },
  ]);
  expect(formatBehaviors(rows.map((row) => ({ ...row, files: ['tests/a.test.ts'] })))).toContain(
    '| D1 | a hello is reassembled | [a.test.ts](../tests/a.test.ts) |',
  );
});
