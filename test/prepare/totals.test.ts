import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const { countTests, totalsLine } = await import(
  pathToFileURL(join(import.meta.dirname, '../../scripts/lib/totals.mjs')).href
);

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

test('tests are counted over all files', () => {
  const report = { testResults: [file('passed', 'passed', 'passed', 'skipped'), file('failed', 'failed', 'passed')] };
  expect(countTests(report, false)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  expect(totalsLine({ passed: 3, failed: 1 })).toBe('3 passed, 1 failed');
});

test('a file that does not load counts as a failure', () => {
  expect(countTests({ testResults: [file('failed'), file('passed', 'passed')] }, false).failed).toBe(1);
});

test('a run that ended badly, left no report or ran nothing has failed', () => {
  expect(countTests({ testResults: [file('passed', 'passed')] }, false).failed).toBe(1);
  expect(countTests(null, true).failed).toBe(1);
  expect(countTests({ testResults: [] }, true).failed).toBe(1);
});
