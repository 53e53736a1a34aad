/**
 * npm run bench:kinematics [-- --write | --short]: how often and how fast inverse kinematics answers, for each arm of
 * `robots/`. `--write` puts the tables into bench/results too, `--short` only shows that everything runs.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ArmModel, loadArmModel } from '../src/arm/model.ts';
import { type AngleTargets, orientationError } from '../src/kinematics/angles.ts';
import { armChain } from '../src/kinematics/arm-chain.ts';
import type { Chain } from '../src/kinematics/chain.ts';
import { CollisionModel } from '../src/kinematics/collision.ts';
import { IDENTITY_QUATERNION, quaternionFromRotation, rotationFromQuaternion } from '../src/kinematics/frames.ts';
import { InverseKinematics, type InverseResult, type InverseTarget } from '../src/kinematics/inverse.ts';
import { short } from './arguments.ts';
import { Report } from './report.ts';
import { markdownTable, percentile, type Target, targetTable } from './table.ts';

/** The sources are compiled to build/bench: documents and the arms' data stay where they are. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Distance of targets from the joint limits (rad): just more than the solver keeps. */
const MARGIN = 0.0021;
/** Largest difference of a joint between a target and a near seed, rad. */
const NEAR = 0.1;
const REPETITIONS = 3;

const count = short ? 20 : 1000;

interface Mode {
  readonly name: string;
  readonly given: readonly (keyof AngleTargets)[];
  readonly kind: 'poses' | 'any angles' | 'out of reach';
  readonly near?: boolean;
  /** Only answers that touch nothing. */
  readonly careful?: boolean;
}

const ALL = ['pitch', 'yaw', 'roll'] as const;
const MODES: readonly Mode[] = [
  { name: 'position', given: [], kind: 'poses' },
  { name: 'position, pitch', given: ['pitch'], kind: 'poses' },
  { name: 'position, yaw', given: ['yaw'], kind: 'poses' },
  { name: 'position, roll', given: ['roll'], kind: 'poses' },
  { name: 'position, pitch, yaw', given: ['pitch', 'yaw'], kind: 'poses' },
  { name: 'position, pitch, roll', given: ['pitch', 'roll'], kind: 'poses' },
  { name: 'position, yaw, roll', given: ['yaw', 'roll'], kind: 'poses' },
  { name: 'whole pose', given: ALL, kind: 'poses' },
  { name: 'whole pose, near seed', given: ALL, kind: 'poses', near: true },
  { name: 'whole pose, touching nothing', given: ALL, kind: 'poses', careful: true },
  { name: 'any angles', given: ALL, kind: 'any angles' },
  { name: 'out of reach', given: [], kind: 'out of reach' },
  { name: 'out of reach, touching nothing', given: [], kind: 'out of reach', careful: true },
];

