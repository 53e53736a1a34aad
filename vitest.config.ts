import { defineConfig } from 'vitest/config';

/** Files that build things; what they judge, a busy processor does not change. */
const BUILDS = [
  'test/docker/build.test.ts',
  'test/e2e/package.test.ts',
  'test/launch/workspace.test.ts',
  'test/prepare/**/*.test.ts',
];

/** Files whose bridges and programs mostly wait: three of them leave each other time enough on two cores. */
const PATIENT = [
  'test/bench/bench.test.ts',
  'test/buses/{calibration,connections,start-up,terminal}.test.ts',
  'test/cli/**/*.test.ts',
  'test/docs/commands.test.ts',
  'test/launch/{documents,launch,moveit}.test.ts',
  'test/ports/**/*.test.ts',
  'test/ros/process.test.ts',
  'test/sim/**/*.test.ts',
  'test/e2e/{config,control-thread,exit,field-client,joints,machines,models,moves,operations}.test.ts',
  'test/e2e/{own-arm,ownership,pair,recording,targets,typed-client}.test.ts',
];

/** Files that judge motion, latency or a browser in real time: one at a time, and nothing beside them. */
const REAL_TIME = [
  'test/buses/**/*.test.ts',
  'test/e2e/**/*.test.ts',
  'test/ros/room.test.ts',
  'test/page/**/*.test.ts',
];

/** What is polled for may take this long on a busy machine, ms; only the outcome counts. */
const expect = { poll: { timeout: 20_000 } };
/** A failure is told in one line at the end of the run, which is to say what was found instead of `[ Array(1) ]`. */
const chaiConfig = { truncateThreshold: 2000 };
const long = { testTimeout: 120_000, hookTimeout: 60_000, expect, chaiConfig };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...BUILDS, ...PATIENT, ...REAL_TIME],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect,
          chaiConfig,
          sequence: { groupOrder: 0 },
          maxWorkers: 2,
          // Importing everything anew for each file would take as long as half of the tests themselves.
          isolate: false,
        },
      },
      { test: { name: 'builds', include: BUILDS, ...long, sequence: { groupOrder: 0 }, maxWorkers: 2 } },
      { test: { name: 'patient', include: PATIENT, ...long, sequence: { groupOrder: 1 }, maxWorkers: 3 } },
      {
        test: {
          name: 'real time',
          include: REAL_TIME,
          exclude: [...BUILDS, ...PATIENT],
          ...long,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
