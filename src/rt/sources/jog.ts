import type { Chain } from '../../kinematics/chain.ts';
import type { CollisionModel } from '../../kinematics/collision.ts';
import { largestChange } from '../joint/gate.ts';
import type { JogVelocity } from '../messages.ts';
import { DampedVelocity } from './damped-velocity.ts';
import { type SetpointSource, SourceStatus } from './setpoint-source.ts';
import { HEADROOM } from './trajectory.ts';

/** A jog without a newer message for this long decelerates to a hold, s. */
export const JOG_TIMEOUT = 0.1;

/** Limits of a jog, one element per joint: rad, rad/s, rad/s^2. */
export interface JogLimits {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly velocity: Float64Array;
  /** Accelerations for braking and for gaining speed. */
  readonly acceleration: Float64Array;
  readonly gaining: Float64Array;
}

/** The newest jog message, which the control thread keeps for an arm. */
export class JogInput {
  sampleTime = 0;
  kind: 'joints' | 'base' | 'tool' = 'joints';
  readonly joints: Float64Array;
  readonly twist = new Float64Array(6);

  constructor(joints: number) {
    this.joints = new Float64Array(joints);
  }

  /** @param now monotonic time, s */
  arrived(velocity: JogVelocity, now: number): void {
    if (velocity.kind === 'joints') {
      this.kind = 'joints';
      this.joints.set(velocity.velocities);
    } else {
      this.kind = velocity.frame;
      this.twist.set(velocity.twist);
    }
    this.sampleTime = now;
  }
}

/**
 * Drives an arm at the speeds of a stream of messages. All joints change their speed together, within the acceleration
 * limits. Towards a position limit a joint (with a tool twist, the whole arm) slows down so that it comes to rest
 * there. A motion is not begun if the arm would touch itself or the floor where it could come to rest.
 */
export class Jog implements SetpointSource {
  readonly state = 'moving';
  readonly limits = 'move';
  readonly #input: JogInput;
  readonly #limits: JogLimits;
  readonly #collision: CollisionModel;
  readonly #inverse: DampedVelocity;
  readonly #clock: () => number;
  readonly #timeout: number;
  readonly #speeds: Float64Array;
  readonly #wanted: Float64Array;
  readonly #changed: Float64Array;
  readonly #rest: Float64Array;
  /** Pose where the jog began: contacts present there may be left, but not deepened a little with every cycle. */
  readonly #start: Float64Array;

  /**
   * @param collision model of the same chain, for this source alone
   * @param clock monotonic time, s, of the same clock as the input
   * @param timeout age at which a message is stale, s
   */
  constructor(
    input: JogInput,
    limits: JogLimits,
    chain: Chain,
    collision: CollisionModel,
    clock: () => number,
    timeout: number,
  ) {
    const joints = limits.lower.length;
    this.#input = input;
    this.#limits = limits;
    this.#collision = collision;
    this.#inverse = new DampedVelocity(chain);
    this.#clock = clock;
    this.#timeout = timeout;
    this.#speeds = new Float64Array(joints);
    this.#wanted = new Float64Array(joints);
    this.#changed = new Float64Array(joints);
    this.#rest = new Float64Array(joints);
    this.#start = new Float64Array(joints);
  }

  begin(setpoints: Float64Array, velocities: Float64Array): void {
    this.#start.set(setpoints);
    this.#speeds.set(velocities);
  }

