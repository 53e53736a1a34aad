/**
 * Random poses that an arm can have, from anywhere to anywhere, one /move/absolute each, on simulated arms of a bridge as
 * users run it. The poses are MuJoCo's (bench/targets.py), and so is the truth that each answer is held to.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadArmModel } from '../src/arm/model.ts';

/** An arm to be moved. */
export interface MoveCase {
  readonly model: string;
  /** cm */
  readonly positionTolerance: number;
  /** degrees */
  readonly orientationTolerance: number;
  /** Default: that of the interface. */
  readonly maxTrials?: number;
  /** In what the simulation differs from the model: kg, and share of the stiffness. */
  readonly simulation?: { readonly payload?: number; readonly stiffness?: number };
}

/** What became of one target. */
export interface Reached {
  readonly ok: boolean;
  readonly message: string | null;
  /** By the encoders: cm and degrees; null when the move was refused. */
  readonly positionError: number | null;
  readonly orientationError: number | null;
  /** Distance of MuJoCo's tool from the target, cm. */
  readonly trueError: number;
  readonly trials: number;
  /** s */
  readonly duration: number;
  /**
   * How often the move was begun anew because the simulation had not had the processor for so long that its servos
   * counted as gone.
   */
  readonly disturbed: number;
}

interface Target {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly rx: number;
  readonly ry: number;
  readonly rz: number;
}

const START_LIMIT = 30_000;

/** Poses that an arm of a model can have, by MuJoCo, and where its tool is at `init`. @param python with mujoco */
export function drawTargets(root: string, python: string, model: string, count: number, seed: number) {
  const arm = loadArmModel(join(root, 'robots', model));
  const input = JSON.stringify({
    urdf: arm.urdf,
    tool: arm.toolLink,
    init: [...arm.poses.get('init')!],
    joints: arm.joints.map(({ name, lower, upper, role }) => ({ name, lower, upper, gripper: role === 'gripper' })),
    count,
    seed,
  });
  const { stdout, stderr, status } = spawnSync(python, [join(root, 'bench/targets.py')], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`no targets: ${stderr}`);
  return JSON.parse(stdout) as { zero: [number, number, number]; targets: Target[] };
}

async function startBridge(main: string, cases: readonly MoveCase[], folder: string) {
  const config = join(folder, 'bridge.json');
  const arms = cases.map(({ model, simulation }, i) => ({
    name: `arm${i}`,
    model,
    bus: `sim:${model}`,
    simulation: simulation ?? {},
  }));
  writeFileSync(config, JSON.stringify({ http: { port: 0 }, state_folder: folder, arms }));
  const child = spawn(process.execPath, [main, '--no-ros', '--config', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the bridge did not start:\n${log}`)), START_LIMIT);
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        const match = /HTTP on (http:\/\/[^\s"]+)/.exec(log);
        if (match) resolve(match[1]!);
      });
    }
    child.once('exit', () => reject(new Error(`the bridge has ended:\n${log}`)));
    child.once('spawn', () => timer.unref());
  }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return { child, url, log: () => log };
}

/** Asks a bridge by HTTP, by POST where there is a body. */
// biome-ignore lint/suspicious/noExplicitAny: the fields that are read are those of docs/http.md
export type Ask = (path: string, body?: object) => Promise<any>;

async function ask(url: string, body?: object) {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  // biome-ignore lint/suspicious/noExplicitAny: the fields that are read are those of docs/http.md
  return (await response.json()) as any;
}

const GONE = /disconnected|have not answered|do not answer just now/;
/** A move is begun anew at most so often. */
const MOST_DISTURBED = 5;
const RECONNECT_LIMIT = 10_000;

async function initialise(ask: Ask, id: number): Promise<void> {
  const deadline = Date.now() + RECONNECT_LIMIT;
  for (;;) {
    const answer = await ask(`/move/init?robot_id=${id}`, {});
    if (answer.status === 'ok') return;
    if (Date.now() > deadline) throw new Error(`robot ${id}: ${answer.message ?? answer.detail}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function moveTo(ask: Ask, id: number, arm: MoveCase, target: Target) {
  for (let disturbed = 0; ; disturbed++) {
    const answer = await ask(`/move/absolute?robot_id=${id}`, {
      ...target,
      position_tolerance: arm.positionTolerance,
      orientation_tolerance: arm.orientationTolerance,
      ...(arm.maxTrials === undefined ? {} : { max_trials: arm.maxTrials }),
    });
    const message: string | null = answer.message ?? answer.detail ?? null;
    if (message === null || !GONE.test(message) || disturbed === MOST_DISTURBED) return { answer, message, disturbed };
    await initialise(ask, id);
  }
}

/** Moves an arm through targets, one after the other, from `init`. @param id of the arm @returns what became of each */
export async function moveArm(
  ask: Ask,
  id: number,
  arm: MoveCase,
  { zero, targets }: ReturnType<typeof drawTargets>,
): Promise<Reached[]> {
  await initialise(ask, id);
  const reached: Reached[] = [];
  for (const target of targets) {
    const { answer, message, disturbed } = await moveTo(ask, id, arm, target);
    const { position } = (await ask(`/sim/truth?robot_id=${id}`)).tool;
    const off = [position.x - zero[0], position.y - zero[1], position.z - zero[2]].map((metres) => 100 * metres);
    reached.push({
      ok: answer.status === 'ok',
      message,
      positionError: answer.position_error ?? null,
      orientationError: answer.orientation_error ?? null,
      trueError: Math.hypot(off[0]! - target.x, off[1]! - target.y, off[2]! - target.z),
      trials: answer.trials ?? 0,
      duration: answer.duration ?? 0,
      disturbed,
    });
  }
  return reached;
}

async function end(child: ChildProcess, url: string): Promise<void> {
  const exited = once(child, 'exit');
  // From a stop an exit lowers nothing, which would take seconds.
  await ask(`${url}/stop`, {});
  child.kill('SIGTERM');
  await exited;
}

/**
 * Moves one simulated arm per case, all at once, through the same number of targets.
 * @param root folder of the repository; the bridge of its dist/ runs
 * @param python with mujoco
 * @returns for each case what became of each target
 */
export async function measureMoves(
  root: string,
  python: string,
  cases: readonly MoveCase[],
  count: number,
  seed: number,
): Promise<Reached[][]> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-moves-'));
  try {
    const drawn = cases.map(({ model }) => drawTargets(root, python, model, count, seed));
    const { child, url, log } = await startBridge(join(root, 'dist/main.js'), cases, folder);
    try {
      const asked: Ask = (path, body) => ask(`${url}${path}`, body);
      const reached = await Promise.all(cases.map((arm, id) => moveArm(asked, id, arm, drawn[id]!)));
      const faults = log()
        .split('\n')
        .filter((line) => /"level":[56]0/.test(line));
      if (faults.length > 0) throw new Error(`the bridge tells of faults:\n${faults.join('\n')}`);
      return reached;
    } finally {
      await end(child, url);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
