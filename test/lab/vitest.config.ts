import { defineConfig } from 'vitest/config';

/** The laboratory: one engine for all files, therefore one file after the other. Run by npm run test:lab. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/lab/**/*.lab.ts'],
    globalSetup: ['test/lab/support/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    chaiConfig: { truncateThreshold: 2000 },
  },
});
