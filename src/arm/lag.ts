import { straggling } from '../rt/joint/straggler.ts';
import type { Arm } from './arm.ts';

/** A joint this far from its goal for this long is held back by something; rad and s. */
const BEHIND = 0.15;
const BEHIND_TIME = 0.5;
/** A goal this far beyond a joint's position limit is reported, rad. */
const BEYOND = 0.03;
/** Overload bit, the same in the alarms of both servo families. */
const OVERLOAD = 32;
const HEAT = 4;

/**
 * Finds out why a joint of an arm that follows a leader, a stream or a policy lags behind: unlike a move, which fails,
 * following goes on.
 */
export class Lag {
  readonly #since: Float64Array;

  constructor(joints: number) {
    this.#since = new Float64Array(joints).fill(Number.POSITIVE_INFINITY);
  }

  /** The arm does not follow: what was seen of it counts no more. */
  forget(): void {
    this.#since.fill(Number.POSITIVE_INFINITY);
  }

  /**
   * Examines the arm's newest snapshot.
   * @param now monotonic time, s
   * @returns why the arm lags, naming its joint; empty when it does not
   */
  look(arm: Arm, now: number): string {
    const { setpoints, goals, positions, velocities, efforts, alarms, servoLower, servoUpper } = arm.read();
    let reason = '';
    for (const [i, joint] of arm.model.joints.entries()) {
      const name = `${joint.name} of ${arm.name}`;
      const wanted = setpoints[i]!;
      const lower = Math.max(joint.lower, servoLower[i]!);
      const upper = Math.min(joint.upper, servoUpper[i]!);
      const inside = Math.min(Math.max(wanted, lower), upper);
      const away = Math.abs(inside - positions[i]!) > BEHIND;
      this.#since[i] = away ? Math.min(this.#since[i]!, now) : Number.POSITIVE_INFINITY;
      if ((alarms[i]! & OVERLOAD) !== 0) return `${name} is overloaded: take the load off it`;
      if ((alarms[i]! & HEAT) !== 0) return `${name} is too hot: lower the arm and let it cool`;
      if (reason !== '') continue;
      if (now - this.#since[i]! > BEHIND_TIME) {
        const { stiffness, torqueLimit } = joint;
        // The owner of a remote arm may tell no efforts.
        reason = Number.isNaN(efforts[i]!)
          ? `${name} does not follow its goals: something holds it back, or its servo is at fault`
          : straggling(name, {
              alarm: alarms[i] !== 0,
              takes: true,
              effort: efforts[i]!,
              torqueLimit,
              weight: stiffness * (goals[i]! - wanted),
              pull: stiffness * (inside - positions[i]!),
              velocity: velocities[i]!,
            });
      } else if (Math.abs(wanted - inside) > BEYOND) {
        const own = inside > joint.lower && inside < joint.upper;
        reason = own
          ? `${name} is at the position limit of its servo: calibrate the arm to set it anew (arm-bridge calibrate)`
          : `${name} is at its limit`;
      }
    }
    return reason;
  }
}
