import type { ArmLink } from '../driver/arm-link.ts';

/** Gravity torques of an arm's model: `out[i]` Nm for joint positions `q` rad. */
export type GravityModel = (q: Float64Array, out: Float64Array) => void;

/** Fixed-point steps by which the droop at a pose and the pose under a droop are told apart; each gains a factor 20. */
const ITERATIONS = 6;

/** By how much an arm's weight bends the position springs of its servos: gravity torque over stiffness. */
export class Droop {
  /** Of the pose that was asked for last, rad. */
  readonly values: Float64Array;
  readonly #gravity: GravityModel;
  readonly #stiffness: Float64Array;
  readonly #link: ArmLink;

  /** @param stiffness of each joint at the reference gain, Nm/rad */
  constructor(gravity: GravityModel, stiffness: Float64Array, link: ArmLink) {
    this.#gravity = gravity;
    this.#stiffness = stiffness;
    this.#link = link;
    this.values = new Float64Array(stiffness.length);
  }

  /** Computes the droop at pose `q`, rad. The owner of a remote arm adds it. */
  at(q: Float64Array): Float64Array {
    const { values } = this;
    if (this.#link.remote) {
      values.fill(0);
      return values;
    }
    this.#gravity(q, values);
    for (let i = 0; i < values.length; i++) values[i] = values[i]! / this.stiffnessOf(i);
    return values;
  }

  /** Writes the setpoints whose droop leads to these goals into `out`, rad. */
  setpointsOf(goals: Float64Array, out: Float64Array): void {
    out.set(goals);
    for (let k = 0; k < ITERATIONS; k++) {
      this.at(out);
      for (let i = 0; i < out.length; i++) out[i] = goals[i]! - this.values[i]!;
    }
  }

  /** Stiffness of a joint's position spring now, Nm/rad. */
  stiffnessOf(index: number): number {
    return this.#stiffness[index]! * this.#link.gain[index]!;
  }
}
