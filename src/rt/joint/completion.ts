import { isFloating, type SetpointSource } from '../sources/setpoint-source.ts';
import type { DriveParts } from './group-drive.ts';
import type { Joints } from './joint-groups.ts';
import { straggling } from './straggler.ts';

/** A joint that ends a motion further than this from its setpoint is done only if its servo holds the goal, rad. */
const SHORT = 0.02;
/** A servo that does not hold a motion's final goal after this time (many readings) does not take goals, s. */
const TAKING = 0.1;
/** A joint's droop changes no faster than this while only other joints move, rad/s. */
const DROOP_SPEED = 0.02;

/** Finds out whether joints have done what their motion asked for: it has ended, goes on, or has failed. */
export class Completion {
  readonly #parts: DriveParts;
  /** Since when proof is needed that a servo holds its joint's final goal, which rests, s; 0: not needed, infinite: proven. */
  readonly #unproven: Float64Array;

  constructor(parts: DriveParts) {
    this.#parts = parts;
    this.#unproven = new Float64Array(parts.setpoints.length);
  }

  /** The motion of these joints begins or goes on: nothing has to be proven. */
  forget(mask: Uint8Array): void {
    for (let i = 0; i < mask.length; i++) if (mask[i] === 1) this.#unproven[i] = 0;
  }

  /**
   * True once the gate has let the final setpoints of these joints through, and every joint that ended short of its
   * setpoint has a servo that holds its goal: something else blocks it.
   * @param beside other joints may still move, which changes the droop of these @param now monotonic, s
   */
  look(mask: Uint8Array, beside: boolean, now: number): boolean {
    const { link } = this.#parts;
    let completed = true;
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0) continue;
      if (!this.#rests(i, beside)) {
        // A servo is late to take a goal that moves, such as one that is drawn back: only a resting one can be proven.
        this.#unproven[i] = 0;
        completed = false;
      } else if (!link.remote && !this.#proven(i, now)) {
        link.probe();
        completed = false;
      }
    }
    return completed;
  }

  /**
   * Why one of these joints does not follow its source, so that the motion has failed; empty while all follow.
   * @param now monotonic, s
   */
  straggler(source: SetpointSource, joints: Joints, now: number): string {
    const { link, following, model, droop, setpoints } = this.#parts;
    if (link.remote || link.arming || isFloating(source)) return '';
    const watched = source.limits === 'move' && link.gains?.stiffening !== true;
    const { joints: names, masks, stall, torqueLimit } = model;
    const mask = masks[joints];
    const { readings } = link;
    for (let i = 0; i < mask.length; i++) {
      if (mask[i] === 0 || link.withheld[i] !== 0) continue;
      const deaf = this.#unproven[i] !== 0 && now - this.#unproven[i]! > TAKING;
      if (!deaf) {
        // A gripper that something holds back is not at fault.
        if (!watched || stall[i] !== null || !following.isSuspect(i)) continue;
        link.probe();
        if (!following.isBehind(i)) continue;
      }
      const stiffness = droop.stiffnessOf(i);
      return straggling(names[i]!, {
        alarm: readings.alarms[i] !== 0,
        takes: !deaf && link.takesGoals(i, false),
        effort: readings.efforts[i]!,
        torqueLimit: torqueLimit[i]!,
        weight: stiffness * droop.values[i]!,
        pull: stiffness * (setpoints[i]! - readings.positions[i]!),
        velocity: following.velocities[i]!,
      });
    }
    return '';
  }

  /** True unless a resting joint ended short of its setpoint and its servo is not yet known to hold its goal. */
  #proven(joint: number, now: number): boolean {
    const { link, setpoints } = this.#parts;
    const distance = Math.abs(setpoints[joint]! - link.readings.positions[joint]!);
    if (link.withheld[joint] !== 0 || !(distance > SHORT)) {
      this.#unproven[joint] = 0;
      return true;
    }
    const asked = this.#unproven[joint] !== 0;
    if (asked && link.takesGoals(joint, true)) {
      this.#unproven[joint] = Number.POSITIVE_INFINITY;
      return true;
    }
    if (!asked) this.#unproven[joint] = now;
    return false;
  }

  /** True when the gate has let a joint's final setpoint through. @param beside as in `look` */
  #rests(joint: number, beside: boolean): boolean {
    const { gate, targets } = this.#parts;
    const speed = Math.abs(gate.velocities[joint]!);
    if (speed <= 1e-6) return true;
    return beside && speed <= DROOP_SPEED && Math.abs(gate.goals[joint]! - targets[joint]!) <= 1e-6;
  }
}
