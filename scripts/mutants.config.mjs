// Stryker's configuration, used by `npm run mutants`: which code is changed, and which tests are to notice.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOM = join('src', 'rt');
const TEST_ROOM = join('test', 'rt');

/** Folders of the control room, itself first, with their sources. The tests of the same folder judge them. */
export const FOLDERS = [
  '.',
  ...readdirSync(ROOM, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
].map((name) => ({ name, sources: filesIn(join(ROOM, name)) }));

/** Physics costs a test a second or more, thousands of times over. */
const WITH_PHYSICS = /mirror\/support|virtual-bridge/;

/** The folder that this run is for. */
const folder = process.env.MUTANTS_FOLDER ?? '.';
const results = (name) => join('build', 'mutants', name === '.' ? 'rt' : name);

/** Its unit tests judge the mutants, but for those of whole arms: these would take minutes for each. */
export const TESTS = filesIn(join(TEST_ROOM, folder)).filter(
  (name) => /^[^.]+\.test\.ts$/.test(name) && !WITH_PHYSICS.test(readFileSync(name, 'utf8')),
);

/** What is remembered of the mutants of a folder. */
export const memoryOf = (name) => `${results(name)}.json`;

function filesIn(path) {
  const names = readdirSync(path).filter((name) => name.endsWith('.ts'));
  return names.map((name) => join(path, name));
}

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutants.vitest.mjs' },
  mutate: FOLDERS.find(({ name }) => name === folder).sources,
  // What people read is not judged; neither is what is computed once, when a module is loaded.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  ignorePatterns: ['build', 'dist', 'docs', 'docker', 'web', 'bench', 'coverage', '*.log'],
  tempDirName: 'build/mutants/sandbox',
  incremental: true,
  incrementalFile: memoryOf(folder),
  reporters: ['html', 'clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportScoreTable: true },
  htmlReporter: { fileName: `${results(folder)}.html` },
  concurrency: 2,
  // Endless loops are found by counting; by time only what hangs, however busy the machine is.
  timeoutMS: 60_000,
  timeoutFactor: 4,
  allowEmpty: true,
};
