import type { LimitSet } from '../sources/setpoint-source.ts';

/** Limits of one arm, one element per joint. */
export interface GateLimits {
  /** Position limits of the URDF, rad. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** rad/s */
  readonly velocity: Readonly<Record<LimitSet, Float64Array>>;
  /** rad/s^2 */
  readonly acceleration: Readonly<Record<LimitSet, Float64Array>>;
}

/** A stop from any speed takes no longer than this, s. */
export const STOP_TIME = 0.25;

/**
 * The only way to a servo. Each cycle it turns wanted goal positions into the goals to send: inside the position
 * limits, and reached from the last goals within velocity and acceleration limits. A target within the limits passes
 * unchanged; a jump becomes a time-optimal approach, which overshoots by at most an eighth of acceleration times cycle
 * squared (2e-5 rad at 6 rad/s^2 and 200 Hz); a value that is not a number holds the joint. Allocates nothing, throws
 * nothing.
 */
export class Gate {
  /** Goal positions passed last, rad. */
  readonly goals: Float64Array;
  /** Their velocities, rad/s. */
  readonly velocities: Float64Array;
  /** Their accelerations in the last cycle, rad/s^2. */
  readonly accelerations: Float64Array;
  /** Present largest speeds, rad/s: the full limits or a part of them. */
  readonly speeds: Readonly<Record<LimitSet, Float64Array>>;
  /** Present largest accelerations for gaining speed, rad/s^2. Braking always uses the full limits. */
  readonly #gaining: Readonly<Record<LimitSet, Float64Array>>;
  readonly #limits: GateLimits;
  /** Position limits in force, rad: the narrower of the arm's and its servos' limits. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly #lastTarget: Float64Array;
  readonly #stopRate: Float64Array;
  /** Goals last sent to the servos, rad. */
  readonly #sent: Float64Array;
  /** Goal changes from new stiffness or removed feedback that `bound` has held back so far, rad. */
  readonly #owed: Float64Array;
  /** 1 for each joint whose target velocity follows from its last target. */
  readonly #tracking: Uint8Array;
  /** Assumed position of the hand while the arm floats: measured, at limited speed, rad. */
  readonly #base: Float64Array;
  #floating = false;

  constructor(limits: GateLimits) {
    const joints = limits.lower.length;
    this.#limits = limits;
    this.lower = limits.lower.slice();
    this.upper = limits.upper.slice();
    this.goals = new Float64Array(joints);
    this.velocities = new Float64Array(joints);
    this.accelerations = new Float64Array(joints);
    this.speeds = { move: limits.velocity.move.slice(), mirror: limits.velocity.mirror.slice() };
    this.#sent = new Float64Array(joints);
    this.#owed = new Float64Array(joints);
    this.#gaining = { move: limits.acceleration.move.slice(), mirror: limits.acceleration.mirror.slice() };
    this.#lastTarget = new Float64Array(joints);
    this.#stopRate = new Float64Array(joints);
    this.#base = new Float64Array(joints);
    this.#tracking = new Uint8Array(joints);
  }

