/**
 * npm run bench:lerobot [-- --write | --short]: how soon what LeRobot's robot sends is written to the servos, and how old what it
 * observes is. LeRobot with the plug-in, the compiled bridge, and the servos at a pseudo-terminal have a process each.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { short } from './arguments.ts';
import { calibrate } from './arms.ts';
import { latencies } from './latencies.ts';
import { Report } from './report.ts';
import { SoakArm } from './soak-arms.ts';
import { markdownTable, percentile, type Target, targetTable } from './table.ts';
import { ask, startBridge } from './two-bridges.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Observations and actions a second. */
const RATES = [30, 60, 200];
/** Goals that are timed at each rate, and how long they rest before each, s. */
const COUNT = short ? 5 : 150;
const REST = 0.6;
/** What is promised, s. */
const MOST = 0.01;
/** The arm gains speed so many times as quickly as an SO-101, so that the first write that knows of a goal is told from the others. */
const QUICKER = 4;

interface Seen {
  /** When goals were sent, monotonic s of this machine. */
  readonly sent: readonly number[];
  /** Of observations, s. */
  readonly ages: number[];
  /** How often the bridge has ended the stream. */
  readonly interrupted: number;
}

/** A copy of the SO-101 in `folder` that gains speed sooner. */
function quickModel(folder: string): string {
  const place = join(folder, 'so101');
  cpSync(join(ROOT, 'robots/so101'), place, { recursive: true });
  const file = join(place, 'arm.yaml');
  const made = readFileSync(file, 'utf8').replaceAll(
    /(mirror: .*acceleration: )(\d+)/g,
    (_, before: string, most: string) => `${before}${QUICKER * Number(most)}`,
  );
  writeFileSync(file, made);
  return place;
}

async function observed(python: string, url: string, rate: number): Promise<Seen> {
  const script = join(ROOT, 'bench/lerobot-client.py');
  const child = spawn(python, ['-B', script, url, String(rate), String(COUNT), String(REST)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [told, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`LeRobot ended with code ${code}`);
  return JSON.parse(told.trim().split('\n').at(-1)!) as Seen;
}

const python = process.env.ARM_BRIDGE_LEROBOT_PYTHON;
if (!python) {
  process.stderr.write(
    'LeRobot is not there: eval "$(node scripts/prepare.mjs test)" makes it, where there is Python 3.12\n',
  );
  process.exit(2);
}
const report = new Report('lerobot', 'LeRobot');
const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-lerobot-'));
const rows: string[][] = [];
const targets: Target[] = [];
const link = join(folder, 'follower');
const arm = await SoakArm.start(quickModel(folder), link);
try {
  calibrate(folder, ['follower']);
  const file = join(folder, 'bridge.json');
  const arms = [{ name: 'follower', model: join(folder, 'so101'), bus: `serial:${link}` }];
  writeFileSync(file, JSON.stringify({ state_folder: folder, ros: { enabled: false }, arms }));
  const bridge = await startBridge(join(ROOT, 'dist/main.js'), file);
  try {
    const { status, message, detail } = await ask(`${bridge.url}/move/init`, {});
    if (status !== 'ok') throw new Error(message ?? detail);
    for (const rate of RATES) {
      await arm.tell({});
      const { sent, ages, interrupted } = await observed(python, bridge.url, rate);
      const { changed } = await arm.tell({});
      const { found, unsettled } = latencies(sent, changed);
      ages.sort((a, b) => a - b);
      const ms = (values: readonly number[], part: number): string =>
        `${(1000 * percentile(values, part)).toFixed(1)} ms`;
      rows.push([
        `${rate} a second`,
        ...[0.5, 0.99, 1].map((part) => ms(found, part)),
        ...[0.5, 0.99].map((part) => ms(ages, part)),
        `${found.length}, ${unsettled} left out`,
        String(interrupted),
      ]);
      targets.push({
        goal: `send_action to servo write, ${rate} a second: p99 <= ${1000 * MOST} ms`,
        measured: ms(found, 0.99),
        reached: percentile(found, 0.99) <= MOST,
      });
    }
  } finally {
    const exited = once(bridge.child, 'exit');
    // A simulated arm need not be lowered.
    bridge.child.kill('SIGKILL');
    await exited;
  }
} finally {
  await arm.end();
  rmSync(folder, { recursive: true, force: true });
}
report.publish(
  [
    report.machine(),
    '',
    markdownTable(
      [
        'observations and actions',
        'send_action to servo write p50',
        'p99',
        'longest',
        'age of an observation p50',
        'p99',
        'goals timed',
        'stream ended by the bridge',
      ],
      rows,
    ),
    '',
    targetTable(targets),
    '',
  ].join('\n'),
);