/** Numbers in 0..1, the same in each run (Numerical Recipes' linear congruential generator). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const report = new Report('kinematics', 'Kinematics');
const rows: string[][] = [];
const calls: string[][] = [];
const targets: Target[] = [];

function microseconds(time: number): string {
  return time < 10 ? time.toFixed(2) : time.toFixed(0);
}

/** Runs one mode and returns the share of solved targets and the times of all answers, ascending, us. */
function run(model: ArmModel, chain: Chain, mode: Mode): { solved: number; times: number[] } {
  const collision = new CollisionModel(chain);
  const free = (q: Float64Array): boolean => collision.check(q) === null;
  const solver = new InverseKinematics(chain, mode.careful ? { accept: free } : {});
  const home = model.poses.get('init')!;
  const next = generator(7);
  const frame = new Float64Array(12);
  const random = (): Float64Array =>
    Float64Array.from(chain.limits, ({ lower, upper }) => lower + MARGIN + next() * (upper - lower - 2 * MARGIN));
  const around = (): number => 2 * next() - 1;

  const ask = (): { target: InverseTarget; seed: Float64Array } => {
    let q = random();
    while (mode.careful && mode.kind === 'poses' && !free(q)) q = random();
    chain.forward(q, frame);
    const seed = mode.near ? q.map((value) => value + NEAR * around()) : home;
    if (mode.kind === 'out of reach') {
      return { target: { position: { x: around(), y: around(), z: around() } }, seed };
    }
    const [x, y, z] = frame;
    const position = { x: x!, y: y!, z: z! };
    if (mode.kind === 'any angles') {
      const angles = { pitch: 1.5 * around(), yaw: 3.1 * around(), roll: 3.1 * around() };
      return { target: { position, orientation: { init: IDENTITY_QUATERNION, ...angles } }, seed };
    }
    const pick = (name: keyof AngleTargets): number | null => (mode.given.includes(name) ? 0 : null);
    const init = quaternionFromRotation(frame.slice(3));
    const angles = { pitch: pick('pitch'), yaw: pick('yaw'), roll: pick('roll') };
    return { target: { position, orientation: { init, ...angles } }, seed };
  };

  const isSolved = ({ position, orientation }: InverseTarget, { q, reachable }: InverseResult): boolean => {
    if (mode.kind === 'out of reach') return !reachable;
    chain.forward(q, frame);
    const error = Math.hypot(frame[0]! - position.x, frame[1]! - position.y, frame[2]! - position.z);
    const turned =
      mode.kind === 'any angles' || !orientation
        ? 0
        : orientationError(frame.slice(3), rotationFromQuaternion(orientation.init), orientation);
    return reachable && error < 1e-4 && turned < 1e-3 && (!mode.careful || free(q));
  };

  const times: number[] = [];
  let solved = 0;
  // The first ones warm the compiler and are not counted.
  for (let index = -count / 4; index < count; ) {
    const { target, seed } = ask();
    let quickest = Number.POSITIVE_INFINITY;
    let result: InverseResult | null = null;
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      const begin = process.hrtime.bigint();
      result = solver.solve(target, seed);
      quickest = Math.min(quickest, Number(process.hrtime.bigint() - begin) / 1000);
    }
    if (mode.kind === 'out of reach' && result!.reachable) continue;
    if (index++ < 0) continue;
    times.push(quickest);
    if (isSolved(target, result!)) solved++;
  }
  return { solved: solved / count, times: times.sort((a, b) => a - b) };
}

/** Time of one call, us: the quickest of several rounds. */
function time(call: () => void): number {
  let quickest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < (short ? 2 : 40); round++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < 500; i++) call();
    quickest = Math.min(quickest, Number(process.hrtime.bigint() - begin) / 500_000);
  }
  return quickest;
}

const robots = join(ROOT, 'robots');
for (const name of readdirSync(robots).filter((entry) => existsSync(join(robots, entry, 'arm.yaml')))) {
  const model = loadArmModel(join(robots, name));
  const chain = armChain(model);
  let least = 1;
  let median = 0;
  let slowest = 0;
  for (const mode of MODES) {
    const { solved, times } = run(model, chain, mode);
    const p50 = percentile(times, 0.5);
    const p99 = percentile(times, 0.99);
    if (mode.kind === 'poses' && !mode.careful) {
      least = Math.min(least, solved);
      median = Math.max(median, p50);
      slowest = Math.max(slowest, p99);
    }
    rows.push([model.title, mode.name, `${(100 * solved).toFixed(1)} %`, microseconds(p50), microseconds(p99)]);
  }
  const goal = (what: string, measured: string, reached: boolean): void => {
    targets.push({ goal: `${model.title}: ${what}`, measured, reached });
  };
  goal('>= 99.9 % of poses to 0.1 mm and 1 mrad in each mode', `${(100 * least).toFixed(1)} %`, least >= 0.999);
  goal('median <= 50 us for poses in each mode', `${microseconds(median)} us`, median <= 50);
  goal('p99 <= 3 ms for poses in each mode', `${microseconds(slowest / 1000)} ms`, slowest <= 3000);

  const q = model.poses.get('init')!.slice();
  const frame = new Float64Array(12);
  const jacobian = new Float64Array(6 * chain.dof);
  const torques = new Float64Array(chain.dof);
  const collision = new CollisionModel(chain);
  calls.push([
    model.title,
    ...[
      () => chain.forward(q, frame),
      () => chain.forwardJacobian(q, frame, jacobian),
      () => chain.gravityTorques(q, torques),
      () => collision.check(q),
    ].map((call) => microseconds(time(call))),
  ]);
}

const text = [
  `${report.machine()} ${count} targets for each line.`,
  '',
  markdownTable(['arm', 'asked for', 'solved', 'median, us', 'p99, us'], rows),
  '',
  targetTable(targets),
  '',
  markdownTable(['arm', 'tool pose, us', 'pose and Jacobian, us', 'gravity torques, us', 'contact check, us'], calls),
  '',
].join('\n');
report.publish(text);
