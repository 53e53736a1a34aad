import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import { keptWorker } from './lib/kept-worker.mjs';
import { TESTS } from './mutants.config.mjs';

/** The longest that each file has taken in this process, ms. */
const durations = new Map();

/** The quickest files first: one failure is enough. */
class QuickestFirst extends BaseSequencer {
  sort(files) {
    for (const { project, moduleId } of files) {
      const { duration = 0 } =
        this.ctx.cache.getFileTestResults(`${project.name}:${moduleId.slice(project.config.root.length)}`) ?? {};
      durations.set(moduleId, Math.max(duration, durations.get(moduleId) ?? 0));
    }
    return files.toSorted((a, b) => durations.get(a.moduleId) - durations.get(b.moduleId));
  }
}

export default defineConfig({
  plugins: [keptWorker],
  test: {
    root: process.cwd(),
    include: TESTS,
    exclude: ['**/*.{edge,ros,real}.test.ts'],
    runner: './scripts/lib/mutants-runner.mjs',
    setupFiles: ['scripts/lib/mutants-each-file.mjs'],
    testTimeout: 20_000,
    sequence: { sequencer: QuickestFirst },
  },
});
