import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ArmModel, loadArmModel } from '../../src/arm/model.ts';
import { jointMaps, mapPositions, unmapPositions } from '../../src/rt/sources/joint-map.ts';
import { MujocoArm } from '../kinematics/mujoco.ts';

const MODELS = ['so101', 'so100', 'koch', 'wx250s'];
const PAIRS = MODELS.flatMap((leader) =>
  MODELS.filter((other) => other !== leader).map((follower) => [leader, follower]),
);
/** Directions of links agree to the rounding of the arms' data. */
const NEAR = 1e-4;

type Vector = readonly number[];

/** One arm with MuJoCo as the judge of where its links point. */
interface Judged {
  readonly model: ArmModel;
  readonly mujoco: MujocoArm;
}

const arms = new Map<string, Judged>();
beforeAll(async () => {
  for (const name of MODELS) {
    const model = loadArmModel(name);
    arms.set(name, { model, mujoco: await MujocoArm.load(model.urdf) });
  }
});
afterAll(() => {
  for (const { mujoco } of arms.values()) mujoco.dispose();
});

/** Origin of the link that the joint with this role moves. */
function origin({ model, mujoco }: Judged, q: Float64Array, role: string): Vector {
  const { name } = model.joints.find((joint) => joint.role === role)!;
  const link = new RegExp(`<joint name="${name}"[\\s\\S]*?<child link="([^"]+)"`).exec(model.urdf)![1]!;
  return mujoco.pose(q, link).slice(0, 3);
}

/** Unit vectors in the base frame: upper arm, forearm, gripper. */
function directions(arm: Judged, q: Float64Array): Vector[] {
  const tool = arm.mujoco.pose(q, 'tool');
  const gripper = [tool[3]!, tool[6]!, tool[9]!];
  const level = Math.hypot(gripper[0]!, gripper[1]!);
  // Some joints lie beside the plane of their arm, in which its gripper points.
  const beside = [-gripper[1]! / level, gripper[0]! / level, 0];
  const between = (from: string, to: string): Vector => {
    const a = origin(arm, q, from);
    const along = origin(arm, q, to).map((value, i) => value - a[i]!);
    const off = along.reduce((sum, value, i) => sum + value * beside[i]!, 0);
    const inPlane = along.map((value, i) => value - off * beside[i]!);
    const length = Math.hypot(...inPlane);
    return inPlane.map((value) => value / length);
  };
  return [between('shoulder_lift', 'elbow_flex'), between('elbow_flex', 'wrist_flex'), gripper];
}

/** Poses of a leader about one that all arms can take: role angles 0, 0, 90 degrees, 0, 0. */
function poses(model: ArmModel): Float64Array[] {
  const angles: Readonly<Record<string, number[]>> = {
    shoulder_pan: [0, 0.5, -0.8],
    shoulder_lift: [0, 0.25, -0.2],
    elbow_flex: [Math.PI / 2, 1.2, 1.7],
    wrist_flex: [0, 0.3, -0.4],
    wrist_roll: [0, 0.4, -0.3],
    forearm_roll: [0, 0, 0],
  };
  return [0, 1, 2].map((n) =>
    Float64Array.from(model.joints, ({ role, roleFrame }, j) => {
      if (roleFrame === null) return model.gripper!.closed + 0.4 * (model.gripper!.open - model.gripper!.closed);
      expect(model.joints[j]!.role).toBe(role);
      return roleFrame.zero + roleFrame.sign * angles[role]![n]!;
    }),
  );
}

function expectNear(got: readonly Vector[], wanted: readonly Vector[]): void {
  for (const [link, vector] of wanted.entries()) {
    for (const [i, value] of vector.entries())
      expect(Math.abs(got[link]![i]! - value), `link ${link}`).toBeLessThan(NEAR);
  }
}

test.each(PAIRS)(
  'the links of a leading %s and a following %s point the same way, and their grippers open alike',
  (l, f) => {
    const leader = arms.get(l!)!;
    const follower = arms.get(f!)!;
    const maps = jointMaps(leader.model, follower.model, {}, false);
    const mirrored = jointMaps(leader.model, follower.model, {}, true);
    if (typeof maps === 'string' || typeof mirrored === 'string') throw new Error(String(maps));
    for (const pose of poses(leader.model)) {
      const q = Float64Array.from(follower.model.joints, ({ roleFrame }) => roleFrame?.zero ?? 0);
      mapPositions(maps, pose, q);
      const wanted = directions(leader, pose);
      expectNear(directions(follower, q), wanted);
      const { index, open, closed } = follower.model.gripper!;
      expect((q[index]! - closed) / (open - closed)).toBeCloseTo(0.4, 9);
      for (const [j, { lower, upper, name }] of follower.model.joints.entries()) {
        expect(q[j], name).toBeGreaterThanOrEqual(lower);
        expect(q[j], name).toBeLessThanOrEqual(upper);
      }
      const back = pose.slice();
      unmapPositions(maps, q, back);
      for (const [j, angle] of pose.entries()) expect(back[j]).toBeCloseTo(angle, 9);
      mapPositions(mirrored, pose, q);
      expectNear(
        directions(follower, q),
        wanted.map(([x, y, z]) => [x!, -y!, z!]),
      );
    }
  },
);
