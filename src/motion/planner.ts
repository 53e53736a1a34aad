import type { Arm } from '../arm/arm.ts';
import type { ArmModel } from '../arm/model.ts';
import type { Clock } from '../clock.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import type { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { type Pose, rotationFromQuaternion, type Vector3 } from '../kinematics/frames.ts';
import { InverseKinematics, type InverseResult } from '../kinematics/inverse.ts';
import { HEADROOM } from '../rt/sources/trajectory.ts';
import { type Line, type LineEnd, planLine } from './line.ts';
import { findRoute } from './route.ts';

/** Poses that are checked before others are served: some milliseconds. */
const SLICE = 16;

/** All of a joint's limits. */
const UNLIMITED: Pick<Arm, 'pace' | 'accelerationScale'> = { pace: 1, accelerationScale: 1 };

/** What one arm can reach, and how it gets there without touching itself or the table. */
export class ArmPlanner {
  /** The zero of the absolute frame: tool pose of the named pose `init`, in the base frame. */
  readonly zero: Pose;
  readonly #model: ArmModel;
  readonly #inverse: InverseKinematics;
  readonly #collision: CollisionModel;
  readonly #chain: Chain;

  constructor(model: ArmModel, chain: Chain) {
    this.#model = model;
    this.#chain = chain;
    this.#collision = new CollisionModel(chain);
    this.#inverse = new InverseKinematics(chain, { accept: (q) => this.#collision.check(q) === null });
    this.zero = chain.toolPose(this.pose('init'));
  }

  /** A copy of a named pose, rad. */
  pose(name: string): Float64Array {
    return this.#model.poses.get(name)!.slice();
  }

  /**
   * Joint positions for a tool position (m, base frame) and any given angles (rad), near `seed` and touching nothing.
   * The orientation is met as nearly as the position allows.
   */
  solve(position: Vector3, angles: AngleTargets, seed: Float64Array): InverseResult {
    return this.#inverse.solve({ position, orientation: { ...angles, init: this.zero.orientation } }, seed);
  }

  /**
   * A way from `from` to `to` (rad) in straight joint-space legs that touches nothing: direct, or through poses with
   * the arm raised or folded.
   * @returns the poses to visit, ending with `to`; or what touches what on the direct way
   */
  route(from: Float64Array, to: Float64Array): readonly Float64Array[] | string {
    const via = [from, to].flatMap((end) => ['init', 'park'].map((name) => this.#turnedLike(end, name)));
    return findRoute(from, to, via, (a, b) => this.touches(a, b));
  }

  /**
   * A straight way of the tool from a pose at rest (rad) that touches nothing; or how far it goes, and why no further.
   * @param parts of the joints' largest speeds and accelerations that it may use
   */
  line(from: Float64Array, to: LineEnd, parts = UNLIMITED): Line | string {
    const { joints } = this.#model;
    const limits = {
      velocity: Float64Array.from(joints, ({ move }) => HEADROOM * parts.pace * move.velocity),
      acceleration: Float64Array.from(joints, ({ move }) => HEADROOM * parts.accelerationScale * move.acceleration),
    };
    const zero = rotationFromQuaternion(this.zero.orientation);
    return planLine({ chain: this.#chain, zero, limits, touches: (a, b) => this.touches(a, b) }, from, to);
  }

  /** What would touch what on the straight joint-space way between two poses (rad); null when it is free. */
  touches(from: Float64Array, to: Float64Array): string | null {
    const contact = this.#collision.checkPath(from, to);
    return contact === null ? null : `${contact.a} and ${contact.b} would touch`;
  }

  /**
   * What would touch what on the straight joint-space ways from `from` through many poses (rad), and which pose they lead
   * to; null when all are free. Others are served in between.
   * @param resumed called each time it goes on; what it throws ends the check
   */
  async touchesAlong(
    from: Float64Array,
    poses: readonly Float64Array[],
    clock: Clock,
    resumed: () => void = () => {},
  ): Promise<{ readonly index: number; readonly contact: string } | null> {
    for (const [index, pose] of poses.entries()) {
      if (index % SLICE === SLICE - 1) {
        await new Promise<void>((resolve) => clock.soon(resolve));
        resumed();
      }
      const contact = this.touches(poses[index - 1] ?? from, pose);
      if (contact !== null) return { index, contact };
    }
    return null;
  }

  /** A named pose over the same side of the base as `end`, with its gripper. */
  #turnedLike(end: Float64Array, name: string): Float64Array {
    const pose = this.pose(name);
    for (const [index, joint] of this.#model.joints.entries()) {
      if (joint.role === 'shoulder_pan' || joint.role === 'gripper') pose[index] = end[index]!;
    }
    return pose;
  }
}