  /** From now on the arm keeps to the narrower of its own position limits and these, rad. */
  narrow(lower: Float64Array, upper: Float64Array): void {
    for (let i = 0; i < this.lower.length; i++) {
      this.lower[i] = Math.max(this.#limits.lower[i]!, lower[i]!);
      this.upper[i] = Math.min(this.#limits.upper[i]!, upper[i]!);
    }
  }

  /**
   * Starts at rest at `goals` (rad): the goals that the servos hold already, or the pose to hold. A goal that is not a
   * number leaves the present one.
   */
  adopt(goals: Float64Array): void {
    for (let i = 0; i < goals.length; i++) if (Number.isFinite(goals[i]!)) this.goals[i] = goals[i]!;
    this.#sent.set(this.goals);
    this.#owed.fill(0);
    this.velocities.fill(0);
    this.accelerations.fill(0);
    this.#tracking.fill(0);
  }

  /** Bounds this cycle's step of each goal, whatever moved it, to the mirror speed limit; applies `#owed` within it. */
  bound(dt: number): void {
    const fastest = this.#limits.velocity.mirror;
    for (let i = 0; i < this.goals.length; i++) {
      const most = fastest[i]! * dt;
      const last = this.#sent[i]!;
      const owed = this.#owed[i]!;
      const goal = this.goals[i]!;
      this.goals[i] = last + Math.min(Math.max(goal + owed - last, -most), most);
      const paid = this.goals[i]! - goal;
      this.#owed[i] = owed - Math.min(Math.max(paid, Math.min(owed, 0)), Math.max(owed, 0));
    }
  }

  /**
   * This cycle's goals were sent, except those of withheld joints, which stay at rest where they were last sent. When
   * such a servo is sent goals again, it continues from there within the limits, however far the arm has moved
   * meanwhile.
   * @param withheld see `ArmLink`; the goal of a lost servo (2) keeps advancing: nothing moves
   */
  sent(withheld: Uint8Array): void {
    for (let i = 0; i < this.goals.length; i++) {
      if (withheld[i] === 1) {
        this.goals[i] = this.#sent[i]!;
        this.velocities[i] = 0;
        this.accelerations[i] = 0;
      } else this.#sent[i] = this.goals[i]!;
    }
  }

  /**
   * The goals of joints have stood still before this cycle: they go on from this part of their speeds, 0..1, as their joints do.
   * @param only 1 for each joint concerned
   */
  stood(part: number, only: Uint8Array): void {
    for (let i = 0; i < only.length; i++) if (only[i] === 1) this.velocities[i] = this.velocities[i]! * part;
  }

  /**
   * From now on, a limit set allows this part of its speeds, 0..1. A faster joint slows down within its acceleration.
   * @param only 1 for each joint concerned; left out: all
   * @param top speed limit of every joint in addition, rad/s
   */
  limitSpeeds(set: LimitSet, part: number, only?: Uint8Array, top = Number.POSITIVE_INFINITY): void {
    const speeds = this.speeds[set];
    const most = this.#limits.velocity[set];
    for (let i = 0; i < speeds.length; i++) {
      if (only === undefined || only[i] === 1) speeds[i] = Math.min(most[i]! * part, top);
    }
  }

  /**
   * From now on, joints gain speed with this part of a limit set's accelerations, 0..1. They brake as before.
   * @param only 1 for each joint concerned; left out: all
   */
  limitAccelerations(set: LimitSet, part: number, only?: Uint8Array): void {
    const gaining = this.#gaining[set];
    const most = this.#limits.acceleration[set];
    for (let i = 0; i < gaining.length; i++) if (only === undefined || only[i] === 1) gaining[i] = most[i]! * part;
  }

  /**
   * A new source takes over at the present goals.
   * @param continues its first target continues from the present goals; otherwise it implies no velocity
   * @param only 1 for each joint concerned; left out: all
   */
  rearm(continues = false, only?: Uint8Array): void {
    for (let i = 0; i < this.goals.length; i++) {
      if (only !== undefined && only[i] === 0) continue;
      this.#tracking[i] = continues ? 1 : 0;
      this.#lastTarget[i] = this.goals[i]!;
      this.#stopRate[i] = 0;
    }
    this.#floating = false;
  }

  /**
   * Moves the goals towards `targets` (rad) within the limits.
   * @param dt time since the last cycle, s
   * @param only 1 for each joint concerned; left out: all
   */
  step(targets: Float64Array, set: LimitSet, dt: number, only?: Uint8Array): void {
    const { lower, upper } = this;
    const maxVelocity = this.speeds[set];
    const maxAcceleration = this.#limits.acceleration[set];
    const maxGain = this.#gaining[set];
    for (let i = 0; i < this.goals.length; i++) {
      if (only !== undefined && only[i] === 0) continue;
      const owed = this.#owed[i]!;
      const goal = this.goals[i]! + owed;
      const speed = this.velocities[i]!;
      const acceleration = maxAcceleration[i]!;
      const gaining = maxGain[i]!;
      const top = maxVelocity[i]!;
      let target = targets[i]!;
      if (!Number.isFinite(target)) target = this.#tracking[i] === 1 ? this.#lastTarget[i]! : goal;
      target = Math.min(Math.max(target, lower[i]!), upper[i]!);

      let ahead = this.#tracking[i] === 1 ? (target - this.#lastTarget[i]!) / dt : 0;
      ahead = Math.min(Math.max(ahead, -top), top);
      this.#lastTarget[i] = target;
      this.#tracking[i] = 1;
      // The error left after following the target's own velocity is closed no faster than the joint can brake in whole
      // cycles (half a cycle's braking is the discrete-time correction).
      const error = target - goal - ahead * dt;
      const half = (acceleration * dt) / 2;
      const closing = Math.min(
        Math.sqrt(half * half + 2 * acceleration * Math.abs(error)) - half,
        Math.abs(error) / dt,
      );
      let wanted = ahead + (error < 0 ? -closing : closing);
      if (wanted > top) wanted = top;
      else if (wanted < -top) wanted = -top;
      let next = wanted;
      const most = speed + largestChange(-speed, gaining, acceleration, dt);
      const least = speed - largestChange(speed, gaining, acceleration, dt);
      if (next > most) next = most;
      else if (next < least) next = least;
      let position = goal + next * dt;
      // Overshooting a position limit is worse than a short excess of deceleration.
      if (position > upper[i]! && next > 0) {
        position = Math.max(upper[i]!, goal);
        next = (position - goal) / dt;
      } else if (position < lower[i]! && next < 0) {
        position = Math.min(lower[i]!, goal);
        next = (position - goal) / dt;
      }
      this.goals[i] = position - owed;
      this.velocities[i] = next;
      this.accelerations[i] = (next - speed) / dt;
    }
  }

  /**
   * Decelerates every joint to rest within `STOP_TIME` (or at its acceleration limit where that is quicker) and holds.
   * @param only 1 for each joint concerned; left out: all
   * @param room stopping distance of each goal, rad, as of the first cycle; left out: unlimited
   * @param elapsed true time since the last cycle, s: after a late one the goals have stood still, and stop all the sooner
   * @returns true once all of them rest
   */
  brake(set: LimitSet, dt: number, only?: Uint8Array, room?: Float64Array, elapsed = dt): boolean {
    const maxAcceleration = this.#limits.acceleration[set];
    let resting = true;
    for (let i = 0; i < this.goals.length; i++) {
      if (only !== undefined && only[i] === 0) continue;
      const speed = this.velocities[i]!;
      this.#tracking[i] = 0;
      if (this.#stopRate[i] === 0) {
        const within = room === undefined ? 0 : speed ** 2 / (2 * room[i]!);
        this.#stopRate[i] = Math.max(maxAcceleration[i]!, Math.abs(speed) / STOP_TIME, within);
      }
      const change = this.#stopRate[i]! * elapsed;
      const next = Math.abs(speed) <= change ? 0 : speed - Math.sign(speed) * change;
      const goal = this.goals[i]! + next * dt;
      this.goals[i] = Math.min(
        Math.max(goal, Math.min(this.lower[i]!, this.goals[i]!)),
        Math.max(this.upper[i]!, this.goals[i]!),
      );
      this.velocities[i] = next;
      this.accelerations[i] = (next - speed) / dt;
      if (next !== 0) resting = false;
      else this.#stopRate[i] = 0;
    }
    return resting;
  }

  /**
   * Draws the goals of lagging joints back to where these joints can come to rest, at most at the mirror speed limit.
   * The goal is ahead of its joint, so drawing it back moves nothing.
   * @param targets rad @param only not 0 for each joint concerned
   */
  draw(targets: Float64Array, only: Uint8Array, dt: number): void {
    const fastest = this.#limits.velocity.mirror;
    for (let i = 0; i < this.goals.length; i++) {
      if (only[i] === 0 || !Number.isFinite(targets[i]!)) continue;
      const most = fastest[i]! * dt;
      this.goals[i] = this.goals[i]! + Math.min(Math.max(targets[i]! - this.goals[i]!, -most), most);
      this.velocities[i] = 0;
      this.#stopRate[i] = 0;
    }
  }

  /**
   * Lets the arm float: the goals keep the given distances from the measured positions, so that the servos' position
   * springs give the wanted torque, at most that of `reach`. The goals follow the hand at most at the mirror speed
   * limit; a faster hand meets a spring (`bound`). Beyond a position limit the springs push back.
   * @param positions measured, rad
   * @param distances goal minus measured position, rad
   * @param reach largest distance by joint, rad
   */
  float(positions: Float64Array, distances: Float64Array, reach: Float64Array, dt: number): void {
    const { lower, upper } = this;
    const fastest = this.#limits.velocity.mirror;
    for (let i = 0; i < this.goals.length; i++) {
      const position = positions[i]!;
      const inside = Math.min(Math.max(position, lower[i]!), upper[i]!);
      if (Number.isFinite(inside)) {
        const base = this.#floating ? this.#base[i]! : inside;
        const most = fastest[i]! * dt;
        this.#base[i] = base + Math.min(Math.max(inside - base, -most), most);
        const wanted = this.#base[i]! + (Number.isFinite(distances[i]!) ? distances[i]! : 0);
        const next = Math.min(Math.max(wanted, position - reach[i]!), position + reach[i]!);
        this.goals[i] = next;
        this.#owed[i] = 0;
      }
      this.velocities[i] = 0;
      this.accelerations[i] = 0;
    }
    this.#floating = true;
    this.#tracking.fill(0);
  }

  /**
   * Subtracts distances from the goals, as fast as `bound` allows, and keeps goals within `reach` of the measured
   * positions.
   * @param aims receives the final goals, rad
   * @returns false if there is nothing to subtract
   */
  shift(distances: Float64Array, positions: Float64Array, reach: Float64Array, aims: Float64Array): boolean {
    let any = false;
    for (let i = 0; i < this.goals.length; i++) {
      const goal = this.goals[i]! + this.#owed[i]!;
      const distance = distances[i]!;
      aims[i] = goal;
      if (distance === 0 || !Number.isFinite(distance + positions[i]!)) continue;
      const least = positions[i]! - reach[i]!;
      aims[i] = Math.min(Math.max(goal - distance, least), positions[i]! + reach[i]!);
      this.#owed[i] = aims[i]! - this.goals[i]!;
      any = true;
    }
    return any;
  }

  /**
   * The stiffness of the servos' position springs changes: the goals move, as fast as `bound` allows, so that the
   * springs keep their torques.
   * @param positions measured, rad
   * @param ratio old stiffness over new one, by joint
   * @param aims receives the final goals, rad
   */
  regain(positions: Float64Array, ratio: Float64Array, aims: Float64Array): void {
    for (let i = 0; i < this.goals.length; i++) {
      const wanted = this.goals[i]! + this.#owed[i]!;
      const goal = positions[i]! + (wanted - positions[i]!) * ratio[i]!;
      if (Number.isFinite(goal)) this.#owed[i] = goal - this.goals[i]!;
      aims[i] = this.goals[i]! + this.#owed[i]!;
    }
  }
}

/**
 * Largest speed change of a joint in one cycle, rad/s, with separate accelerations for braking and for gaining speed.
 * @param away speed against the change, which must be braked away first, rad/s; negative when the joint gains speed
 * @param gaining rad/s^2
 * @param braking rad/s^2
 * @param dt s
 */
export function largestChange(away: number, gaining: number, braking: number, dt: number): number {
  if (away >= braking * dt) return braking * dt;
  return away <= 0 ? gaining * dt : away + gaining * (dt - away / braking);
}
