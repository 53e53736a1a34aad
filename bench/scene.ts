/**
 * npm run bench:scene [-- --write | --short]: what the objects of a scene cost the simulation thread, beside the same pair of
 * simulated arms without any, in turns. `--write` puts the result into bench/results too, `--short` only shows that
 * everything runs.
 */
import loadMujoco from '@mujoco/mujoco';
import { loadArmModel } from '../src/arm/model.ts';
import { loadScene } from '../src/arm/scene.ts';
import { simulatedCounterpart } from '../src/arm/simulated-counterpart.ts';
import { SimulatedArm } from '../src/sim/simulated-arm.ts';
import { short } from './arguments.ts';
import { Report } from './report.ts';
import { markdownTable, median, targetTable } from './table.ts';

/** Most of what a pair without objects costs. */
const MOST = 1.3;
/** Time from one look at the arms to the next, as the bridge has it, and time of a round, s. */
const SLICE = 0.005;
const ROUND = short ? 0.1 : 2;
const ROUNDS = short ? 1 : 15;
/** The arm's joints with the open fingers above the cube, and around it, rad. */
const ABOVE = { shoulder_pan: -0.2457, shoulder_lift: -0.28, elbow_flex: 0.13, wrist_flex: 1.55, wrist_roll: 0.041 };
const AROUND = { shoulder_pan: -0.2457, shoulder_lift: -0.165, elbow_flex: 0.69, wrist_flex: 0.88, wrist_roll: 0.041 };

const mujoco = await loadMujoco();
const model = loadArmModel('so101');
const objects = loadScene('pick');

/** A leader, and a follower with objects before it or without, held by hands as their servos would hold them. */
class Pair {
  readonly follower: SimulatedArm;
  readonly #arms: readonly SimulatedArm[];
  #time = 0;

  constructor(scene: typeof objects) {
    const make = (name: string, before: typeof objects): SimulatedArm => {
      const fail = (message: string): never => {
        throw new Error(message);
      };
      const arm = new SimulatedArm(mujoco, simulatedCounterpart(model, name, undefined, before), 0, () => {}, fail);
      arm.catchUp = Number.POSITIVE_INFINITY;
      return arm;
    };
    this.follower = make('follower', scene);
    this.#arms = [make('leader', []), this.follower];
  }

  lead(joints: Readonly<Record<string, number>>, duration: number): void {
    for (const arm of this.#arms) arm.hand(joints, duration);
    this.run(duration + 1);
  }

  run(duration: number): void {
    for (const end = this.#time + duration; this.#time < end; ) {
      this.#time += SLICE;
      for (const arm of this.#arms) arm.advance(this.#time);
    }
  }

  /** Time of the processor for a step of both arms, us. */
  cost(): number {
    const before = process.cpuUsage().user;
    this.run(ROUND);
    return (process.cpuUsage().user - before) / (ROUND * 1000);
  }
}

function pick(pair: Pair): Pair {
  pair.lead({ ...ABOVE, gripper: 0.9 }, 2);
  pair.lead({ ...AROUND, gripper: 0.9 }, 1.5);
  pair.lead({ ...AROUND, gripper: 0 }, 1.5);
  pair.lead({ ...ABOVE, gripper: 0 }, 2);
  return pair;
}

const report = new Report('scene', 'A scene before a simulated arm');
const pairs = {
  'no objects': pick(new Pair([])),
  'objects that lie still': new Pair(objects),
  'the cube in the gripper': pick(new Pair(objects)),
};
pairs['objects that lie still'].lead({ ...ABOVE, gripper: 0.9 }, 2);
const cube = pairs['the cube in the gripper'].follower.physics.objects!.state().find(({ name }) => name === 'cube')!;
const held = cube.touches.map((touch) => touch.by).sort();
if (held.join() !== 'gripper_link,jaw') throw new Error(`the cube is not in the gripper, but on ${held.join(', ')}`);

const costs = Object.values(pairs).map((): number[] => []);
for (const pair of Object.values(pairs)) pair.cost();
for (let round = 0; round < ROUNDS; round++) {
  for (const [i, pair] of Object.values(pairs).entries()) costs[i]!.push(pair.cost());
}
const medians = costs.map(median);
const ratios = medians.map((cost) => cost / medians[0]!);
const rows = Object.keys(pairs).map((name, i) => [name, medians[i]!.toFixed(1), ratios[i]!.toFixed(2)]);
const worst = Math.max(...ratios);
const target = {
  goal: `at most ${MOST} times the cost without objects`,
  measured: worst.toFixed(2),
  reached: worst <= MOST,
};
report.publish(
  [
    report.machine(),
    '',
    markdownTable(['before the follower', 'step of both arms, us', 'ratio'], rows),
    '',
    targetTable([target]),
    '',
  ].join('\n'),
);
