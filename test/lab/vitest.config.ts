import { defineConfig } from 'vitest/config';

/**
 * The laboratory, run by npm run test:lab. Two files at a time: most of a test is waiting. There is one engine, for which
 * a file waits in its first hook.
 */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/lab/**/*.lab.ts'],
    globalSetup: ['test/lab/support/global-setup.ts'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 1_200_000,
    chaiConfig: { truncateThreshold: 2000 },
  },
});
