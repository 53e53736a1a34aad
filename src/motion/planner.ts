import type { JointModel } from '../arm/model.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import type { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { type Pose, rotationFromQuaternion, type Vector3 } from '../kinematics/frames.ts';
import { InverseKinematics, type InverseResult } from '../kinematics/inverse.ts';
import { HEADROOM } from '../rt/sources/trajectory.ts';
import { type Line, type LineEnd, planLine } from './line.ts';
import { findRoute } from './route.ts';

/** What a planner knows of an arm besides its chain: plain data, which goes from thread to thread. */
export interface PlannedArm {
  readonly joints: readonly Pick<JointModel, 'name' | 'role' | 'move'>[];
  /** Positions in rad per joint, in the order of `joints`. */
  readonly poses: ReadonlyMap<string, Float64Array>;
}

/** Parts of the joints' largest speeds and accelerations that a motion may use. */
export interface PaceParts {
  readonly pace: number;
  readonly accelerationScale: number;
}

/** The first pose of a way that cannot be reached without a contact. */
export interface WayContact {
  readonly index: number;
  readonly contact: string;
}

/** All of a joint's limits. */
const UNLIMITED: PaceParts = { pace: 1, accelerationScale: 1 };

/** What would touch what on the straight joint-space way between two poses (rad), for people; null when it is free. */
export function contactBetween(collision: CollisionModel, from: Float64Array, to: Float64Array): string | null {
  const contact = collision.checkPath(from, to);
  return contact === null ? null : `${contact.a} and ${contact.b} would touch`;
}

/**
 * What one arm can reach, and how it gets there without touching itself or the table. Its answers take up to some tenths of
 * a second: it belongs into a thread for that (`planner-thread.ts`).
 */
export class ArmPlanner {
  /** Called before each check of a way; what it throws ends the planning. */
  proceed: () => void = () => {};
  /** The zero of the absolute frame: tool pose of the named pose `init`, in the base frame. */
  readonly zero: Pose;
  readonly #arm: PlannedArm;
  readonly #inverse: InverseKinematics;
  readonly #collision: CollisionModel;
  readonly #chain: Chain;

  constructor(arm: PlannedArm, chain: Chain) {
    this.#arm = arm;
    this.#chain = chain;
    this.#collision = new CollisionModel(chain);
    this.#inverse = new InverseKinematics(chain, { accept: (q) => this.#collision.check(q) === null });
    this.zero = chain.toolPose(this.pose('init'));
  }

  /** A copy of a named pose, rad. */
  pose(name: string): Float64Array {
    return this.#arm.poses.get(name)!.slice();
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

  /** A straight way of the tool from a pose at rest (rad) that touches nothing; or how far it goes, and why no further. */
  line(from: Float64Array, to: LineEnd, parts: PaceParts = UNLIMITED): Line | string {
    const { joints } = this.#arm;
    const limits = {
      velocity: Float64Array.from(joints, ({ move }) => HEADROOM * parts.pace * move.velocity),
      acceleration: Float64Array.from(joints, ({ move }) => HEADROOM * parts.accelerationScale * move.acceleration),
    };
    const zero = rotationFromQuaternion(this.zero.orientation);
    return planLine({ chain: this.#chain, zero, limits, touches: (a, b) => this.touches(a, b) }, from, to);
  }

  /** What would touch what on the straight joint-space way between two poses (rad); null when it is free. */
  touches(from: Float64Array, to: Float64Array): string | null {
    this.proceed();
    return contactBetween(this.#collision, from, to);
  }

  /**
   * What would touch what on the straight joint-space ways from `from` through many poses, one after the other in
   * `positions` (rad); null when all are free.
   */
  along(from: Float64Array, positions: Float64Array): WayContact | null {
    const joints = from.length;
    let last = from;
    for (let index = 0; index * joints < positions.length; index++) {
      const pose = positions.subarray(index * joints, (index + 1) * joints);
      const contact = this.touches(last, pose);
      if (contact !== null) return { index, contact };
      last = pose;
    }
    return null;
  }

  /** A named pose over the same side of the base as `end`, with its gripper. */
  #turnedLike(end: Float64Array, name: string): Float64Array {
    const pose = this.pose(name);
    for (const [index, joint] of this.#arm.joints.entries()) {
      if (joint.role === 'shoulder_pan' || joint.role === 'gripper') pose[index] = end[index]!;
    }
    return pose;
  }
}
