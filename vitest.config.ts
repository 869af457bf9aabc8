import { defineConfig } from 'vitest/config'

/**
 * Sources stand in for the package where code imports it by its own name, so that no test sees a stale build. The rest
 * is as in Node, which knows itself whether something is imported or required: told `import`, it gives a `require` the
 * wrong build; a `module` build is for bundlers, and there are some that Node cannot load.
 */
const conditions = ['querent-source', 'node']

const shared = {
  ssr: { resolve: { conditions, externalConditions: conditions } },
  resolve: { conditions },
}

export default defineConfig({
  ...shared,
  test: {
    // A process per file: what a test leaves open is its own, and setup/leaks.ts can name it.
    pool: 'forks',
    maxWorkers: 2,
    retry: 0,
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          setupFiles: ['test/setup/leaks.ts'],
          testTimeout: 20_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'whole',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/browser/**', 'test/store/postgres/**'],
          setupFiles: ['test/setup/leaks.ts'],
          // Whole processes, packages and compilers, on two cores that others use as well.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'postgres',
          // Every test of the engine runs on both stores: here a second time, on Postgres.
          include: [
            'test/store/postgres/**/*.test.ts',
            'test/{engine,cases,property}/**/*.test.ts',
            'test/guarantees.test.ts',
          ],
          // That one counts turns of the event loop, in which a server does nothing.
          exclude: ['test/property/engine.test.ts'],
          env: { QUERENT_TEST_STORE: 'postgres' },
          globalSetup: ['test/setup/postgres.ts'],
          setupFiles: ['test/setup/leaks.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.{ts,tsx}'],
          globalSetup: ['test/setup/chromium.ts'],
          setupFiles: ['test/setup/leaks.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
