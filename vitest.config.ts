import { existsSync } from 'node:fs';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { fuzzPlugin } from './tests/fuzz/fuzz-plugin.ts';
import { SummaryReporter } from './tests/reporter/summary-reporter.ts';

/** Tests run on the sources: nothing has to be built. */
const conditions = ['@millrace/source', 'node', 'import', 'module', 'default'];

/** Set by `npm run fuzz`. */
const isFuzzing = process.env['MILLRACE_FUZZ_RUNS'] !== undefined;

function project(name: string, test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return {
    ssr: { resolve: { conditions } },
    resolve: { conditions },
    ...(isFuzzing ? { plugins: [fuzzPlugin()] } : {}),
    test: { name, environment: 'node', ...(isFuzzing ? { testTimeout: 3_600_000 } : {}), ...test },
  };
}

const packages = ['core', 'crypto', 'dtls', 'sctp', 'ice', 'datachannel'].map((name) =>
  project(name, { include: [`packages/${name}/{src,test}/**/*.test.ts`] }),
);

/** Peers and browsers are started one after the other, when everything else is done. */
const alone = { maxWorkers: 1, testTimeout: 120_000, hookTimeout: 60_000 };

/** pnpm and npm put it in different places; a demo-only installation has neither. */
const interopIsInstalled = ['tests/interop/node_modules/puppeteer-core', 'node_modules/puppeteer-core'].some((path) =>
  existsSync(new URL(path, import.meta.url)),
);

export default defineConfig({
  test: {
    reporters: ['default', new SummaryReporter()],
    projects: [
      ...packages,
      project('throughput', { include: ['apps/throughput/src/**/*.test.ts'] }),
      project('sim', { include: ['tests/sim/src/**/*.test.ts'] }),
      project('rules', { include: ['tests/{rules,reporter,launcher}/**/*.test.ts'], testTimeout: 60_000 }),
      project('garbage', {
        include: ['tests/garbage/**/*.test.ts'],
        // A young generation so large that nothing is collected while a test counts.
        execArgv: ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
        testTimeout: 60_000,
      }),
      project('demo', { include: ['tests/demo/**/*.test.ts'], sequence: { groupOrder: 1 }, ...alone }),
      ...(interopIsInstalled
        ? [project('interop', { include: ['tests/interop/src/**/*.test.ts'], sequence: { groupOrder: 2 }, ...alone })]
        : []),
    ],
  },
});
