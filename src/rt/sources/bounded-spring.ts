import type { JointMap } from '../messages.ts';
import type { FeelingArm } from './feel.ts';

/** An external torque up to this may be friction, inertia or the encoder's steps, Nm, and so much more at speed, Nm s/rad. */
export const BAND = 0.1;
export const BAND_PER_SPEED = 0.06;
/**
 * The leader is pushed with no more than this times what is beyond the band. So most of a torque is felt though the band is not and the
 * estimate comes late; and a hand stands on what a gripper holds, which it holds more weakly than a hand closes.
 */
const SHARE = 4;
/** Time over which a bound falls when the contact is gone, s: within it the spring alone says how much is felt. */
const RELEASE_TIME = 0.2;
/**
 * Where a remote follower is, is smoothed over this time, s. A place that comes late pushes with a swing instead of against it from
 * some 3 Hz on; smoothed it is too weak there to keep one up.
 */
const SMOOTHING = 0.1;

/**
 * The law by which a leader is let feel a follower: a spring to where the follower is, as stiff as the follower's own. It is bound
 * by the follower's external torque, in the direction of that torque, so that a follower that only lags is not felt. The spring goes by the leader's
 * position of this cycle and gives way with the hand at once; only its bound is as late as the estimate, and where a remote follower is.
 */
export class BoundedSpring {
  /** Torques of the leader's joints, by joint of the follower, Nm. */
  readonly torques: Float64Array;
  /** Where the follower is taken to be, rad. */
  readonly place: Float64Array;
  readonly follower: FeelingArm;
  /** Bounds of the spring, Nm at the follower's joints: 0 or above, 0 or below. */
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

  /** Nothing has been felt yet. */
  begin(): void {
    this.torques.fill(0);
    this.place.set(this.follower.link.readings.positions);
    this.#above.fill(0);
    this.#below.fill(0);
  }

  /** Finds where the follower is taken to be, each cycle. */
  locate(dt: number): void {
    const { remote, readings } = this.follower.link;
    const { place } = this;
    const share = remote ? 1 - Math.exp(-dt / SMOOTHING) : 1;
    for (let i = 0; i < place.length; i++)
      place[i] = share === 1 ? readings.positions[i]! : place[i]! + share * (readings.positions[i]! - place[i]!);
  }

  /** Finds the torques, while the follower follows. @param hand positions of the leader, rad @param maps by joint of the follower */
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
