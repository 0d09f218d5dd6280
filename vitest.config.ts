import { defineConfig } from 'vitest/config';

const conditions = ['@millrace/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  test: {
    projects: ['core', 'crypto', 'dtls', 'sctp', 'ice', 'datachannel']
      .map((name) => ({
        ssr: { resolve: { conditions } },
        resolve: { conditions },
        test: { name, include: [`packages/${name}/{src,test}/**/*.test.ts`], environment: 'node' as const },
      }))
      .concat([
        {
          ssr: { resolve: { conditions } },
          resolve: { conditions },
          test: { name: 'sim', include: ['tests/sim/src/**/*.test.ts'], environment: 'node' as const },
        },
      ]),
  },
});
