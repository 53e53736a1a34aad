import type { Following } from './following.ts';
import type { Gate } from './gate.ts';

/** Deceleration assumed for a stop, rad/s^2. */
const BRAKING = 12;
/** A stop draws a moving goal back to a joint that lags it by more: the joint would creep on to it, rad. */
const LAGGING = 0.045;
/** The same for a goal at rest: an unknown load bends a joint by less, and the arm would sag without its goal, rad. */
const SAGGING = 0.08;
/** If the model explains the lag up to this remainder, the joint's drive brakes it by itself, rad. */
const UNEXPLAINED = 0.04;
/** A joint that stays in this band for this time rests, rad and s: servos at rest report plus or minus one step. */
const REST_BAND = 0.004;
const REST_TIME = 0.04;
/** The same for a joint away from where its spring would have it, s: a soft one that swings stays as long where it turns. */
const TURN_TIME = 0.1;
/** Lagging joints are looked for this long after a stop begins, and while goals still decelerate, s. */
const LOOKING = 0.03;
/** Approximate longest way of a joint that is stopped, and least way left to its goal, rad. */
const REACH = 0.25;
const LEAST_ROOM = 0.06;
/** A goal this near to where its joint can stop has met it, rad. */
const NEAR = 0.02;
/** A joint this slow has passed its goal as far as it will, rad/s. */
const TURNING = 0.06;

/** What has become of the goal of a joint that is stopped. */
const Stage = {
  /** The goal brakes by itself. */
  usual: 0,
  /** It is drawn to where its joint can stop. */
  drawn: 1,
  /** Both have met, and the goal stays: a slow joint would push it on forever. */
  met: 2,
  /** The joint has run past it and turns: the goal has gone there, once, or it would swing back. */
  caught: 3,
} as const;

/** The goal by which a joint's spring holds it where it is, rad. */
function heldBy(i: number, positions: Float64Array, droop: Float64Array, following: Following): number {
  return positions[i]! + droop[i]! - following.learned[i]!;
}

/**
 * Brings the joints of an arm to rest, not only their goals: a joint that lags its goal, because something holds it or
 * a register slows it, gets the goal at which it can stop from its present position and speed.
 */
export class ComingToRest {
  /** 1 for each joint of the group. */
  readonly #joints: Uint8Array;
  /** All of them have come to rest since `begin`. */
  resting = false;
  readonly #targets: Float64Array;
  /** `Stage` by joint. */
  readonly #stage: Uint8Array;
  /** Range in which a drawn joint can come to rest, fixed when its lag was found, rad. */
  readonly #lowest: Float64Array;
  readonly #highest: Float64Array;
  #any = false;
  #since = 0;
  /** Position of each joint when it was last seen moving, rad, and the time of that sample, s. */
  readonly #anchors: Float64Array;
  readonly #still: Float64Array;
  readonly #room: Float64Array;

  /** @param of 1 for each joint of the group */
  constructor(of: Uint8Array) {
    const joints = of.length;
    this.#joints = of;
    this.#targets = new Float64Array(joints);
    this.#stage = new Uint8Array(joints);
    this.#lowest = new Float64Array(joints);
    this.#highest = new Float64Array(joints);
    this.#anchors = new Float64Array(joints);
    this.#still = new Float64Array(joints);
    this.#room = new Float64Array(joints);
  }

  /** A stop begins. @param now monotonic, s */
  begin(now: number): void {
    this.resting = false;
    this.#stage.fill(Stage.usual);
    this.#any = false;
    this.#since = now;
    this.#anchors.fill(Number.NaN);
  }

  /**
   * Stopping distance of each goal, rad: a fast joint is behind its goal and still has that way to go.
   * @param droop deflection of each spring under the arm's weight, rad
   */
  room(gate: Gate, following: Following, positions: Float64Array, droop: Float64Array): Float64Array {
    for (let i = 0; i < positions.length; i++) {
      const ahead = gate.goals[i]! - heldBy(i, positions, droop, following);
      const left = REACH - ahead * Math.sign(gate.velocities[i]!);
      this.#room[i] = left < REACH ? Math.max(left, LEAST_ROOM) : REACH;
    }
    return this.#room;
  }

  /**
   * Checks in each cycle whether the joints rest; alone, where goals need no correction.
   * @param droop deflection of each spring under the arm's weight, rad
   */
  watch(gate: Gate, following: Following, positions: Float64Array, droop: Float64Array): void {
    const at = following.measured;
    let rest = true;
    for (let i = 0; i < positions.length; i++) {
      if (this.#joints[i] === 0) continue;
      const position = positions[i]!;
      // At first there is no anchor.
      if (!(Math.abs(position - this.#anchors[i]!) <= REST_BAND)) {
        this.#anchors[i] = position;
        this.#still[i] = at;
      }
      const away = Math.abs(gate.goals[i]! - heldBy(i, positions, droop, following)) > NEAR;
      if (at - this.#still[i]! < (away ? TURN_TIME : REST_TIME)) rest = false;
    }
    if (rest) this.resting = true;
  }

  /**
   * One cycle, after the gate has braked.
   * @param droop deflection of each spring under the arm's weight, rad
   * @param stiff the stiffness of the springs is known; otherwise a lagging joint cannot be told from a sagging one
   */
  step(
    gate: Gate,
    following: Following,
    positions: Float64Array,
    droop: Float64Array,
    stiff: boolean,
    dt: number,
    now: number,
  ): void {
    this.watch(gate, following, positions, droop);
    for (let i = 0; i < positions.length; i++) {
      if (this.#joints[i] === 0) continue;
      const velocity = following.velocities[i]!;
      const goal = gate.goals[i]!;
      const held = heldBy(i, positions, droop, following);
      if (this.#stage[i] === Stage.drawn && Math.abs(goal - this.#targets[i]!) < NEAR) this.#stage[i] = Stage.met;
      if (this.#stage[i] === Stage.met && Math.abs(velocity) < TURNING && Math.abs(goal - held) > NEAR) {
        this.#stage[i] = Stage.caught;
        this.#targets[i] = Math.min(Math.max(held, this.#lowest[i]!), this.#highest[i]!);
      }
      if (this.#stage[i]! >= Stage.met) continue;
      const rest = held + (velocity * Math.abs(velocity)) / (2 * BRAKING);
      const ahead = goal - rest;
      // A goal that its joint has passed brakes it: it must not go after it.
      const passed = velocity * (goal - held) < 0 && Math.abs(velocity) > TURNING;
      const leads = ahead * (goal - held) > 0 && !passed;
      const stopping = gate.velocities[i] !== 0 || now - this.#since <= LOOKING;
      const band = gate.velocities[i] === 0 ? SAGGING : LAGGING;
      const lags = Math.abs(ahead) > band && Math.abs(following.deviations[i]!) > UNEXPLAINED;
      if (stiff && stopping && leads && lags && this.#stage[i] === Stage.usual) {
        this.#stage[i] = Stage.drawn;
        this.#any = true;
        this.#lowest[i] = Math.min(goal, rest) - SAGGING;
        this.#highest[i] = Math.max(goal, rest) + SAGGING;
      }
      // Bounded, because otherwise a joint that its own goal pushes away would take the target along.
      const drawn = this.#stage[i] === Stage.drawn;
      this.#targets[i] = drawn ? Math.min(Math.max(rest, this.#lowest[i]!), this.#highest[i]!) : rest;
    }
    if (this.#any && stiff) gate.draw(this.#targets, this.#stage, dt);
  }
}
