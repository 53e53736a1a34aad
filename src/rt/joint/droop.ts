import type { ArmLink } from '../driver/arm-link.ts';

/** Gravity torques of an arm's model: `out[i]` Nm for joint positions `q` rad. */
export type GravityModel = (q: Float64Array, out: Float64Array) => void;

/** Fixed-point iterations that find the setpoints for given goals; each reduces the error by a factor of 20. */
const ITERATIONS = 6;

/** Deflection of the servos' position springs under the arm's weight: gravity torque over stiffness. */
export class Droop {
  /** Droop at the pose of the last call of `at`, rad. */
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

  /** Computes the droop at pose `q`, rad; 0 for a remote arm, whose owner adds it. */
  at(q: Float64Array): Float64Array {
    this.write(q, this.values);
    return this.values;
  }

  /** Writes the droop at pose `q` into `out`, rad, and leaves `values` as they are. */
  write(q: Float64Array, out: Float64Array): void {
    if (this.#link.remote) {
      out.fill(0);
      return;
    }
    this.#gravity(q, out);
    for (let i = 0; i < out.length; i++) out[i] = out[i]! / this.stiffnessOf(i);
  }

  /** Writes into `out` the setpoints that give these goals when their droop is added, rad. */
  setpointsOf(goals: Float64Array, out: Float64Array): void {
    out.set(goals);
    for (let k = 0; k < ITERATIONS; k++) {
      this.at(out);
      for (let i = 0; i < out.length; i++) out[i] = goals[i]! - this.values[i]!;
    }
  }

  /** Present stiffness of a joint's position spring, Nm/rad. */
  stiffnessOf(index: number): number {
    return this.#stiffness[index]! * this.#link.gain[index]!;
  }
}
