import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';

const python = process.env.ARM_BRIDGE_WITNESS_PYTHON;
if (!python) {
  console.warn('SKIPPED: no other program checks the arms: ARM_BRIDGE_WITNESS_PYTHON is not set (npm test sets it)');
}

interface Answer {
  readonly position: readonly [number, number, number];
  readonly rotation: readonly number[];
  readonly torques: readonly number[];
  readonly axes: readonly (readonly [number, number, number])[];
}

/** What MuJoCo and Pinocchio say of poses (rad, in the order of the arm's joints). */
function ask(arm: string, poses: readonly (readonly number[])[]): Record<'mujoco' | 'pinocchio', Answer>[] {
  const model = loadArmModel(arm);
  const request = {
    urdf: join(model.directory, `${arm}.urdf`),
    tool: model.toolLink,
    joints: model.joints.map(({ name }) => name),
    poses,
  };
  const script = fileURLToPath(new URL('./witness.py', import.meta.url));
  return JSON.parse(execFileSync(python!, [script], { input: JSON.stringify([request]), encoding: 'utf8' }));
}

/**
 * Computed from the sources named in each arm's file, in their frames: tool position (m) and torques (Nm) that hold the
 * arm at g = 9.81, with all joints at 0 and with the arm's joints at 30 % of the ranges given here.
 */
const SOURCES = {
  so101: {
    yaw: 0,
    ranges: [-1.91986, 1.91986, -1.74533, 1.74533, -1.69, 1.69, -1.65806, 1.65806, -2.74385, 2.84121],
    zero: { tool: [0.391362, -0.000011, 0.226469], torques: [0, -0.5386, -0.45267, -0.11705, -0.00004, 0.00353] },
    third: { tool: [-0.014539, -0.042052, 0.498003], torques: [0, 0.19305, 0.00035, 0.05378, -0.00093, -0.00053] },
  },
  so100: {
    yaw: Math.PI / 2,
    ranges: [-2.2, 2.2, -3.14158, 0.2, 0, 3.14158, -2, 1.8, -3.14158, 3.14158],
    zero: { tool: [0, -0.484771, 0.096198], torques: [0, -0.94817, -0.47489, -0.12604, -0.00035, 0.00603] },
    third: { tool: [0.028775, -0.021415, 0.499225], torques: [0, 0.11643, -0.05836, 0.05877, 0.00065, -0.00059] },
  },
  koch: {
    yaw: Math.PI,
    ranges: [-2.2, 2.2, -1.57, 0.6, -1.57, 1.45, -2, 2, -3.14, 3.14],
    zero: { tool: [-0.21508, 0.009247, 0.16775], torques: [0, 0.14738, -0.12971, 0.03403, 0.00073, 0] },
    third: { tool: [-0.14251, -0.183098, -0.014613], torques: [0, 0.25455, -0.10966, 0.01621, 0.00016, -0.00136] },
  },
  wx250s: {
    yaw: 0,
    ranges: [
      -3.14158, 3.14158, -1.88496, 1.98968, -2.14675, 1.6057, -3.14158, 3.14158, -1.74533, 2.14675, -3.14158, 3.14158,
    ],
    zero: { tool: [0.458325, 0, 0.36065], torques: [0, -1.85974, -1.45382, 0.01131, -0.18679, 0] },
    third: { tool: [0.010284, 0.234867, 0.703617], torques: [0, 1.59652, 0.25835, -0.0194, 0.11824, -0.00594] },
  },
};

