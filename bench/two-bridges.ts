/**
 * One leader with two followers: one on its own bridge, one on the bus of another bridge, reached over ROS 2. What the second
 * one's goals are later by is what ROS and the other bridge add.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Goals of one joint: time, s, and angle, rad. */
export type Course = readonly (readonly [number, number])[];

/** Slower goals than this tell too little about time, rad/s. */
const SLOWEST = 0.5;
/** How much later, and earlier, the same goal is looked for, s. */
const LATEST = 0.3;
const EARLIEST = 0.1;

/** Speed between a goal and the one before, rad/s; 0 at the first. */
function speedAt(course: Course, i: number): number {
  if (i === 0) return 0;
  const [[before, from], [time, to]] = [course[i - 1]!, course[i]!];
  return (to - from) / (time - before);
}

/**
 * How much later `far` has the angles that `near` has while they pass by, s, ascending: one value for each goal of `far` that
 * is under way and that `near` has had, in the same direction, in the time around it.
 */
export function delays(near: Course, far: Course): number[] {
  const found: number[] = [];
  let first = 1;
  for (const [i, [time, angle]] of far.entries()) {
    const speed = speedAt(far, i);
    if (Math.abs(speed) < SLOWEST) continue;
    while (first < near.length && near[first]![0] < time - LATEST) first++;
    for (let n = first; n < near.length && near[n]![0] < time + EARLIEST; n++) {
      const [[t0, a0], [t1, a1]] = [near[n - 1]!, near[n]!];
      const part = (angle - a0) / (a1 - a0);
      if (!(part >= 0 && part < 1) || Math.sign(a1 - a0) !== Math.sign(speed)) continue;
      found.push(time - (t0 + part * (t1 - t0)));
      break;
    }
  }
  return found.sort((a, b) => a - b);
}

const START_LIMIT = 30_000;
const MIRROR_LIMIT = 20_000;
/** The hand leads the base to and fro by so much to each side, rad, each way in so long, s. */
const SWING = 0.8;
const WAY_TIME = 1.5;
/** From its start to its first message the recording program takes so long, s. */
const RECORDER_START = 2;
const JOINT = 'shoulder_pan';
const HELD = { shoulder_lift: -0.7, elbow_flex: 0.7, wrist_flex: 0, wrist_roll: 0, gripper: 0 };

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  /** Of its debugger's port; null where none was asked for. */
  readonly inspector: string | null;
}

/**
 * Runs the compiled bridge on a free port, until its HTTP answers.
 * @param node arguments for Node itself
 * @throws {Error} with its log when it does not
 */
export async function startBridge(main: string, config: string, ...node: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [...node, main, '--port', '0', '--config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  }
  const limit = performance.now() + START_LIMIT;
  for (;;) {
    const url = /HTTP on (http:\/\/[^\s"]+)/.exec(log)?.[1];
    const inspector = /Debugger listening on (ws:\/\/\S+)/.exec(log)?.[1] ?? null;
    if (url !== undefined) return { child, url, inspector };
    if (child.exitCode !== null || performance.now() > limit) {
      child.kill('SIGKILL');
      throw new Error(`the bridge did not start:\n${log}`);
    }
    await sleep(50);
  }
}

async function end({ child, url }: Running): Promise<void> {
  // From `stopped` an exit lowers nothing, which would take seconds.
  await fetch(`${url}/stop`, { method: 'POST' }).catch(() => {});
  const exited = once(child, 'exit');
  if (!child.kill('SIGTERM')) return;
  await exited;
}

/** GET, or POST with a body; resolves to the body of the answer. */
export async function ask(url: string, body?: unknown) {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  // biome-ignore lint/suspicious/noExplicitAny: the fields that are read are those of docs/http.md
  return (await (await fetch(url, init)).json()) as any;
}

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + MIRROR_LIMIT;
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error(`${what} within ${MIRROR_LIMIT / 1000} s`);
    await sleep(100);
  }
}

/** Records the goals of both followers while the hand swings the leader. */
async function record(root: string, python: string, operator: Running, seconds: number): Promise<[Course, Course]> {
  const topics = ['/near/joint_goals', '/far/joint_goals'] as const;
  const recorder = spawn(
    python,
    ['-B', join(root, 'test/e2e/support/record.py'), `${seconds + RECORDER_START}`, ...topics],
    {
      env: { ...process.env, LD_LIBRARY_PATH: process.env.ARM_BRIDGE_ROS_LD_LIBRARY_PATH ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  recorder.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = once(recorder, 'exit');
  let over = false;
  ended.then(() => {
    over = true;
  });
  for (let side = 1; !over; side = -side) {
    const joints = { ...HELD, [JOINT]: side * SWING };
    await ask(`${operator.url}/sim/hand`, { robot_id: 0, joints, duration: WAY_TIME });
    await sleep(WAY_TIME * 1000);
  }
  const rows = JSON.parse(text) as Record<string, [number, number[]][]> & { names: Record<string, string[]> };
  const course = (topic: string): Course => {
    const j = rows.names[topic]!.indexOf(JOINT);
    return rows[topic]!.map(([time, angles]) => [time, angles[j]!]);
  };
  return [course(topics[0]), course(topics[1])];
}

/**
 * Runs both bridges as users run them and measures for `seconds`. ROS 2 and its environment must be there.
 * @param root of the repository
 * @param python with rclpy
 * @returns what the goals of the far follower are later by than those of the near one, s, ascending
 */
export async function addedLatencies(root: string, python: string, seconds: number): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bench-'));
  const running: Running[] = [];
  try {
    const start = async (name: string, arms: readonly object[]): Promise<Running> => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify({ ros: { joint_state_rate: 200 }, arms }));
      const bridge = await startBridge(join(root, 'dist/main.js'), file);
      running.push(bridge);
      return bridge;
    };
    const arm = (name: string) => ({ name, bus: 'sim:so101' });
    const owner = await start('owner', [arm('far')]);
    const operator = await start('operator', [arm('leader'), arm('near'), { name: 'far', bus: 'ros' }]);
    await ask(`${operator.url}/sim/hand`, { robot_id: 0, joints: { ...HELD, [JOINT]: 0 }, duration: 1 });
    for (const url of [`${operator.url}/move/init?robot_id=1`, `${owner.url}/move/init`]) {
      const { status, message, detail } = await ask(url, {});
      if (status !== 'ok') throw new Error(message ?? detail);
    }
    await until('the far arm is not found', async () => {
      return (await ask(`${operator.url}/status`)).arms[2].state === 'ready';
    });
    const pairs = [1, 2].map((follower_id) => ({ leader_id: 0, follower_id }));
    const { status, detail } = await ask(`${operator.url}/move/leader/start`, { robot_pairs: pairs });
    if (status !== 'ok') throw new Error(detail);
    await until('the pairs do not mirror', async () => {
      const { mirror } = await ask(`${operator.url}/status`);
      return mirror.pairs.every(({ state }: { state: string }) => state === 'mirroring');
    });
    return delays(...(await record(root, python, operator, seconds)));
  } finally {
    await Promise.all(running.map(end));
    rmSync(folder, { recursive: true, force: true });
  }
}
