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
 * The only way to a servo. Each cycle it takes the goal positions somebody wants and gives the ones that are sent:
 * inside the position limits, and reached from the last ones within velocity and acceleration limits. A target within
 * the limits passes unchanged; a jump becomes a time-optimal approach, which overshoots by at most an eighth of
 * acceleration times cycle squared (2e-5 rad at 6 rad/s^2 and 200 Hz); a value that is no number holds the joint. Allocates nothing, throws nothing.
 */
export class Gate {
  /** Goal positions that were let through last, rad. */
  readonly goals: Float64Array;
  /** Their velocities, rad/s. */
  readonly velocities: Float64Array;
  /** How these have changed in the last cycle, rad/s^2. */
  readonly accelerations: Float64Array;
  /** Largest speeds at present, rad/s: those of the limits, or a part of them. */
  readonly speeds: Readonly<Record<LimitSet, Float64Array>>;
  /** Largest accelerations at present with which a joint gains speed, rad/s^2. It always brakes with those of the limits. */
  readonly #gaining: Readonly<Record<LimitSet, Float64Array>>;
  readonly #limits: GateLimits;
  /** Position limits that hold now, rad: those of the arm, or of its servos where these are narrower. */
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly #lastTarget: Float64Array;
  readonly #stopRate: Float64Array;
  /** Goals that the servos were sent last, rad. */
  readonly #sent: Float64Array;
  /** What stiffer or softer springs still ask of the goals, which the bound has kept back, rad. */
  readonly #owed: Float64Array;
  /** 1 for each joint whose last target tells how fast the next one moves. */
  readonly #tracking: Uint8Array;
  /** Where the hand is taken to be while the arm floats, rad. */
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
   * Begins at `goals` (rad) at rest: what the servos hold already, or the pose they are to be held at. A goal that is no
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

  /** Bounds what has become of the goals in this cycle, whoever has moved them: no step is larger than mirroring may make. */
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
   * The goals of this cycle have left, but for those of some joints, which stay at rest where they were sent last: a servo
   * that is sent goals again goes on from there within the limits, however far its arm has come meanwhile.
   * @param withheld see `ArmLink`; a lost servo's joint goes on as planned: its goals move nothing
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
   * From here on a set allows this part of its speeds, 0..1. A joint that is quicker slows down within its acceleration.
   * @param only 1 for each joint that is meant; left out: all
   * @param top and no joint is quicker than this, rad/s
   */
  limitSpeeds(set: LimitSet, part: number, only?: Uint8Array, top = Number.POSITIVE_INFINITY): void {
    const speeds = this.speeds[set];
    const most = this.#limits.velocity[set];
    for (let i = 0; i < speeds.length; i++) {
      if (only === undefined || only[i] === 1) speeds[i] = Math.min(most[i]! * part, top);
    }
  }

  /**
   * From here on joints gain speed with this part of the accelerations of a set, 0..1. They brake as before.
   * @param only 1 for each joint that is meant; left out: all
   */
  limitAccelerations(set: LimitSet, part: number, only?: Uint8Array): void {
    const gaining = this.#gaining[set];
    const most = this.#limits.acceleration[set];
    for (let i = 0; i < gaining.length; i++) if (only === undefined || only[i] === 1) gaining[i] = most[i]! * part;
  }

  /**
   * A new source drives from here.
   * @param continues its first target goes on from the present goals; otherwise it says nothing about its velocity
   * @param only 1 for each joint that is meant; left out: all
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
   * Lets goals through towards `targets` (rad).
   * @param dt time since the last cycle, s
   * @param only 1 for each joint that is meant; left out: all
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
      // What is left after following the target's own velocity is closed no faster than it can be braked away in whole
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
   * @param only 1 for each joint that is meant; left out: all
   * @param room that a goal may take for it, rad by joint, as it is in the first cycle; left out: any
   * @returns true once all of them rest
   */
  brake(set: LimitSet, dt: number, only?: Uint8Array, room?: Float64Array): boolean {
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
      const change = this.#stopRate[i]! * dt;
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
   * Draws the goals of joints that stay behind them to where these joints can come to rest, at no more than the largest speed
   * for mirroring. A goal that is ahead of its joint moves nothing by coming back to it.
   * @param targets rad @param only 1 for each joint that is meant
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
   * Lets the arm float: the goals keep the given distances from the measured positions, so that the torque of the servos'
   * position springs is what is asked, and no more than that of `reach`. They follow the hand at no more
   * than the largest speed for mirroring, also when it is quicker (`bound`): it meets a spring. Beyond a position limit the springs push back.
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
   * Takes distances from the goals, as fast as `bound` lets them move, and no further than `reach` from the measured positions.
   * @param aims is given the goals that they come to, rad
   * @returns false where there is nothing to be taken
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
   * The stiffness of the servos' position springs changes: goals move so that the springs' torques stay, as fast as `bound`
   * lets them.
   * @param positions measured, rad
   * @param ratio old stiffness over new one, by joint
   * @param aims is given the goals that they come to, rad
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
 * Largest change of a joint's speed in one cycle, rad/s: it brakes with one acceleration and gains speed with another.
 * @param away its speed against the change, rad/s: what is to be braked away first; negative when it gains speed
 * @param gaining rad/s^2
 * @param braking rad/s^2
 * @param dt s
 */
export function largestChange(away: number, gaining: number, braking: number, dt: number): number {
  if (away >= braking * dt) return braking * dt;
  return away <= 0 ? gaining * dt : away + gaining * (dt - away / braking);
}
