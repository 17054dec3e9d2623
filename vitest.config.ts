import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/build-pages.ts', 'test/global-setup.ts'],
    forceRerunTriggers: ['**/package.json', '**/vitest.config.ts', '**/migrations/*.sql'],
    pool: 'forks',
    // Node imports the program as it does outside of tests; through Vite it takes half a second more.
    experimental: { viteModuleRunner: false },
    // More than Vitest's own choice: much of the time is PostgreSQL's and that of other processes.
    maxWorkers: Math.min(availableParallelism() + 2, 8),
    // A worker loads the program once for all of its files: loading is a quarter of the work. So no test file may leave
    // state in modules.
    isolate: false,
    // Limits that only end what hangs: no test is about them, and tests on a busy machine stay below them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000, interval: 40 } },
  },
});
