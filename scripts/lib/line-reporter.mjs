// A reporter of vitest that only adds lines, so that several runs can share a terminal, and that tells a failure when it
// happens: a run that is cut short has named what failed by then.

import { relative } from 'node:path';
import { DefaultReporter } from 'vitest/node';
import { shown } from './totals.mjs';

export default class LineReporter extends DefaultReporter {
  constructor() {
    super({ summary: false });
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    super.onTestCaseResult(test);
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    const { root } = test.project.vitest.config;
    const told = errors.map(({ stack, message }) => stack ?? message).join('\n');
    process.stdout.write(`${shown(relative(root, test.module.moduleId), `: ${test.fullName}`, told)}\n`);
  }
}
