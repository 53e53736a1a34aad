import type { ArmLink } from '../driver/arm-link.ts';
import type { JointMasks } from '../joint/joint-groups.ts';
import type { ForceFeedback, JointMap } from '../messages.ts';
import { FollowCode } from '../snapshot/arm-fields.ts';
import type { SetpointSource } from './setpoint-source.ts';

/** What is asked of an arm in the control loop that is felt, or that feels. */
export interface FeelingArm {
  readonly link: ArmLink;
  readonly model: { readonly stiffness: Float64Array; readonly masks: JointMasks };
  readonly source: SetpointSource | null;
  /** External torques, Nm, NaN while they are not known, and measured speeds, rad/s, one per joint. */
  readonly external: Float64Array;
  readonly velocities: Float64Array;
}

/** An external torque up to this may be friction, inertia or the encoder's steps, Nm, and so much more at speed, Nm s/rad. */
const BAND = 0.1;
const BAND_PER_SPEED = 0.06;
/**
 * The leader is pushed with no more than this times what is beyond the band. So most of a torque is felt though the band is not and the
 * estimate comes late; and a hand stands on what a gripper holds, which it holds more weakly than a hand closes.
 */
const SHARE = 4;
/** Time over which a bound falls when the contact is gone, s: within it the spring alone says how much is felt. */
const RELEASE_TIME = 0.2;
/** Time over which feedback comes and goes, s. */
const FADE = 0.1;
/** A follower whose sample is older than this tells nothing, s: a remote one whose sample arrived so long ago. */
const STALE = 0.1;
/**
 * Where a remote follower is, is smoothed over this time, s. A place that comes late pushes with a swing instead of against it from
 * some 3 Hz on; smoothed it is too weak there to keep one up.
 */
const SMOOTHING = 0.1;

/**
 * What a leader is let feel of one follower: a spring to where the follower is, as stiff as the follower's own. It is bound
 * by the follower's external torque, in the direction of that torque, so that a follower that only lags is not felt. The spring goes by the leader's
 * position of this cycle and gives way with the hand at once; only its bound is as late as the estimate, and where a remote follower is.
 */
export class Feel {
  /** Place of the arm that feels it; -1: none. */
  leader = -1;
  readonly #follower: FeelingArm;
  readonly #torques: Float64Array;
  /** Where the follower is taken to be, rad. */
  readonly #place: Float64Array;
  /** Bounds of the spring, Nm at the follower's joints: 0 or above, 0 or below. */
  readonly #above: Float64Array;
  readonly #below: Float64Array;
  #maps: readonly JointMap[] = [];
  #source: SetpointSource | null = null;
  #leading: FeelingArm | null = null;
  /** Parts that are asked for, and those that are felt just now. */
  #asked: ForceFeedback = { arm: 0, gripper: 0 };
  #arm = 0;
  #gripper = 0;

  constructor(follower: FeelingArm) {
    const joints = follower.model.stiffness.length;
    this.#follower = follower;
    this.#torques = new Float64Array(joints);
    this.#place = new Float64Array(joints);
    this.#above = new Float64Array(joints);
    this.#below = new Float64Array(joints);
  }

  /** From now on the follower is driven by `source`, which follows a leader. @param place of the leader */
  begin(
    leading: FeelingArm,
    place: number,
    maps: readonly JointMap[],
    source: SetpointSource,
    asked: ForceFeedback,
  ): void {
    this.leader = place;
    this.#leading = leading;
    this.#maps = maps;
    this.#source = source;
    this.#asked = asked;
    this.#arm = 0;
    this.#gripper = 0;
    this.#torques.fill(0);
    this.#place.set(this.#follower.link.readings.positions);
    this.#above.fill(0);
    this.#below.fill(0);
  }

  /** Parts that are felt from now on, each 0..1. */
  ask(asked: ForceFeedback): void {
    this.#asked = asked;
  }

  /**
   * Adds what the leader is to feel. Without a follower that follows, what was felt last fades.
   * @param out torques of the leader's joints, Nm @param dt s @param now monotonic, s
   */
  add(out: Float64Array, dt: number, now: number): void {
    const { source, link, external } = this.#follower;
    this.#locate(dt);
    const follows =
      source !== null &&
      source === this.#source &&
      source.follow?.code === FollowCode.following &&
      link.up &&
      now - link.readings.steerTime < STALE &&
      Number.isFinite(external[0]!);
    this.#arm = towards(this.#arm, follows ? this.#asked.arm : 0, dt / FADE);
    this.#gripper = towards(this.#gripper, follows ? this.#asked.gripper : 0, dt / FADE);
    if (this.#arm === 0 && this.#gripper === 0) return;
    if (follows) this.#feel(dt);
    const { arm } = this.#follower.model.masks;
    for (let i = 0; i < this.#torques.length; i++) {
      const { from } = this.#maps[i]!;
      if (from >= 0) out[from] = out[from]! + this.#torques[i]! * (arm[i] === 1 ? this.#arm : this.#gripper);
    }
  }

  #locate(dt: number): void {
    const { remote, readings } = this.#follower.link;
    const place = this.#place;
    const share = remote ? 1 - Math.exp(-dt / SMOOTHING) : 1;
    for (let i = 0; i < place.length; i++)
      place[i] = share === 1 ? readings.positions[i]! : place[i]! + share * (readings.positions[i]! - place[i]!);
  }

  /** Finds the torques of the leader's joints, by joint of the follower. */
  #feel(dt: number): void {
    const { external, velocities, link, model } = this.#follower;
    const hand = this.#leading!.link.readings.positions;
    const kept = Math.exp(-dt / RELEASE_TIME);
    for (let i = 0; i < this.#torques.length; i++) {
      const { from, scale, offset } = this.#maps[i]!;
      if (from < 0) continue;
      const pushed = external[i]!;
      const beyond = SHARE * Math.max(0, Math.abs(pushed) - BAND - BAND_PER_SPEED * Math.abs(velocities[i]!));
      this.#above[i] = Math.max(this.#above[i]! * kept, pushed > 0 ? beyond : 0);
      this.#below[i] = Math.min(this.#below[i]! * kept, pushed < 0 ? -beyond : 0);
      const away = this.#place[i]! - (scale * hand[from]! + offset);
      const spring = model.stiffness[i]! * link.gain[i]! * away;
      const felt = Math.min(Math.max(spring, this.#below[i]!), this.#above[i]!);
      this.#torques[i] = Number.isFinite(felt) ? scale * felt : 0;
    }
  }
}

function towards(value: number, goal: number, most: number): number {
  return value + Math.min(Math.max(goal - value, -most), most);
}
