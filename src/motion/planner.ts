import type { JointModel } from '../arm/model.ts';
import type { AngleTargets } from '../kinematics/angles.ts';
import type { Chain } from '../kinematics/chain.ts';
import { CollisionModel } from '../kinematics/collision.ts';
import { type Pose, rotationFromQuaternion, type Vector3 } from '../kinematics/frames.ts';
import { InverseKinematics, type InverseResult } from '../kinematics/inverse.ts';
import { HEADROOM } from '../rt/sources/trajectory.ts';
import { type Line, type LineEnd, planLine } from './line.ts';
import { findRoute } from './route.ts';

/** The arm data that a planner needs besides the chain: plain data that can be sent to another thread. */
export interface PlannedArm {
  readonly joints: readonly Pick<JointModel, 'name' | 'role' | 'move'>[];
  /** Positions in rad per joint, in the order of `joints`. */
  readonly poses: ReadonlyMap<string, Float64Array>;
}

/** Fractions of the joints' largest speeds and accelerations that a motion may use. */
export interface PaceParts {
  readonly pace: number;
  readonly accelerationScale: number;
}

/** The first pose of a path that cannot be reached without a contact. */
export interface WayContact {
  readonly index: number;
  readonly contact: string;
}

/** The full limits of each joint. */
const UNLIMITED: PaceParts = { pace: 1, accelerationScale: 1 };

/** The contact on the straight joint-space path between two poses (rad), human-readable; null when there is none. */
export function contactBetween(collision: CollisionModel, from: Float64Array, to: Float64Array): string | null {
  const contact = collision.checkPath(from, to);
  return contact === null ? null : `${contact.a} and ${contact.b} would touch`;
}

/**
 * What one arm can reach, and how it gets there without touching itself or the table. Answers take up to some tenths of
 * a second, so it belongs in its own thread (`planner-thread.ts`).
 */
export class ArmPlanner {
  /** Called before each check of a path; an error that it throws ends the planning. */
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
   * Joint positions for a tool position (m, base frame) and any given angles (rad), near `seed` and free of contacts.
   * The orientation is met as nearly as the position allows.
   */
  solve(position: Vector3, angles: AngleTargets, seed: Float64Array): InverseResult {
    return this.#inverse.solve({ position, orientation: { ...angles, init: this.zero.orientation } }, seed);
  }

  /**
   * A contact-free path from `from` to `to` (rad) in straight joint-space legs, direct or through raised or folded
   * poses.
   * @returns the poses to visit, ending with `to`; or the contact on the direct path
   */
  route(from: Float64Array, to: Float64Array): readonly Float64Array[] | string {
    const via = [from, to].flatMap((end) => ['init', 'park'].map((name) => this.#turnedLike(end, name)));
    return findRoute(from, to, via, (a, b) => this.touches(a, b));
  }

  /** A contact-free straight tool path from a pose at rest (rad); or how far it goes, and why no further. */
  line(from: Float64Array, to: LineEnd, parts: PaceParts = UNLIMITED): Line | string {
    const { joints } = this.#arm;
    const limits = {
      velocity: Float64Array.from(joints, ({ move }) => HEADROOM * parts.pace * move.velocity),
      acceleration: Float64Array.from(joints, ({ move }) => HEADROOM * parts.accelerationScale * move.acceleration),
    };
    const zero = rotationFromQuaternion(this.zero.orientation);
    return planLine({ chain: this.#chain, zero, limits, touches: (a, b) => this.touches(a, b) }, from, to);
  }

  /** The contact on the straight joint-space path between two poses (rad); null when there is none. */
  touches(from: Float64Array, to: Float64Array): string | null {
    this.proceed();
    return contactBetween(this.#collision, from, to);
  }

  /**
   * The first contact on the straight joint-space legs from `from` through the poses in `positions` (rad, row by row);
   * null when there is none.
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

  /** A named pose turned to the same side of the base as `end`, with the gripper of `end`. */
  #turnedLike(end: Float64Array, name: string): Float64Array {
    const pose = this.pose(name);
    for (const [index, joint] of this.#arm.joints.entries()) {
      if (joint.role === 'shoulder_pan' || joint.role === 'gripper') pose[index] = end[index]!;
    }
    return pose;
  }
}
