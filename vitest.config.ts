import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What is polled for may take this long on a busy machine, ms; only the outcome counts. */
const expect = { poll: { timeout: 20_000 } };
/** A failure is told in one line at the end of the run, which is to say what was found instead of `[ Array(1) ]`. */
const chaiConfig = { truncateThreshold: 2000 };
/** Programs, bridges and browsers start slowly on a busy machine, ms: a bridge is given 120 s for that. */
const slow = { testTimeout: 300_000, hookTimeout: 300_000 };

/** Folders whose tests need more than Node, whatever their files are called. */
const OUTSIDE = ['test/e2e/**', 'test/page/**'];

/** Unit tests only calculate: one a core, as far as memory goes. */
const CALCULATING = Math.min(8, Math.max(2, availableParallelism()));

/** Files that take longest, in the order in which they begin: one that begins last is waited for alone. */
const LONG = [
  ...[
    'feedback.sweep',
    'feedback-models',
    'calibration/friction',
    'explore/cases',
    'mirror/endings',
    'mirror/force',
    'mirror/remote',
  ],
  ...['python-client', 'launch/workspace', 'lerobot', 'rehearsal', 'launch/moveit', 'launch/documents'],
  ...['docs/commands', 'launch/launch', 'main-thread', 'ros-tool', 'schemathesis', 'ros/process', 'e2e/exit'],
  ...['page/tour', 'page/from-the-box', 'page/move', 'page/teleoperation', 'page/page', 'page/stop'],
];

/** Begins with the longest files, which vitest by itself knows only where it has run them before. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((part) => moduleId.includes(part));
      return at < 0 ? LONG.length : at;
    };
    const group = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return (await super.sort(files)).sort((a, b) => group(a) - group(b) || place(a) - place(b));
  }
}

/**
 * A project for each thing that tests need, told by the name of a file alone (CONTRIBUTING.md, "Tests"). Projects of a
 * group run side by side, groups one after the other.
 */
function project(
  name: string,
  { group, workers, ...test }: { group: number; workers: number } & NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  return {
    test: { ...slow, expect, chaiConfig, ...test, name, sequence: { groupOrder: group }, maxWorkers: workers },
  };
}

/** A project whose tests need only Node. */
function calculating(name: string, include: string[], exclude: string[] = []): TestProjectInlineConfiguration {
  return project(name, {
    group: 0,
    workers: CALCULATING,
    include,
    exclude,
    setupFiles: ['test/support/no-edges.ts'],
    // Importing everything anew for each file would take as long as half of the tests themselves.
    isolate: false,
  });
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      calculating('unit', ['test/**/*.test.ts'], [...OUTSIDE, 'test/**/*.{sweep,edge,ros,real}.test.ts']),
      // The same fact over many rates, models, walls or seeds, which nobody is to wait for at each commit.
      calculating('sweep', ['test/**/*.sweep.test.ts']),
      // Three of them, with the programs that they start, keep two cores busy.
      project('edge', { group: 1, workers: 3, include: ['test/**/*.edge.test.ts'] }),
      project('ros', { group: 1, workers: 3, include: ['test/**/*.ros.test.ts'] }),
      project('e2e', {
        group: 1,
        workers: 3,
        include: ['test/e2e/**/*.test.ts'],
        exclude: ['test/e2e/**/*.real.test.ts'],
      }),
      // What is waited for in a browser that draws without a graphics card is patient, and there is much of it.
      project('page', {
        group: 2,
        workers: 2,
        include: ['test/page/**/*.test.ts'],
        testTimeout: 900_000,
        expect: { poll: { timeout: 90_000 } },
      }),
      // These judge motion or latency in real time, or have servos that must answer in time: one at a time, and nothing beside them.
      project('real', { group: 3, workers: 1, include: ['test/**/*.real.test.ts'] }),
    ],
  },
});
