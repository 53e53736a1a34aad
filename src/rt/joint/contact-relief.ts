import type { ArmLink } from '../driver/arm-link.ts';
import type { Gate } from './gate.ts';
import { STILL, type StallLimits } from './stall-guard.ts';

/** Older measurements are not used to detect contact, s. */
const FRESH = 0.25;

/**
 * Lets joints of a resting arm give way where they press on something: after a joint has pressed without moving, its
 * goal moves to where its servo presses with the holding torque beyond what carries the arm, and stays there.
 *
 * The arm's weight in the model does not count as pressing, but an unknown weight may be mistaken for it. Therefore a
 * joint gives way only once until something drives the arm again, so that an unknown weight sinks by no more than the
 * torque given up over the stiffness.
 */
export class ContactRelief {
  /** 1 for each joint that gives way or has given way. */
  readonly joints: Uint8Array;
  /** Positions that the goals of these joints move to, rad. */
  readonly targets: Float64Array;
  readonly #limits: readonly (StallLimits | null)[];
  /** Direction in which each of these joints pressed, 1 or -1. */
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

  /** Something else moves the goals from now on. */
  reset(): void {
    this.joints.fill(0);
    this.#since.fill(-1);
  }

  /** Cheap test, rarely true: whether some servo's load is high enough that its joint may press on something. */
  mayPress(efforts: Float64Array): boolean {
    for (let i = 0; i < efforts.length; i++) {
      const limits = this.#limits[i]!;
      if (limits !== null && this.joints[i] === 0 && Math.abs(efforts[i]!) > limits.torque) return true;
    }
    this.#since.fill(-1);
    return false;
  }

  /**
   * Checks an arm without a source that may press on something.
   * @param droop deflection of each spring under the arm's weight at the measured positions, rad
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
      // The measured load must confirm it, because a servo may give less torque than its spring predicts.
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
        this.targets[i] = held + (this.#side[i]! * limits.hold) / spring;
        this.joints[i] = 1;
        return i;
      }
    }
    return -1;
  }

  /** Whether the goal of some joint that gives way is still on its way to its target. */
  yields(gate: Gate): boolean {
    for (let i = 0; i < this.joints.length; i++) {
      if (this.joints[i] === 1 && gate.goals[i] !== this.targets[i]) return true;
    }
    return false;
  }

  /**
   * One cycle of joints that give way. A joint may come free meanwhile, because a hand lets go or a bad line held up
   * the goals. It has then reached its goal, and the rest of the way would drag it along. So its goal goes back no
   * further than to where the joint still presses.
   * @param droop deflection of each spring under the arm's weight at the measured positions, rad
   * @param stiffness of the position springs at the reference gain, Nm/rad
   */
  heed(gate: Gate, link: ArmLink, droop: Float64Array, stiffness: Float64Array): void {
    for (let i = 0; i < this.joints.length; i++) {
      const limits = this.#limits[i]!;
      if (limits === null || this.joints[i] === 0) continue;
      const side = this.#side[i]!;
      const held = link.readings.positions[i]! + droop[i]!;
      const pressing = held + (side * limits.hold) / (stiffness[i]! * link.gain[i]!);
      // In the pressing direction: of the target and the position that still presses, the one nearer to the goal.
      const least = Math.min(side * pressing, side * gate.goals[i]!);
      this.targets[i] = side * Math.max(side * this.targets[i]!, least);
    }
  }
}
