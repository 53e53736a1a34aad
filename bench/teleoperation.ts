/**
 * npm run bench:teleoperation [-- --write | --short]: how still a floating leader stands and what moving it takes, and what a
 * follower on another bridge is later by. `--write` puts the table into bench/results too, `--short` only shows that
 * everything runs.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import loadMujoco from '@mujoco/mujoco';
import { loadArmModel } from '../src/arm/model.ts';
import { drifts, HAND_SPEED, handForces, type MakeArm } from '../test/mirror/support/floating.ts';
import { VirtualArm } from '../test/mirror/support/virtual-arm.ts';
import { short } from './arguments.ts';
import { Report } from './report.ts';
import { median, percentile, type Target, targetTable } from './table.ts';
import { addedLatencies } from './two-bridges.ts';

/** The sources are compiled to build/bench: documents, arms and the bridge stay where they are. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const poses = short ? 2 : 20;
const swinging = short ? 3 : 60;
/** How long a leader is left alone, s, and the targets: rad, Nm and s. */
const ALONE = 10;
const DRIFT = 0.05;
const FORCE = 0.1;
const LATENCY = 0.01;

const python = process.env.ARM_BRIDGE_ROS_PYTHON;
if (!python) throw new Error('ARM_BRIDGE_ROS_PYTHON is not set: eval "$(node scripts/prepare.mjs test)" sets it');
// A domain of its own, found on this machine alone.
Object.assign(process.env, { ROS_DOMAIN_ID: '98', ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });

const report = new Report('teleoperation', 'Teleoperation');
const added = await addedLatencies(ROOT, python, swinging);
const milliseconds = (part: number): string => `${(1000 * percentile(added, part)).toFixed(1)} ms`;

// From here on the clock is that of the arms, which run as fast as the processor allows.
const now = performance.now;
let clock = 0;
performance.now = () => clock;
const mj = await loadMujoco();
const model = loadArmModel(join(ROOT, 'robots', 'so101'));
const arms: VirtualArm[] = [];
const make: MakeArm = async (initial) => {
  const arm = new VirtualArm(mj, model, initial, (seconds) => {
    clock += 1000 * seconds;
  });
  arms.push(arm);
  await arm.connect();
  return arm;
};
const drifted = await drifts(make, model, poses, ALONE);
const forces = await handForces(make, model);
for (const arm of arms) arm.dispose();
performance.now = now;

const drift = Math.max(...drifted);
const force = Math.max(...forces.map(({ extra }) => extra));
const worst = forces.find(({ extra }) => extra === force)!;
const targets: Target[] = [
  {
    goal: `floating leader let go in ${poses} random poses: < ${DRIFT} rad in ${ALONE} s`,
    measured: `median ${median(drifted).toFixed(4)} rad, worst ${drift.toFixed(4)} rad`,
    reached: drift < DRIFT,
  },
  {
    goal: `moving a joint of it at ${HAND_SPEED} rad/s: <= ${FORCE} Nm more than limp and without weight`,
    measured: `${force.toFixed(3)} Nm at most (${worst.joint})`,
    reached: force <= FORCE,
  },
  {
    goal: `follower on another bridge, over ROS 2: p99 <= ${1000 * LATENCY} ms later than one on the leader's own`,
    measured: `p50 ${milliseconds(0.5)}, p99 ${milliseconds(0.99)} of ${added.length} goals`,
    reached: percentile(added, 0.99) <= LATENCY,
  },
];
const text = [report.machine(), '', targetTable(targets), ''].join('\n');
report.publish(text);
