import type { ArmLink } from '../driver/arm-link.ts';
import type { Gate } from './gate.ts';
import { STILL, type StallLimits } from './stall-guard.ts';

/** Measurements that are older than this say nothing of what a joint presses on, s. */
const FRESH = 0.25;

/**
 * Lets joints of an arm that rests give way where they press on something: the goal of one that has pressed without moving
 * is brought to where its servo presses with the holding torque beyond what carries the arm, and stays there.
 *
 * What the model says of the arm's weight is no pressing; a weight that it does not know of may pass for it. Therefore a
 * joint gives way once only until something drives the arm again, so that such a weight sinks by no more than the torque
 * given up over the stiffness.
 */
export class ContactRelief {
  /** 1 for each joint that gives way, or has. */
  readonly joints: Uint8Array;
  /** Where the goals of these joints are to go, rad. */
  readonly targets: Float64Array;
  /** Some joint gives way, or has. */
  active = false;
  readonly #limits: readonly (StallLimits | null)[];
  /** 1 or -1: to which side each of these joints pressed. */
  readonly #side: Float64Array;
  /** When each joint began to press, s; -1: it does not. */
  readonly #since: Float64Array;

  /** @param limits when joints give way; null: never */
  constructor(limits: readonly (StallLimits | null)[]) {
    this.#limits = limits;
    this.joints = new Uint8Array(limits.length);
    this.targets = new Float64Array(limits.length);
    this.#side = new Float64Array(limits.length);
    this.#since = new Float64Array(limits.length).fill(-1);
  }

  /** Something else moves the goals from here on. */
  reset(): void {
    this.active = false;
    this.joints.fill(0);
    this.#since.fill(-1);
  }

  /** Whether some servo is loaded so much that its joint may press on something; most of the time none is. */
  mayPress(efforts: Float64Array): boolean {
    for (let i = 0; i < efforts.length; i++) {
      const limits = this.#limits[i]!;
      if (limits !== null && this.joints[i] === 0 && Math.abs(efforts[i]!) > limits.torque) return true;
    }
    this.#since.fill(-1);
    return false;
  }

  /**
   * Looks at an arm that nothing drives and that may press on something.
   * @param droop what the arm's weight bends each spring by where the joints are, rad
   * @param stiffness of the position springs at the reference gain, Nm/rad
   * @param now monotonic time, s
   * @returns the joint that gives way from now on; -1 for none
   */
  look(gate: Gate, link: ArmLink, droop: Float64Array, stiffness: Float64Array, now: number): number {
    const fresh = now - link.readings.steerTime <= FRESH && now - link.readings.detailTime <= FRESH;
    for (let i = 0; i < this.#limits.length; i++) {
      const limits = this.#limits[i]!;
      if (limits === null || this.joints[i] === 1) continue;
      const spring = stiffness[i]! * link.gain[i]!;
      const held = link.readings.positions[i]! + droop[i]!;
      const press = spring * (gate.goals[i]! - held);
      // The servo has to say so too: it may give less than its spring asks for.
      const pressing =
        fresh &&
        gate.velocities[i] === 0 &&
        link.withheld[i] === 0 &&
        Math.min(Math.abs(press), Math.abs(link.readings.efforts[i]!)) > limits.torque &&
        Math.abs(link.readings.velocities[i]!) < STILL;
      if (!pressing) this.#since[i] = -1;
      else if (this.#since[i]! < 0) this.#since[i] = now;
      else if (now - this.#since[i]! > limits.time) {
        this.#side[i] = Math.sign(press);
        this.targets[i] = held + (Math.sign(press) * limits.hold) / spring;
        this.joints[i] = 1;
        this.active = true;
        return i;
      }
    }
    return -1;
  }

  /** Whether the goal of some joint is still on its way to where the joint gives way to. */
  yields(gate: Gate): boolean {
    if (!this.active) return false;
    for (let i = 0; i < this.joints.length; i++) {
      if (this.joints[i] === 1 && gate.goals[i] !== this.targets[i]) return true;
    }
    return false;
  }

  /**
   * One cycle of joints that give way. One that comes free meanwhile, since a hand lets go or the goals were held up on a bad
   * line, has come to its goal: what is left of the way would lead it on, so its goal goes no further than it still presses.
   * @param droop what the arm's weight bends each spring by where the joints are, rad
   * @param stiffness of the position springs at the reference gain, Nm/rad
   */
  heed(gate: Gate, link: ArmLink, droop: Float64Array, stiffness: Float64Array): void {
    for (let i = 0; i < this.joints.length; i++) {
      if (this.joints[i] === 0) continue;
      const side = this.#side[i]!;
      const held = link.readings.positions[i]! + droop[i]!;
      const pressing = held + (side * this.#limits[i]!.hold) / (stiffness[i]! * link.gain[i]!);
      // By side, the nearer to the goal of where it was to give way to and where it still presses with that torque.
      const least = Math.min(side * pressing, side * gate.goals[i]!);
      this.targets[i] = side * Math.max(side * this.targets[i]!, least);
    }
  }
}
