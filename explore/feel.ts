/** What a floating arm does to the hand that holds it, by what its motors do (docs/teleoperation.md, "The leader feels the follower"). */
import type { ArmModel } from '../src/arm/model.ts';

/** No joint of an arm that floats pushes with more than this part of its torque limit. */
const CAP = 0.5;
/** It may push so much more, Nm: encoders have steps. */
const MORE = 0.08;
/** What a joint pushes with is as late as this, s: its goal stands off where it was. */
const LAG = 0.03;
/** Longest that it pushes with too much, s: a reading may be lost. */
const LONGEST = 0.1;
/** An arm that a hand has bent, or outrun, lets go of it within this time once it floats, s: goals travel at 3 rad/s. */
const LETS_GO = 0.6;
/** What a leader feels is gone so long after nothing is to be felt any more, s: it fades in 0.1 s, and cycles are late. */
const GONE = 0.2;
/** So near to the end of its range a joint is pushed back, rad. */
const END = 0.06;
/** Counts by which a soft gain may be rounded. */
const ROUNDED = 1;

/** One joint, as it is looked at. */
export interface FeltJoint {
  readonly position: number;
  readonly velocity: number;
  /** Of the motors, and what it takes to carry the joint, Nm. */
  readonly motor: number;
  readonly weight: number;
  /** Position gain of its servo, counts. */
  readonly gain: number;
}

/** What is known of the arm at a look. */
export interface FeltArm {
  /** The bridge says that it floats: then no joint may push with more than its cap, whatever its gains are. */
  readonly saysFloating: boolean;
  /** Nothing was asked of it but to float, and to hold where it is. */
  readonly floats: boolean;
  readonly holds: boolean;
  /** Its servos hear, tell and do what they should. */
  readonly sound: boolean;
}

/** How the motors of one arm push its hand. */
export class FeltForce {
  readonly #model: ArmModel;
  /** Largest gain that each joint has been seen with, counts: that without floating. */
  readonly #usual: Float64Array;
  /** Since when each joint pushes with too much, and with what it is not to feel any more, s; NaN while it does not. */
  readonly #over: Float64Array;
  readonly #left: Float64Array;
  /** When each joint was to feel something last, s. */
  readonly #felt: Float64Array;
  /** What each joint pushed with when it held last, Nm, and when that was, s. */
  readonly #held: Float64Array;
  readonly #heldAt: Float64Array;
  /** Where each joint has been since, rad. */
  readonly #least: Float64Array;
  readonly #most: Float64Array;
  /** 1 for each joint of which it is not yet known whether what it felt has gone. */
  readonly #open: Uint8Array;

  constructor(model: ArmModel) {
    const joints = model.joints.length;
    this.#model = model;
    this.#usual = new Float64Array(joints);
    this.#over = new Float64Array(joints).fill(Number.NaN);
    this.#left = new Float64Array(joints).fill(Number.NaN);
    this.#felt = new Float64Array(joints).fill(Number.NEGATIVE_INFINITY);
    this.#held = new Float64Array(joints);
    this.#heldAt = new Float64Array(joints).fill(Number.NEGATIVE_INFINITY);
    this.#least = new Float64Array(joints);
    this.#most = new Float64Array(joints);
    this.#open = new Uint8Array(joints);
  }

  /**
   * Looks at a joint.
   * @param on it has torque @param feels it may feel a follower now
   * @returns what is wrong, for people; empty for nothing
   */
  look(j: number, now: number, joint: FeltJoint, on: boolean, feels: boolean, arm: FeltArm): string {
    const { position, velocity, motor, weight, gain } = joint;
    const { stiffness, torqueLimit, lower, upper, mirror } = this.#model.joints[j]!;
    this.#usual[j] = Math.max(this.#usual[j]!, gain);
    const usual = this.#usual[j]!;
    const soft = gain <= usual * this.#model.gravity.softGain + ROUNDED;
    // Whatever ends its pair, an arm that floats no longer has nothing to feel with.
    const feeling = feels && (arm.saysFloating || soft);
    if (feeling || !arm.sound) {
      this.#felt[j] = now;
      this.#open[j] = feeling && arm.sound ? 1 : 0;
      this.#least[j] = position;
      this.#most[j] = position;
    }
    this.#least[j] = Math.min(this.#least[j]!, position);
    this.#most[j] = Math.max(this.#most[j]!, position);
    if (!on || !arm.sound) {
      // What a hand has bent meanwhile goes on when the arm is heard again.
      this.#held[j] = Math.abs(motor);
      this.#heldAt[j] = now;
      this.#over[j] = Number.NaN;
      this.#left[j] = Number.NaN;
      return '';
    }
    const stiff = (stiffness * gain) / usual;
    const may = MORE + stiff * LAG * Math.abs(velocity);
    const floats = arm.saysFloating || (soft && arm.floats);
    // Goals do not keep up with a hand that is faster than they may be.
    if (!floats || Math.abs(velocity) > mirror.velocity) {
      this.#held[j] = Math.abs(motor);
      this.#heldAt[j] = now;
    }
    const letsGo = now - this.#heldAt[j]! <= LETS_GO ? this.#held[j]! : 0;
    const over = Math.abs(motor) - Math.max(CAP * torqueLimit, letsGo) - may;
    if (lasts(this.#over, j, floats && over > 0, now))
      return `pushes with ${Math.abs(motor).toFixed(2)} Nm while it floats`;
    if (now - this.#felt[j]! <= GONE) return '';
    // It carries its weight, or a part of it.
    const push = Math.max(motor - Math.max(weight, 0), Math.min(weight, 0) - motor);
    const inside = position > lower + END && position < upper - END;
    const left = lasts(this.#left, j, soft && arm.floats && inside && push > Math.max(may, letsGo), now);
    const open = this.#open[j] === 1;
    this.#open[j] = 0;
    // A joint that holds again is pushed by the hand that moves it.
    const held = open && !soft && arm.holds && inside && push > may + stiff * (this.#most[j]! - this.#least[j]!);
    return left || held ? `pushes with ${push.toFixed(2)} Nm beyond its weight, and there is nothing to be felt` : '';
  }
}

/** Whether something has lasted for too long. @param since when it began, NaN for not; it begins anew once that has been told */
function lasts(since: Float64Array, j: number, is: boolean, now: number): boolean {
  if (!is) since[j] = Number.NaN;
  else if (!(since[j]! <= now)) since[j] = now;
  if (!is || now - since[j]! <= LONGEST) return false;
  since[j] = Number.NaN;
  return true;
}
