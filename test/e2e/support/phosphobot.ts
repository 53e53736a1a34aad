import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WITNESS_PYTHON, witness } from '../../support/witness.ts';
import { runAgain } from './bridge.ts';

/** Whether phosphobot's package is there: not for CPython 3.10. */
export const HAS_PHOSPHOBOT =
  WITNESS_PYTHON !== undefined &&
  spawnSync(WITNESS_PYTHON, [
    '-c',
    'import importlib.util, sys; sys.exit(importlib.util.find_spec("phosphobot") is None)',
  ]).status === 0;
if (!HAS_PHOSPHOBOT) console.warn('SKIPPED: phosphobot’s own client. npm test installs it.');

/** What came of an example of phosphobot. */
export interface ExampleReport {
  /** What any of its requests was told instead of `ok`. */
  readonly problems: readonly string[];
  readonly requests: number;
  /** Time of an answer at the median, s. */
  readonly answered: number;
}

/** Has a bridge asked what an example of phosphobot asks; again where the machine was too busy for it to move. */
export function phosphobotExample(url: string, example: 'circles' | 'crane'): Promise<ExampleReport> {
  return runAgain(async () => {
    const report = (await witness(new URL('phosphobot_examples.py', import.meta.url), url, example)) as ExampleReport;
    if (report.problems.length > 0) throw new Error(report.problems.join('; '));
    return report;
  });
}

/** Runs phosphobot's own client against a bridge in its dialect. @returns its report */
export async function phosphobot(url: string, ...task: readonly string[]): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), 'arm-bridge-phosphobot-'));
  try {
    return await witness(new URL('phosphobot_client.py', import.meta.url), url, home, ...task);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
