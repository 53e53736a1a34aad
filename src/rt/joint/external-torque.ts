import type { GravityModel } from './droop.ts';
import { type DrivenJoints, FRICTION_SPEED } from './following.ts';

/** Joint data that the estimate needs. */
export interface EstimatedJoints extends DrivenJoints {
  readonly gravity: GravityModel;
  /** Largest torque that a joint's servos give, Nm. */
  readonly torqueLimit: Float64Array;
}

/** Rate at which an observer turns prediction errors into torque, 1/s. Higher ones take encoder steps for torques. */
const RATE = 85;
/** Deviations up to this count as none, rad: about half a step of a servo's encoder. */
const HALF_STEP = 0.00077;
/** After a longer gap between two samples the observers restart, s: what happened meanwhile is unknown. */
const LONGEST_GAP = 0.05;
/** Largest integration step of the joint equations, s. */
const LONGEST_STEP = 0.0015;

/**
 * Estimates the external torque on each joint: a contact, a hand, a load that the model does not know. The bandwidth is
 * 7 Hz (three poles at `RATE`): the estimate of a step reaches 60 % after 37 ms. Each joint has an observer with three
 * states: position, velocity, and the torque that explains its deviation from what servo spring, weight, friction and
 * inertia predict. On a resting joint, static friction hides torques up to `friction`. The inertia of other joints is
 * neglected.
 */
export class ExternalTorque {
  /** Nm, positive towards larger angles; 0 while the arm is limp. */
  readonly values: Float64Array;
  readonly #joints: EstimatedJoints;
  readonly #position: Float64Array;
  readonly #velocity: Float64Array;
  readonly #gravity: Float64Array;
  /** Goals that the servos held at the last sample, rad, and whether they are known. */
  readonly #goals: Float64Array;
  #begun = false;
  /** Time of the last sample, s. */
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

  /** Something unknown moves the joints: the estimate restarts at 0. */
  reset(positions: Float64Array): void {
    this.values.fill(0);
    this.#velocity.fill(0);
    this.#begun = false;
    this.#position.set(positions);
  }

  /**
   * One cycle under torque.
   * @param goals held by the servos since the previous cycle, rad @param sent when they were sent, s
   * @param gain stiffness relative to the reference gain
   * @param positions measured, rad @param at time of the sample, s
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
    // Until `sent`, the servos held the goals of the previous cycle.
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

  /** Advances the prediction of a joint by `steps` steps of `dt`, s. */
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
