// How many tests passed and failed, by vitest's JSON report, and which.

import { relative } from 'node:path';

/**
 * Counts tests, and what fails without being a test: a file that does not load, an error outside of every test, a run
 * that ended early or found nothing.
 * @param {{testResults: {status: string, assertionResults: {status: string}[]}[]} | null} report null when there is none
 * @param {boolean} ended whether vitest ended with code 0
 * @returns {{passed: number, failed: number, skipped: number}}
 */
export function countTests(report, ended) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    let failedHere = 0;
    for (const { status } of file.assertionResults) {
      if (status === 'passed') totals.passed += 1;
      else if (status === 'failed') failedHere += 1;
      else totals.skipped += 1;
    }
    if (file.status === 'failed' && failedHere === 0) failedHere = 1;
    totals.failed += failedHere;
  }
  if (totals.failed === 0 && (!ended || totals.passed === 0)) totals.failed = 1;
  return totals;
}

/** Lines of a failure's message that are kept: what was expected, what came, and where. */
const MESSAGE_LINES = 30;

/** A failure, in a paragraph. @param {string} file @param {string} test what comes after it @param {string} message */
export function shown(file, test, message) {
  const lines = message.split('\n').slice(0, MESSAGE_LINES);
  return [`FAILED: ${file}${test}`, ...lines.map((line) => `    ${line}`)].join('\n');
}

/**
 * What failed and why, in vitest's JSON report: a paragraph for each test, and for each file that did not load.
 * @param {{testResults: {name: string, status: string, message: string, assertionResults: {status: string, fullName:
 *   string, failureMessages: string[]}[]}[]} | null} report null when there is none
 * @param {string} root folder that file names are given from
 * @returns {string[]}
 */
export function failures(report, root) {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((each) => each.status === 'failed');
    const file = relative(root, name);
    if (status === 'failed' && failed.length === 0) return [shown(file, '', message)];
    return failed.map(({ fullName, failureMessages }) => shown(file, `: ${fullName}`, failureMessages.join('\n')));
  });
}

/** The last line of a test run. */
export const totalsLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
