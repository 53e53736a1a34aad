// node scripts/check.mjs [arguments of vitest]
// npm run check: types, lint, and the tests that need nothing but Node. Works after `npm ci`, without any preparation.

import { runChecks, runTests, tell } from './lib/checks.mjs';

const [checks, tests] = await Promise.all([
  runChecks(),
  runTests('unit tests', process.execPath, ['--project', 'unit', ...process.argv.slice(2)]),
]);
tell(checks, [tests]);
