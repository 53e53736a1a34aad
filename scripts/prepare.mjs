// node scripts/prepare.mjs start|test|run [arguments of the bridge]
// Prepares this checkout and prints, as shell commands, the environment in which the bridge or its tests run. With `run`
// (start.sh) the commands end with a line "# ready", or with "# ready, ROS 2 follows": then lines of JSON tell the bridge
// that runs by then how far ROS 2 is.

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellLines } from './lib/environment.mjs';
import { prepare, prepareBeside, wishOf } from './lib/prepare.mjs';
import { StepError } from './lib/progress.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [purpose, ...args] = process.argv.slice(2);

if (!['start', 'test', 'run'].includes(purpose)) {
  process.stderr.write('usage: node scripts/prepare.mjs start|test|run [arguments of the bridge]\n');
  process.exit(2);
}

const print = (text) => process.stdout.write(text);
// The bridge has ended, and nobody wants to know.
process.stdout.on('error', () => process.exit(1));

try {
  const wish = wishOf(purpose, args);
  if (purpose === 'run') {
    const handOver = (variables, pending) =>
      print(`${shellLines(variables)}# ready${pending ? ', ROS 2 follows' : ''}\n`);
    await prepareBeside(root, wish, args, handOver, (news) => print(`${JSON.stringify(news)}\n`));
  } else {
    print(shellLines(await prepare(root, wish)));
  }
} catch (error) {
  process.stderr.write(`arm-bridge: ${error instanceof StepError ? error.message : (error.stack ?? error)}\n`);
  process.exitCode = 1;
}
