// npm run doctor [-- --json | --config FILE]: what this machine has, what of it will be used, and how to install what is
// missing; then what the bridge's own doctor finds (arm-bridge doctor). Changes nothing.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readyVariables, report, reportText } from './lib/report.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'main.js');
const args = process.argv.slice(2);
const json = args.includes('--json');

const preparation = report(root);
const bridge = existsSync(main)
  ? spawnSync(process.execPath, [main, 'doctor', ...args], {
      env: { ...process.env, ...readyVariables(root) },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  : null;
if (json) {
  const findings = bridge?.stdout ? JSON.parse(bridge.stdout).findings : null;
  process.stdout.write(`${JSON.stringify({ preparation, findings }, null, 2)}\n`);
} else {
  const found = bridge?.stdout ?? 'Not looked at, since the bridge is not compiled yet: npm start does it.\n';
  process.stdout.write(`${reportText(preparation)}\n\nMachine and arms\n${found}`);
}
process.exitCode = bridge?.status ?? 0;
