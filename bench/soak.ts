/**
 * npm run soak [-- --minutes N | --write | --short]: how the bridge ages. A leader and a follower on emulated servo buses
 * mirror and move while faults are switched on and off, HTTP, live clients and ROS 2 ask, and everything is watched from
 * outside: memory and handles of the process, goals on the follower's wire. Ends with 1 when a target is missed. `--write`
 * puts the result into bench/results, `--short` only shows that everything runs.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadArmModel } from '../src/arm/model.ts';
import { option, short } from './arguments.ts';
import { calibrate } from './arms.ts';
import { Collector } from './collector.ts';
import { SERVO_STEP } from './goal-watch.ts';
import { processUse } from './process-use.ts';
import { Report } from './report.ts';
import type { SoakArmOrder } from './soak-arm.ts';
import { SoakArm } from './soak-arms.ts';
import { LiveClients, Readers, RosReader } from './soak-load.ts';
import { markdownTable, median, type Target, targetTable } from './table.ts';
import { slope } from './trend.ts';
import { ask, startBridge } from './two-bridges.ts';

/** The sources are compiled to build/bench: documents, arms and the bridge stay where they are. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MODEL = join(ROOT, 'robots', 'so101');
const [LEADER, FOLLOWER] = [0, 1];

/** Rate of the loop, Hz, and the longest time by which it steps goals, in periods (`ControlLoop`). */
const RATE = 200;
const LONGEST_STEP = 2;
const [CONNECTIONS, READS] = [10, 10];
const [LIVE_CLIENTS, LIVE_RATE] = [8, 50];
/** One round: mirroring for so long, then moves; s. */
const MIRROR_TIME = short ? 2 : 14;
/** An arm is unplugged for so long, s. */
const UNPLUGGED = short ? 0.5 : 2;
/** Where the hand begins, rad. */
const START = { shoulder_pan: 0, shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0, wrist_roll: 0, gripper: 0.2 };
/** What is waited for at most, s. */
const PATIENCE = 60;
/** Rounds that caches and the compiler need to come to rest, as a share of all. */
const WARM_UP = 0.3;
/** Growth that counts as flat: 1 MB an hour is what a bench of minutes can tell from noise; bytes per round are less. */
const MOST_GROWTH = 0.5;
const MOST_HANDLES = 0.25;

/** Faults of the rounds, in turn. */
interface Fault {
  readonly name: string;
  readonly rates?: SoakArmOrder;
  /** Whose adapter is pulled out, and during what. */
  readonly unplug?: { readonly arm: 'leader' | 'follower'; readonly during: 'mirroring' | 'moves' };
}
const FAULTS: readonly Fault[] = [
  { name: 'none' },
  { name: '1 % of replies lost', rates: { loseRate: 0.01 } },
  { name: 'follower unplugged while it mirrors', unplug: { arm: 'follower', during: 'mirroring' } },
  { name: '1 % of replies corrupt', rates: { corruptRate: 0.01 } },
  { name: 'leader unplugged while it leads', unplug: { arm: 'leader', during: 'mirroring' } },
  { name: 'follower unplugged in a move', unplug: { arm: 'follower', during: 'moves' } },
];

const SHORT_FAULT: Fault = { ...FAULTS[2]!, rates: { loseRate: 0.01, corruptRate: 0.01 } };

