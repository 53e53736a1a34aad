import type { GravityModel } from './droop.ts';
import { type DrivenJoints, FRICTION_SPEED } from './following.ts';

/** What the estimate needs to know of an arm's joints. */
export interface EstimatedJoints extends DrivenJoints {
  readonly gravity: GravityModel;
  /** Largest torque that a joint's servos give, Nm. */
  readonly torqueLimit: Float64Array;
}

/** Rate at which an observer takes what it has been wrong in for a torque, 1/s. Higher ones take the encoder's steps for torques. */
const RATE = 85;
/** A joint that is read no further away may be where it is expected, rad: about half a step of the encoders of servos. */
const HALF_STEP = 0.00077;
/** After a longer gap between two samples nobody knows what has happened meanwhile, s. */
const LONGEST_GAP = 0.05;
/** The equations of the joints are good for steps of this, s. */
const LONGEST_STEP = 0.0015;

/**
 * Estimates the torque that something outside puts on each joint: a contact, a hand, a load that the model does not know. Its
 * bandwidth is 7 Hz (three poles at `RATE`): a step is shown to 60 % after 37 ms.
 * Each joint has an observer with three states: position, velocity, and the torque that explains why it is not where the spring of
 * its servo, its weight, its friction and its inertia would have it. Static friction hides torques up to `friction` of a
 * joint that rests. Inertia of other joints is left out.
 */
export class ExternalTorque {
  /** Nm, positive towards larger angles; 0 while the arm is limp. */
  readonly values: Float64Array;
  readonly #joints: EstimatedJoints;
  readonly #position: Float64Array;
  readonly #velocity: Float64Array;
  readonly #gravity: Float64Array;
  /** Goals that the servos had when it was taken, rad, and whether they are known. */
  readonly #goals: Float64Array;
  #begun = false;
  /** Sample that was taken last, s. */
  #at = 0;

  constructor(joints: EstimatedJoints) {
    const count = joints.stiffness.length;
    this.#joints = joints;
    this.values = new Float64Array(count);
    this.#position = new Float64Array(count);
    this.#velocity = new Float64Array(count);
    this.#gravity = new Float64Array(count);
    this.#goals = new Float64Array(count);
  }

  /** The joints are moved by something that is not known: nothing is estimated. */
  reset(positions: Float64Array): void {
    this.values.fill(0);
    this.#velocity.fill(0);
    this.#begun = false;
    this.#position.set(positions);
  }

  /**
   * One cycle under torque.
   * @param goals that the servos hold since the cycle before, rad @param sent instant at which they were sent, s
   * @param gain stiffness relative to the reference gain
   * @param positions measured, rad @param at instant of the sample, s
   */
  step(goals: Float64Array, sent: number, gain: Float64Array, positions: Float64Array, at: number): void {
    const gap = at - this.#at;
    if (gap <= 0) return;
    if (gap > LONGEST_GAP || !this.#begun) {
      this.#at = at;
      this.reset(positions);
      this.#goals.set(goals);
      this.#begun = true;
      return;
    }
    const { values } = this;
    const { gravity, inertia } = this.#joints;
    gravity(positions, this.#gravity);
    const steps = Math.ceil(gap / LONGEST_STEP);
    const kept = Math.exp(-RATE * gap);
    const lost = 1 - kept;
    // Until they were sent the servos had those of the cycle before.
    const older = Math.min(Math.max((sent - this.#at) / gap, 0), 1);
    this.#at = at;
    for (let i = 0; i < goals.length; i++) {
      this.#expect(i, goals[i]! + older * (this.#goals[i]! - goals[i]!), gain[i]!, gap / steps, steps);
      const read = positions[i]! - this.#position[i]!;
      const away = Math.sign(read) * Math.max(0, Math.abs(read) - HALF_STEP);
      if (!Number.isFinite(away)) {
        this.#position[i] = positions[i]!;
        this.#velocity[i] = 0;
        values[i] = 0;
        continue;
      }
      // A critically damped filter of third order, at any period.
      this.#position[i] = this.#position[i]! + (1 - kept ** 3) * away;
      this.#velocity[i] = this.#velocity[i]! + (1.5 * (1 - kept * kept) * lost * away) / gap;
      values[i] = values[i]! + (inertia[i]! * lost ** 3 * away) / (gap * gap);
    }
    this.#goals.set(goals);
  }

  /** Moves what is expected of a joint on by `steps` times `dt`, s. */
  #expect(i: number, goal: number, gain: number, dt: number, steps: number): void {
    const { stiffness, damping, friction, inertia, torqueLimit } = this.#joints;
    const stiff = stiffness[i]! * gain;
    const most = torqueLimit[i]!;
    const outside = this.values[i]! - this.#gravity[i]!;
    let position = this.#position[i]!;
    let speed = this.#velocity[i]!;
    for (let k = 0; k < steps; k++) {
      const spring = Math.min(Math.max(stiff * (goal - position), -most), most);
      const drag = damping[i]! * speed + friction[i]! * Math.tanh(speed / FRICTION_SPEED);
      speed += ((spring + outside - drag) / inertia[i]!) * dt;
      position += speed * dt;
    }
    this.#position[i] = position;
    this.#velocity[i] = speed;
  }
}
