import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** What skipped tests named: peers that are not installed. */
  readonly missing: Set<string>;
}

/**
 * Prints `N passed, N failed, N skipped` as the last line of the process, with the missing peers
 * behind it where there are any. A file that can't be imported, a hook that throws and an error
 * outside all tests count as one failure each: they must not read as success. With
 * MILLRACE_REQUIRE_PEERS=1 a test that was skipped for a missing peer counts as failed, and the run with it.
 */
export class SummaryReporter implements Reporter {
  #counts: Counts = { passed: 0, failed: 0, skipped: 0, missing: new Set() };
  #filtered = false;

  onInit(vitest: { config: { testNamePattern?: RegExp | undefined } }): void {
    this.#filtered = vitest.config.testNamePattern !== undefined;
    process.once('exit', (code) => {
      // A run that ended in another way than by its tests (interrupted, nothing found) is no success either.
      if (code !== 0 && this.#counts.failed === 0) this.#counts.failed = 1;
      writeSync(1, `${formatSummary(this.#counts)}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const counts = countResults(modules, unhandledErrors.length, this.#filtered);
    this.#counts = process.env['MILLRACE_REQUIRE_PEERS'] === '1' ? requirePeers(counts) : counts;
    if (this.#counts.failed > 0) process.exitCode = 1;
  }
}

/** `filtered`: tests were picked by name, so those that were not are not counted as skipped. */
export function countResults(modules: readonly TestModule[], unhandledErrors: number, filtered: boolean): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0, missing: new Set() };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += (suite as TestSuite).errors().length;
    for (const test of module.children.allTests()) countTest(test, counts, filtered);
  }
  return counts;
}

/** Counts where every peer has to be there. */
export function requirePeers(counts: Counts): Counts {
  if (counts.missing.size === 0) return counts;
  const missing = [...counts.missing].map((name) => `missing ${name}`);
  return { passed: counts.passed, failed: counts.failed + counts.skipped, skipped: 0, missing: new Set(missing) };
}

function countTest(test: TestCase, counts: Counts, filtered: boolean): void {
  const result = test.result();
  if (result.state === 'passed') counts.passed++;
  else if (result.state === 'failed') counts.failed++;
  else if (result.state === 'skipped') {
    if (result.note !== undefined) counts.missing.add(result.note);
    else if (filtered) return;
    counts.skipped++;
  }
}

export function formatSummary(counts: Counts): string {
  const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
  return counts.missing.size === 0 ? line : `${line} (${[...counts.missing].toSorted().join(', ')})`;
}
