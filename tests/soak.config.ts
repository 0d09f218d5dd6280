import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './reporter/summary-reporter.ts';

const conditions = ['@millrace/source', 'node', 'import', 'module', 'default'];

/** Apart from the other tests: it runs for as long as it is told to, over real sockets. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: {
    name: 'soak',
    include: ['tests/soak/src/**/*.test.ts'],
    reporters: ['verbose', new SummaryReporter()],
    execArgv: ['--expose-gc'],
    testTimeout: 0,
    disableConsoleIntercept: true,
  },
});
