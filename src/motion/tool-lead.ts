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

/** Longest way of the tool between two poses that are looked at: m and rad. */
const STEP = 0.01;
const TURN = 0.05;
/** Most such steps for one message; what is left of the way is made with the next. */
const MOST_STEPS = 40;
/** A hand does not move further between two messages, m and rad: its tracking has begun anew somewhere else. */
const HAND_LEAP = 0.2;
const HAND_TURN = 1;
/** Position that counts as met, m. */
const MET = 1e-3;
/** A joint that moves further in one step is at a singularity, rad. */
const JOINT_LEAP = 0.2;

/** Position (m) and orientation (rad) of a hand, in axes of the base of the arm, from wherever its sender counts. */
export interface Hand extends Vector3, Angles {}

/** A frame: where, and how it is turned. */
interface Frame {
  readonly position: Vector3;
  readonly rotation: Rotation;
}

export interface ToolLeadOptions {
  readonly chain: Chain;
  /** Orientation of the tool where all angles are zero. */
  readonly zero: Rotation;
  /** What would touch on the straight joint-space way between two poses (rad); null when it is free. */
  readonly touches: (from: Float64Array, to: Float64Array) => string | null;
}

/**
 * Leads the tool of an arm by a hand: as the hand has moved and turned since it was latched, so does the tool. Nothing
 * moves at the latching, wherever the hand is then.
 */
export class ToolLead {
  readonly #options: ToolLeadOptions;
  readonly #tracker: ToolTracker;
  readonly #goal: OrientationGoal;
  #latchedHand: Frame = frameOf({ x: 0, y: 0, z: 0, pitch: 0, yaw: 0, roll: 0 });
  #latchedTool: Frame = this.#latchedHand;
  #hand: Frame = this.#latchedHand;
  /** Where the tool has been led so far, and the joints there. */
  #reached: Frame = this.#latchedHand;
  #q = new Float64Array(0);
  #scaling = 1;

  constructor(options: ToolLeadOptions) {
    this.#options = options;
    this.#tracker = new ToolTracker(options.chain);
    this.#goal = new OrientationGoal({ pitch: 0, yaw: 0, roll: 0 }, options.zero);
  }

  /** Joint positions to which the arm is led, rad; of the lead itself. */
  get goal(): Float64Array {
    return this.#q;
  }

  /** How far the tool moves for the way of the hand. */
  get scaling(): number {
    return this.#scaling;
  }

  /**
   * From now on the tool moves as the hand does from here.
   * @param q where the arm is asked to be, rad
   * @param scaling how far it moves for the way of the hand; it turns as the hand does
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
   * Leads the arm after the hand as far as it can go, in small steps that touch nothing.
   * @param asked where the arm is asked to be at this moment, rad: it may lag behind
   * @param gripper index and wanted position (rad) of the gripper's joint; null for an arm without one
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
    // The joints do not all move at the same share of their speed: what they cut off is looked at as well.
    const contact = this.#options.touches(asked, next);
    if (contact !== null) return contact;
    this.#q.set(next);
    this.#reached = reached;
    return problem;
  }

  /** Where the tool is wanted. */
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

  /** Leads `q` towards a frame of the tool. @returns how far it came, and why no further */
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

/** The frame at `part` (0..1) of the straight way and the even turn from one frame to another. */
function between(a: Frame, b: Frame, part: number): Frame {
  const turn = new Float64Array(3);
  writeRotationVector(multiplyByTranspose(b.rotation, a.rotation), turn);
  const [x, y, z] = turn;
  const angle = Math.hypot(x!, y!, z!) || 1;
  const turned = rotationFromAxisAngle(x! / angle, y! / angle, z! / angle, part * angle);
  const at = (axis: 'x' | 'y' | 'z') => a.position[axis] + part * (b.position[axis] - a.position[axis]);
  return { position: { x: at('x'), y: at('y'), z: at('z') }, rotation: multiplyRotations(turned, a.rotation) };
}