  next(_now: number, dt: number, out: Float64Array): SourceStatus {
    const { lower, upper } = this.#limits;
    const input = this.#input;
    const wanted = this.#wanted;
    if (this.#clock() - input.sampleTime > this.#timeout) {
      wanted.fill(0);
    } else if (input.kind === 'joints') {
      wanted.set(input.joints);
      this.#keepToLimits(out, dt, false);
    } else {
      this.#inverse.solve(out, input.twist, input.kind === 'tool', wanted);
      this.#keepToLimits(out, dt, true);
    }
    this.#approach(out, dt);
    if (this.#touches(out, dt)) {
      wanted.fill(0);
      this.#approach(out, dt);
    }
    this.#speeds.set(this.#changed);
    for (let i = 0; i < out.length; i++) {
      const from = out[i]!;
      const to = from + this.#speeds[i]! * dt;
      // A joint beyond a limit may only move back.
      out[i] = Math.min(Math.max(to, Math.min(lower[i]!, from)), Math.max(upper[i]!, from));
    }
    return SourceStatus.running;
  }

  /** Reduces the wanted speeds to the velocity limits, and to speeds from which joints can stop at their limits. */
  #keepToLimits(q: Float64Array, dt: number, together: boolean): void {
    const { velocity } = this.#limits;
    const wanted = this.#wanted;
    let share = 1;
    for (let i = 0; i < wanted.length; i++) {
      if (!Number.isFinite(wanted[i]!)) wanted[i] = 0;
      const speed = wanted[i]!;
      if (speed === 0) continue;
      const most = Math.min(velocity[i]! * HEADROOM, this.#stoppable(i, speed, q[i]!, dt));
      if (Math.abs(speed) <= most) continue;
      if (together) share = Math.min(share, most / Math.abs(speed));
      else wanted[i] = Math.sign(speed) * most;
    }
    if (share < 1) for (let i = 0; i < wanted.length; i++) wanted[i] = wanted[i]! * share;
  }

  /** Largest speed from which joint `i` at `q` can stop at its limit in `direction`, rad/s. */
  #stoppable(i: number, direction: number, q: number, dt: number): number {
    const { lower, upper, acceleration } = this.#limits;
    const way = Math.max(0, direction > 0 ? upper[i]! - q : q - lower[i]!);
    const rate = acceleration[i]! * HEADROOM;
    // Braking in whole cycles, as in the gate, may overshoot by up to an eighth of a cycle's braking.
    const half = (rate * dt) / 2;
    const room = Math.max(0, way - (half * dt) / 4);
    return Math.min(Math.sqrt(half * half + 2 * rate * room) - half, way / dt);
  }

  /** Speeds after this cycle: from the present ones straight towards the wanted ones, as far as accelerations allow. */
  #approach(q: Float64Array, dt: number): void {
    const { acceleration, gaining } = this.#limits;
    let share = 1;
    for (let i = 0; i < this.#wanted.length; i++) {
      const present = this.#speeds[i]!;
      const change = Math.abs(this.#wanted[i]! - present);
      const away = this.#wanted[i]! > present ? -present : present;
      const most = largestChange(away, gaining[i]! * HEADROOM, acceleration[i]! * HEADROOM, dt);
      if (change > most) share = Math.min(share, most / change);
    }
    for (let i = 0; i < this.#wanted.length; i++) {
      const present = this.#speeds[i]!;
      let next = present + share * (this.#wanted[i]! - present);
      // The common share must not keep this joint from stopping at its limit.
      const most = this.#stoppable(i, next, q[i]!, dt);
      if (Math.abs(next) > most) {
        const least = Math.abs(present) - acceleration[i]! * dt;
        next = Math.sign(next) * Math.max(most, least);
      }
      this.#changed[i] = next;
    }
  }

  /** True if the arm would touch something at the pose where it stops when it brakes after this cycle. */
  #touches(q: Float64Array, dt: number): boolean {
    let braking = 0;
    for (let i = 0; i < q.length; i++) {
      braking = Math.max(braking, Math.abs(this.#changed[i]!) / (this.#limits.acceleration[i]! * HEADROOM));
    }
    if (braking === 0) return false;
    for (let i = 0; i < q.length; i++) this.#rest[i] = q[i]! + this.#changed[i]! * (dt + braking / 2);
    return this.#collision.checkPath(this.#start, this.#rest, 1) !== null;
  }
}
