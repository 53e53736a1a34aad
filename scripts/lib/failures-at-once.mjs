// A reporter of vitest that tells a failure when it happens: a run that is cut short has named what failed by then.

import { relative } from 'node:path';
import { shown } from './totals.mjs';

/** @implements {import('vitest/reporters').Reporter} */
export default class FailuresAtOnce {
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    const { root } = test.project.vitest.config;
    const told = errors.map(({ stack, message }) => stack ?? message).join('\n');
    process.stdout.write(`${shown(relative(root, test.module.moduleId), `: ${test.fullName}`, told)}\n`);
  }
}
