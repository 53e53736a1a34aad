import { type Angles, anglesFromRotation, OrientationGoal, rotationFromAngles } from '../kinematics/angles.ts';
import type { Chain } from '../kinematics/chain.ts';
import {
  angleBetween,
  identityRotation,
  multiplyByTranspose,
  multiplyRotations,
  type Rotation,
  rotationFromAxisAngle,
  rotationFromQuaternion,
  type Vector3,
  writeRotationVector,
} from '../kinematics/frames.ts';
import { ToolTracker } from './tracker.ts';

/** Largest tool step between two checked poses: m and rad. */
const STEP = 0.01;
const TURN = 0.05;
/** Most steps per message; the next message continues the rest of the way. */
const MOST_STEPS = 40;
/** A larger hand movement between two messages, m and rad, means that its tracking restarted elsewhere. */
const HAND_LEAP = 0.2;
const HAND_TURN = 1;
/** Position error that counts as reached, m. */
const MET = 1e-3;
/** A joint that moves further in one step is at a singularity, rad. */
const JOINT_LEAP = 0.2;

/** Position (m) and orientation (rad) of a hand, in axes of the arm's base, with the origin of its sender. */
export interface Hand extends Vector3, Angles {}

/** A frame: position and rotation. */
interface Frame {
  readonly position: Vector3;
  readonly rotation: Rotation;
}

export interface ToolLeadOptions {
  readonly chain: Chain;
  /** Orientation of the tool where all angles are zero. */
  readonly zero: Rotation;
  /** The contact on the straight joint-space path between two poses (rad); null when there is none. */
  readonly touches: (from: Float64Array, to: Float64Array) => string | null;
}

/**
 * Leads the tool of an arm by a hand: the tool moves and turns as the hand has done since the latch. Latching itself
 * moves nothing, wherever the hand is.
 */
export class ToolLead {
  readonly #options: ToolLeadOptions;
  readonly #tracker: ToolTracker;
  readonly #goal: OrientationGoal;
  #latchedHand: Frame = frameOf({ x: 0, y: 0, z: 0, pitch: 0, yaw: 0, roll: 0 });
  #latchedTool: Frame = this.#latchedHand;
  #hand: Frame = this.#latchedHand;
  /** Tool frame reached so far, and the joints there. */
  #reached: Frame = this.#latchedHand;
  #q = new Float64Array(0);
  #scaling = 1;

  constructor(options: ToolLeadOptions) {
    this.#options = options;
    this.#tracker = new ToolTracker(options.chain);
    this.#goal = new OrientationGoal({ pitch: 0, yaw: 0, roll: 0 }, options.zero);
  }

  /** Goal positions of the joints, rad; owned by this object. */
  get goal(): Float64Array {
    return this.#q;
  }

  /** Tool movement per hand movement. */
  get scaling(): number {
    return this.#scaling;
  }

  /**
   * From now on the tool moves as the hand does from here.
   * @param q setpoints of the arm, rad
   * @param scaling tool movement per hand movement; rotation is not scaled
   */
  latch(hand: Hand, q: Float64Array, scaling = this.#scaling): void {
    this.#scaling = scaling;
    const { position, orientation } = this.#options.chain.toolPose(q);
    this.#latchedHand = frameOf(hand);
    this.#hand = this.#latchedHand;
    this.#latchedTool = { position, rotation: rotationFromQuaternion(orientation) };
    this.#reached = this.#latchedTool;
    this.#q = q.slice();
  }

  /**
   * Leads the arm after the hand as far as it can go, in small contact-free steps.
   * @param asked present setpoints of the arm, rad, which may lag behind
   * @param gripper index and wanted position (rad) of the gripper joint; null for an arm without one
   * @returns why the arm does not follow, or not all the way; null when it does
   */
  follow(hand: Hand, asked: Float64Array, gripper: { index: number; position: number } | null): string | null {
    const now = frameOf(hand);
    const before = this.#hand;
    this.#hand = now;
    if (
      distance(now.position, before.position) > HAND_LEAP ||
      angleBetween(before.rotation, now.rotation) > HAND_TURN
    ) {
      this.latch(hand, this.#q);
      return 'the hand has leapt: it is followed from where it is now';
    }
    const next = this.#q.slice();
    const { problem, reached } = this.#lead(this.#wanted(now), next);
    if (gripper !== null) next[gripper.index] = gripper.position;
    // Joints move at different fractions of their speed and may cut corners, so the direct path is checked too.
    const contact = this.#options.touches(asked, next);
    if (contact !== null) return contact;
    this.#q.set(next);
    this.#reached = reached;
    return problem;
  }

  /** The wanted tool frame. */
  #wanted(hand: Frame): Frame {
    const { position: from, rotation: latched } = this.#latchedHand;
    const tool = this.#latchedTool;
    const turn = multiplyByTranspose(hand.rotation, latched);
    return {
      position: {
        x: tool.position.x + this.#scaling * (hand.position.x - from.x),
        y: tool.position.y + this.#scaling * (hand.position.y - from.y),
        z: tool.position.z + this.#scaling * (hand.position.z - from.z),
      },
      rotation: multiplyRotations(turn, tool.rotation),
    };
  }

  /** Leads `q` towards a tool frame. @returns how far it came, and why no further */
  #lead(wanted: Frame, q: Float64Array): { problem: string | null; reached: Frame } {
    const start = this.#reached;
    const length = distance(wanted.position, start.position);
    const angle = angleBetween(start.rotation, wanted.rotation);
    const steps = Math.max(1, Math.ceil(length / STEP), Math.ceil(angle / TURN));
    const last = q.slice();
    let reached = start;
    for (let k = 1; k <= Math.min(steps, MOST_STEPS); k++) {
      const frame = k === steps ? wanted : between(start, wanted, k / steps);
      const problem = this.#step(frame, last, q);
      if (problem !== null) {
        q.set(last);
        return { problem, reached };
      }
      last.set(q);
      reached = frame;
    }
    return { problem: null, reached };
  }

  #step({ position, rotation }: Frame, last: Float64Array, q: Float64Array): string | null {
    const { chain, zero, touches } = this.#options;
    this.#goal.aim(anglesFromRotation(rotation, zero), zero);
    if (this.#tracker.follow(position, this.#goal, q) > MET) return 'the hand is beyond the reach of the arm';
    const leaping = chain.joints.findIndex((_, i) => Math.abs(q[i]! - last[i]!) > JOINT_LEAP);
    if (leaping >= 0) return `${chain.joints[leaping]} would have to leap`;
    return touches(last, q);
  }
}

function frameOf({ x, y, z, ...angles }: Hand): Frame {
  return { position: { x, y, z }, rotation: rotationFromAngles(angles, identityRotation()) };
}

function distance(a: Vector3, b: Vector3): number {
  return Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

/** The frame at fraction `part` (0..1) of the straight way and the even turn from one frame to another. */
function between(a: Frame, b: Frame, part: number): Frame {
  const turn = new Float64Array(3);
  writeRotationVector(multiplyByTranspose(b.rotation, a.rotation), turn);
  const [x, y, z] = turn;
  const angle = Math.hypot(x!, y!, z!) || 1;
  const turned = rotationFromAxisAngle(x! / angle, y! / angle, z! / angle, part * angle);
  const at = (axis: 'x' | 'y' | 'z') => a.position[axis] + part * (b.position[axis] - a.position[axis]);
  return { position: { x: at('x'), y: at('y'), z: at('z') }, rotation: multiplyRotations(turned, a.rotation) };
}
