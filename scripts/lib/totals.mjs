// How many tests passed and failed, by vitest's JSON report.

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

/** The last line of a test run. */
export const totalsLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;
