import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const { countTests, failures, totalsLine } = await import(
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

test('failures are told with their file, their test and the first lines of why', () => {
  const why = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
  const test = (status: string, fullName: string) => ({ status, fullName, failureMessages: [why] });
  const told = failures(
    {
      testResults: [
        {
          name: '/p/test/a.test.ts',
          status: 'failed',
          message: '',
          assertionResults: [test('failed', 'an arm stops')],
        },
        { name: '/p/test/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
        { name: '/p/test/c.test.ts', status: 'passed', message: '', assertionResults: [test('passed', 'it moves')] },
      ],
    },
    '/p',
  );
  expect(told).toHaveLength(2);
  expect(told[0]).toMatch(/^FAILED: test\/a\.test\.ts: an arm stops\n {4}line 0\n[\s\S]*line 29$/);
  expect(told[1]).toBe('FAILED: test/b.test.ts\n    no such module');
  expect(failures(null, '/p')).toEqual([]);
});