/** What a round left behind, seen from outside the bridge. */
interface Round {
  readonly fault: string;
  /** Goals on the follower's wire, and the largest change from one to the next, rad. */
  readonly goals: number;
  readonly largest: number;
  /** Resident memory after a garbage collection at the end, bytes; file descriptors and threads then. */
  readonly memory: number;
  readonly handles: number;
  readonly threads: number;
  /** Of the last 10 s, s. */
  readonly period: { readonly p99: number; readonly longest: number };
  /** What was not answered as it should have been. */
  readonly refusals: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-soak-'));
const links = { leader: join(folder, 'leader'), follower: join(folder, 'follower') };
const config = join(folder, 'bridge.json');
const python = process.env.ARM_BRIDGE_ROS_PYTHON;
// A domain of its own, found on this machine alone.
Object.assign(process.env, { ROS_DOMAIN_ID: '96', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST', ROS_LOG_DIR: folder });
const serial = (name: keyof typeof links) => ({ name, bus: `serial:${links[name]}` });
calibrate(folder, ['leader', 'follower']);
writeFileSync(
  config,
  JSON.stringify({
    state_folder: folder,
    ros: { enabled: python ? 'auto' : false, joint_state_rate: 100 },
    control: { rate: RATE },
    arms: [serial('leader'), serial('follower')],
  }),
);

const report = new Report('soak', 'Age', 'soak');
const minutes = short ? 0 : option('--minutes', 10, { least: 0.1, whole: false });
const arms = { leader: await SoakArm.start(MODEL, links.leader), follower: await SoakArm.start(MODEL, links.follower) };
// The debugger is there to have garbage collected; it watches nothing.
const { child, url, inspector } = await startBridge(join(ROOT, 'dist', 'main.js'), config, '--inspect=127.0.0.1:0');
const collector = await Collector.connect(inspector!);
const pid = child.pid!;

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 1000 * PATIENCE;
  while (!(await condition())) {
    if (performance.now() > limit) {
      const { arms: seen, mirror } = await ask(`${url}/status`);
      throw new Error(`${what} within ${PATIENCE} s: ${JSON.stringify({ arms: seen, mirror })}`);
    }
    await sleep(100);
  }
}

const stateOf = async (arm: number): Promise<string> => (await ask(`${url}/status`)).arms[arm].state;

/** Pulls an adapter out and puts it in again. */
async function unplug(arm: SoakArm): Promise<void> {
  await arm.tell({ plugged: false });
  await sleep(1000 * UNPLUGGED);
  await arm.tell({ plugged: true });
}

/** The hand swings the leader until `over`. */
async function swing(over: { yes: boolean }): Promise<void> {
  for (let side = 1; !over.yes; side = -side) {
    const hand = {
      shoulder_pan: 0.7 * side,
      shoulder_lift: -0.7,
      elbow_flex: 0.7 + 0.2 * side,
      wrist_flex: 0.3 * side,
    };
    await arms.leader.tell({ hand: { ...hand, wrist_roll: 0, gripper: 0.2 }, duration: 1.2 });
    await sleep(1300);
  }
}

/** Mirroring, with whatever is unplugged in it. @returns why it ended by itself where nothing was */
async function mirror(fault: Fault): Promise<string[]> {
  const ends: string[] = [];
  await until('the arms are not found', async () => {
    const states = await Promise.all([LEADER, FOLLOWER].map(stateOf));
    return states.every((state) => state !== 'disconnected');
  });
  // Until the follower has caught up the hand holds still.
  await arms.leader.tell({ hand: START, duration: 1 });
  const start = () => ask(`${url}/move/leader/start`, { robot_pairs: [{ leader_id: LEADER, follower_id: FOLLOWER }] });
  await start();
  await until('the pair does not mirror', async () => {
    const { active, reason, pairs } = await ask(`${url}/api/v1/pairs`);
    if (!active) {
      ends.push(`mirroring: ${reason}`);
      await start();
    }
    return pairs[0]?.state === 'mirroring';
  });
  const over = { yes: false };
  const swinging = swing(over);
  try {
    await sleep(500 * MIRROR_TIME);
    if (fault.unplug?.during === 'mirroring') await unplug(arms[fault.unplug.arm]);
    await sleep(500 * MIRROR_TIME);
    await ask(`${url}/move/leader/stop`, {});
  } finally {
    over.yes = true;
    await swinging;
  }
  return ends;
}

/** Moves of the follower, a stop in the last one. @returns what was refused and should not have been */
async function moves(fault: Fault): Promise<string[]> {
  const refusals: string[] = [];
  const move = async (path: string, body: unknown, wanted: string): Promise<void> => {
    const { status, message, detail } = await ask(`${url}${path}?robot_id=${FOLLOWER}`, body);
    if (status !== wanted) refusals.push(`${path} ${JSON.stringify(body)}: ${message ?? detail ?? status}`);
  };
  await until('the follower is not found', async () => (await stateOf(FOLLOWER)) === 'ready');
  await move('/move/init', {}, 'ok');
  await move('/move/absolute', { x: 3, y: 4, z: 2, open: 0.5 }, 'ok');
  if (fault.unplug?.during === 'moves') {
    const unplugging = sleep(200).then(() => unplug(arms[fault.unplug!.arm]));
    await move('/move/init', {}, 'error');
    await unplugging;
    await until('the follower does not come back', async () => (await stateOf(FOLLOWER)) === 'ready');
    await move('/move/init', {}, 'ok');
  }
  await move('/move/relative', { y: -3 }, 'ok');
  const stopping = sleep(300).then(() => ask(`${url}/stop`, {}));
  await move('/move/init', {}, 'error');
  await stopping;
  await ask(`${url}/stop/reset`, {});
  return refusals;
}

async function round(fault: Fault): Promise<Round> {
  const live = new LiveClients(url, LIVE_CLIENTS, LIVE_RATE);
  const ros = python ? new RosReader(python, '/follower') : null;
  try {
    for (const arm of [arms.leader, arms.follower]) await arm.tell({ loseRate: 0, corruptRate: 0, ...fault.rates });
    const refusals = [...(await mirror(fault)), ...(await moves(fault))];
    const { recent } = (await ask(`${url}/status`)).loop.periods;
    const { goals, largest } = await arms.follower.tell({});
    // Garbage that was not collected yet would look like growth.
    await collector.collect();
    if (live.frames === 0) refusals.push('live clients got no frame');
    return { fault: fault.name, goals, largest, ...processUse(pid), period: recent, refusals };
  } finally {
    live.stop();
    await ros?.stop();
  }
}

function table(rounds: readonly Round[]): string {
  const line = (name: string, of: readonly Round[]): string[] => [
    name,
    `${of.length}`,
    Math.max(...of.map(({ largest }) => largest)).toFixed(4),
    `${of.reduce((sum, { goals }) => sum + goals, 0)}`,
    `${(1000 * median(of.map(({ period }) => period.p99))).toFixed(2)} / ${(1000 * Math.max(...of.map(({ period }) => period.longest))).toFixed(1)}`,
    `${of.flatMap(({ refusals }) => refusals).length}`,
  ];
  return markdownTable(
    ['fault', 'rounds', 'largest step, rad', 'goals', 'period p99 / longest, ms', 'wrongly refused or ended'],
    FAULTS.map(({ name }) => ({ name, of: rounds.filter(({ fault }) => fault === name) }))
      .filter(({ of }) => of.length > 0)
      .map(({ name, of }) => line(name, of)),
  );
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

function targetsOf(rounds: readonly Round[], time: number, reads: Readers, code: number | null): Target[] {
  const settled = rounds.slice(Math.floor(WARM_UP * rounds.length));
  const first = settled[0]!;
  const last = settled.at(-1)!;
  const each = time / rounds.length / 60;
  const growth = settled.length < 2 ? 0 : slope(settled.map(({ memory }) => memory)) / each / 2 ** 20;
  const handles = settled.length < 2 ? 0 : slope(settled.map(({ handles, threads }) => handles + threads));
  const velocity = Math.max(...loadArmModel(MODEL).joints.map((joint) => joint.mirror.velocity));
  const allowed = (velocity * LONGEST_STEP) / RATE + SERVO_STEP;
  const largest = Math.max(...rounds.map((each) => each.largest));
  const refusals = rounds.flatMap((each) => each.refusals);
  const answers = [...reads.answers];
  const failed = answers.filter(([what]) => what !== '200' && what !== '400');
  const total = answers.reduce((sum, [, count]) => sum + count, 0);
  return [
    {
      goal: `memory flat: <= ${MOST_GROWTH} MB a minute after the first ${100 * WARM_UP} % of the rounds`,
      measured: `${growth.toFixed(2)} MB a minute (${megabytes(first.memory)}, at the end ${megabytes(last.memory)})`,
      reached: growth <= MOST_GROWTH,
    },
    {
      goal: 'file descriptors and threads: as many at the end',
      measured: `${first.handles} and ${first.threads}, at the end ${last.handles} and ${last.threads}`,
      reached: handles <= MOST_HANDLES,
    },
    {
      goal: `goals on the follower's wire: no step above ${allowed.toFixed(4)} rad, its largest speed for the longest cycle`,
      measured: `${largest.toFixed(4)} rad of ${rounds.reduce((sum, each) => sum + each.goals, 0)} goals`,
      reached: largest <= allowed,
    },
    {
      goal: 'every move answered as it should be, no mirroring ended but by its fault',
      measured: refusals.length === 0 ? 'yes' : `${refusals.length} were not`,
      reached: refusals.length === 0,
    },
    {
      goal: 'every read answered: 200, or 400 while an arm is not there',
      measured: answers.map(([what, count]) => `${count} x ${what}`).join(', '),
      reached: failed.length === 0 && total > 0,
    },
    { goal: 'ends cleanly', measured: `exit code ${code}`, reached: code === 0 },
  ];
}

// A tool is read once its arm has been to the initial pose.
await until('the follower is not found', async () => (await stateOf(FOLLOWER)) !== 'disconnected');
await ask(`${url}/move/init?robot_id=${FOLLOWER}`, {});
const readers = new Readers(url, CONNECTIONS, READS);
const rounds: Round[] = [];
const began = performance.now();
const enough = short ? 1 : FAULTS.length;
let code: number | null = null;
try {
  while (rounds.length < enough || performance.now() - began < 60_000 * minutes) {
    const fault = short ? SHORT_FAULT : FAULTS[rounds.length % FAULTS.length]!;
    const done = await round(fault);
    rounds.push(done);
    for (const refusal of done.refusals) process.stdout.write(`${done.fault}: ${refusal}\n`);
    const { memory, handles, threads, largest } = done;
    process.stdout.write(
      `${((performance.now() - began) / 1000).toFixed(0)} s: ${done.fault}: ${megabytes(memory)}, ${handles} handles, ` +
        `${threads} threads, largest step ${largest.toFixed(4)} rad\n`,
    );
  }
  const time = (performance.now() - began) / 1000;
  readers.stop();
  collector.close();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  [code] = (await ended) as [number | null];
  const targets = targetsOf(rounds, time, readers, code);
  report.publish(
    [
      report.machine(),
      `${(time / 60).toFixed(1)} minutes, ${rounds.length} rounds${python ? '' : ', without ROS 2'}.`,
      '',
      table(rounds),
      '',
      targetTable(targets),
      '',
    ].join('\n'),
  );
  if (targets.some(({ reached }) => !reached)) process.exitCode = 1;
} finally {
  readers.stop();
  collector.close();
  child.kill('SIGKILL');
  await Promise.all([arms.leader.end(), arms.follower.end()]);
  rmSync(folder, { recursive: true, force: true });
}
