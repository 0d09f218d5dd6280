import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { countResults, formatSummary, requirePeers } from './summary-reporter.ts';

type Result = { state: string; note?: string };

function moduleOf(results: readonly Result[], own: number = 0, suiteErrors: number = 0): TestModule {
  const errors =
    (count: number): (() => object[]) =>
    () =>
      Array.from({ length: count }, () => ({}));
  return {
    errors: errors(own),
    children: {
      allSuites: () => [{ errors: errors(suiteErrors) }],
      allTests: () => results.map((result) => ({ result: () => result })),
    },
  } as unknown as TestModule;
}

test('counts what passed, failed and was skipped, and names the missing peers once', () => {
  const results = [
    { state: 'passed' },
    { state: 'failed' },
    { state: 'skipped', note: 'openssl' },
    { state: 'skipped', note: 'openssl' },
  ];
  const counts = countResults([moduleOf(results), moduleOf([{ state: 'skipped', note: 'chromium' }])], 0, false);
  expect(formatSummary(counts)).toBe('1 passed, 1 failed, 3 skipped (chromium, openssl)');
});

test('without missing peers the line is bare', () => {
  expect(formatSummary(countResults([moduleOf([{ state: 'passed' }])], 0, false))).toBe('1 passed, 0 failed, 0 skipped');
});

test('a file that cannot be imported, a hook that throws and an error outside tests are failures', () => {
  expect(formatSummary(countResults([moduleOf([], 1), moduleOf([], 0, 1)], 1, false))).toBe('0 passed, 3 failed, 0 skipped');
});

test('tests that a name filter left out are not counted', () => {
  const results = [{ state: 'passed' }, { state: 'skipped' }, { state: 'skipped', note: 'nss' }];
  expect(formatSummary(countResults([moduleOf(results)], 0, true))).toBe('1 passed, 0 failed, 1 skipped (nss)');
});

test('where peers are required, what was skipped for a missing one has failed', () => {
  const counts = countResults([moduleOf([{ state: 'passed' }, { state: 'skipped', note: 'openssl' }])], 0, false);
  expect(formatSummary(requirePeers(counts))).toBe('1 passed, 1 failed, 0 skipped (missing openssl)');
});