describe.runIf(python).each(Object.entries(SOURCES))('%s has the mechanics of its source', (arm, source) => {
  const joints = loadArmModel(arm).joints.length;
  const third = Array.from({ length: joints }, (_, i) => {
    const [lower, upper] = source.ranges.slice(2 * i, 2 * i + 2);
    return lower === undefined || upper === undefined ? 0 : lower + 0.3 * (upper - lower);
  });
  let answers: ReturnType<typeof ask>;
  beforeAll(() => {
    answers = ask(arm, [new Array(joints).fill(0), third]);
  });
  const cases = [
    ['all joints at 0', source.zero, 0],
    ['joints at 30 % of their range', source.third, 1],
  ] as const;
  it.each(cases)('%s, by MuJoCo and Pinocchio', (_, expected, index) => {
    const [x, y, z] = expected.tool as [number, number, number];
    const [c, s] = [Math.cos(source.yaw), Math.sin(source.yaw)];
    for (const answer of Object.values(answers[index]!)) {
      // Right angles that the source rounds make up to 10 um and 10 uNm.
      for (const [i, value] of [c * x - s * y, s * x + c * y, z].entries()) {
        expect(Math.abs(answer.position[i]! - value)).toBeLessThan(1.5e-5);
      }
      for (const [i, torque] of expected.torques.entries()) {
        expect(Math.abs(answer.torques[i]! - torque)).toBeLessThan(2e-5);
      }
    }
  });
});

describe.runIf(python)('the same role angles point the links of every arm in the same directions', () => {
  /** Role angles within the range of every arm: pan, lift, elbow, wrist, roll. */
  const ANGLES = [
    [0, 0, Math.PI / 2, 0, 0],
    [0.4, 0.2, 1.2, 0.3, 0.3],
    [-0.7, -0.3, 1.7, -0.4, -0.5],
    [1.2, 0.35, 0.9, 0.8, 0.9],
  ];
  /** Axis of the tool on whose side the moving finger is. */
  const FINGER: Readonly<Record<string, number>> = { wx250s: 1 };
  const ROLES = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll'];

  it.each(Object.keys(SOURCES))('%s', (arm) => {
    const { joints } = loadArmModel(arm);
    const axis = (role: string): number => joints.findIndex((joint) => joint.role === role);
    const poses = ANGLES.map((angles) =>
      joints.map(({ role, roleFrame, lower, upper }) => {
        if (role === 'gripper') return (lower + upper) / 2;
        const q = roleFrame!.zero + roleFrame!.sign * (angles[ROLES.indexOf(role)] ?? 0);
        expect(q, role).toBeGreaterThan(lower);
        expect(q, role).toBeLessThan(upper);
        return q;
      }),
    );
    for (const [index, { mujoco }] of ask(arm, poses).entries()) {
      const [pan, lift, elbow, wrist, roll] = ANGLES[index] as [number, number, number, number, number];
      /** A direction that leans forward from upright by `lean`, in the plane of the arm. */
      const leaning = (lean: number): number[] => [
        Math.sin(lean) * Math.cos(pan),
        Math.sin(lean) * Math.sin(pan),
        Math.cos(lean),
      ];
      const between = (from: string, to: string): number[] => {
        const [a, b] = [mujoco.axes[axis(from)]!, mujoco.axes[axis(to)]!];
        // Some axes' points lie beside the plane of the arm.
        const along = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
        const beside = -Math.sin(pan) * along[0]! + Math.cos(pan) * along[1]!;
        along[0]! += Math.sin(pan) * beside;
        along[1]! -= Math.cos(pan) * beside;
        const length = Math.hypot(...along);
        return along.map((value) => value / length);
      };
      const column = (i: number): number[] => [0, 3, 6].map((row) => mujoco.rotation[row + i]!);
      const hand = lift + elbow + wrist;
      // Rolled clockwise seen from behind: the top goes to the right.
      const top = leaning(hand - Math.PI / 2).map(
        (value, i) => Math.cos(roll) * value - Math.sin(roll) * [-Math.sin(pan), Math.cos(pan), 0][i]!,
      );
      const directions: [string, number[], number[]][] = [
        ['upper arm', between('shoulder_lift', 'elbow_flex'), leaning(lift)],
        ['forearm', between('elbow_flex', 'wrist_flex'), leaning(lift + elbow)],
        ['gripper', column(0), leaning(hand)],
        ['side of the moving finger', column(FINGER[arm] ?? 2), top],
      ];
      for (const [link, got, wanted] of directions) {
        for (const [i, value] of wanted.entries()) {
          expect(Math.abs(got[i]! - value), `${link}, angles ${ANGLES[index]!.join(', ')}`).toBeLessThan(1e-5);
        }
      }
    }
  });
});
