import { defineConfig } from 'vitest/config';

/** Files that run bridges in real time: one at a time and after the others, since the machine may have two cores. */
const REAL_TIME = [
  'test/e2e/**/*.test.ts',
  'test/ros/**/*.test.ts',
  'test/sim/**/*.test.ts',
  'test/prepare/**/*.test.ts',
  'test/docker/build.test.ts',
  'test/docs/commands.test.ts',
  'test/ports/**/*.test.ts',
  'test/cli/**/*.test.ts',
  'test/buses/**/*.test.ts',
  'test/bench/**/*.test.ts',
  'test/page/**/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: REAL_TIME,
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'real time',
          include: REAL_TIME,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
