import type { JointMap } from '../messages.ts';
import type { FeelingArm } from './feel.ts';

/** External torques up to this may be friction, inertia or encoder steps, Nm; this much more at speed, Nm s/rad. */
export const BAND = 0.1;
export const BAND_PER_SPEED = 0.06;
/**
 * The leader is pushed with at most this multiple of the external torque beyond the band. So most of a torque is felt,
 * although the band is cut off and the estimate is late. And a hand feels a firm stop at what a gripper holds, although
 * the gripper holds it more weakly than the hand closes.
 */
const SHARE = 4;
/** Time over which a bound decays after the contact, s; within the bound, the spring alone determines the torque. */
const RELEASE_TIME = 0.2;
/**
 * The position of a remote follower is smoothed over this time, s. From about 3 Hz on, a late position pushes with an
 * oscillation instead of against it; smoothed, it is too weak there to sustain one.
 */
const SMOOTHING = 0.1;

/**
 * Feedback law: a spring from the leader to the follower's position, as stiff as the follower's own. It is bounded by
 * the follower's external torque, in the direction of that torque, so that a follower that only lags is not felt. The
 * spring uses the leader's position of this cycle and so gives way with the hand at once; only its bound is as late as
 * the estimate, and a remote follower's position is late.
 */
export class BoundedSpring {
  /** Torques of the leader's joints, indexed by follower joint, Nm. */
  readonly torques: Float64Array;
  /** Position of the follower, smoothed if remote, rad. */
  readonly place: Float64Array;
  readonly follower: FeelingArm;
  /** Bounds of the spring's torque, Nm at the follower's joints: `#above` is at least 0, `#below` at most 0. */
  readonly #above: Float64Array;
  readonly #below: Float64Array;

  constructor(follower: FeelingArm) {
    const joints = follower.model.stiffness.length;
    this.follower = follower;
    this.torques = new Float64Array(joints);
    this.place = new Float64Array(joints);
    this.#above = new Float64Array(joints);
    this.#below = new Float64Array(joints);
  }

  /** Restarts with nothing felt yet. */
  begin(): void {
    this.torques.fill(0);
    this.place.set(this.follower.link.readings.positions);
    this.#above.fill(0);
    this.#below.fill(0);
  }

  /** Updates `place`; called in each cycle. */
  locate(dt: number): void {
    const { remote, readings } = this.follower.link;
    const { place } = this;
    const share = remote ? 1 - Math.exp(-dt / SMOOTHING) : 1;
    for (let i = 0; i < place.length; i++)
      place[i] = share === 1 ? readings.positions[i]! : place[i]! + share * (readings.positions[i]! - place[i]!);
  }

  /** Updates the torques while the follower follows. @param hand leader positions, rad @param maps by follower joint */
  step(hand: Float64Array, maps: readonly JointMap[], dt: number): void {
    const { external, velocities, link, model } = this.follower;
    const kept = Math.exp(-dt / RELEASE_TIME);
    for (let i = 0; i < this.torques.length; i++) {
      const { from, scale, offset } = maps[i]!;
      if (from < 0) continue;
      const pushed = external[i]!;
      const beyond = SHARE * Math.max(0, Math.abs(pushed) - BAND - BAND_PER_SPEED * Math.abs(velocities[i]!));
      this.#above[i] = Math.max(this.#above[i]! * kept, pushed > 0 ? beyond : 0);
      this.#below[i] = Math.min(this.#below[i]! * kept, pushed < 0 ? -beyond : 0);
      const away = this.place[i]! - (scale * hand[from]! + offset);
      const spring = model.stiffness[i]! * link.gain[i]! * away;
      const felt = Math.min(Math.max(spring, this.#below[i]!), this.#above[i]!);
      this.torques[i] = Number.isFinite(felt) ? scale * felt : 0;
    }
  }
}
