// Stryker's configuration, used by `npm run mutants`: which code is changed, and which tests are to notice.

/** Unit tests of these rooms judge the mutants: those of a whole bridge would take minutes for each. */
export const TESTS = ['test/rt/**/*.test.ts'];

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutants.vitest.mjs' },
  mutate: ['src/rt/**/*.ts'],
  // What people read is not judged; neither is what is computed once, when a module is loaded.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  ignorePatterns: ['build', 'dist', 'docs', 'docker', 'web', 'bench', 'coverage', '*.log'],
  tempDirName: 'build/mutants/sandbox',
  incremental: true,
  incrementalFile: 'build/mutants/incremental.json',
  reporters: ['json', 'html', 'clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportScoreTable: true },
  jsonReporter: { fileName: 'build/mutants/report.json' },
  htmlReporter: { fileName: 'build/mutants/report.html' },
  concurrency: 2,
  timeoutMS: 10_000,
  allowEmpty: true,
};
