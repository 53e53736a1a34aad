// node scripts/prepare.mjs start|test [arguments of the bridge]
// Prepares this checkout and prints, as shell commands, the environment in which the bridge or its tests run.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellLines } from './lib/environment.mjs';
import { prepare, wishOf } from './lib/prepare.mjs';
import { StepError } from './lib/progress.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [purpose, ...args] = process.argv.slice(2);

if (purpose !== 'start' && purpose !== 'test') {
  process.stderr.write('usage: node scripts/prepare.mjs start|test [arguments of the bridge]\n');
  process.exit(2);
}

try {
  process.stdout.write(shellLines(await prepare(root, wishOf(purpose, args))));
} catch (error) {
  process.stderr.write(`arm-bridge: ${error instanceof StepError ? error.message : (error.stack ?? error)}\n`);
  process.exitCode = 1;
}
