import type { ArmLink } from '../driver/arm-link.ts';
import type { JointMasks } from '../joint/joint-groups.ts';
import type { ForceFeedback, JointMap } from '../messages.ts';
import { FollowCode } from '../snapshot/arm-fields.ts';
import { BoundedSpring } from './bounded-spring.ts';
import type { SetpointSource } from './setpoint-source.ts';

/** What force feedback needs of an arm in the control loop, follower or leader. */
export interface FeelingArm {
  readonly link: ArmLink;
  readonly model: { readonly stiffness: Float64Array; readonly masks: JointMasks };
  readonly source: SetpointSource | null;
  /** External torques, Nm (NaN while unknown), and measured speeds, rad/s, one per joint. */
  readonly external: Float64Array;
  /** When its positions and external torques were last measured, or had both arrived from its machine, monotonic, s. */
  readonly feltTime: number;
  readonly velocities: Float64Array;
}

/** Time over which feedback fades in and out, s. */
const FADE = 0.1;
/**
 * A sample of the follower counts in full up to the first age, and not at all from the second on, s. Between them it
 * counts less and less, so that a push is gone once it is stale. The slowest buses bring a sample every 36 ms.
 */
const FRESH = 0.05;
const STALE = 0.1;

/** Force feedback of one follower to its leader: when it is felt, and how much of it. The law gives the torques. */
export class Feel {
  /** Index of the arm that feels it; -1: none. */
  leader = -1;
  readonly #follower: FeelingArm;
  readonly #law: BoundedSpring;
  #maps: readonly JointMap[] = [];
  #source: SetpointSource | null = null;
  #leading: FeelingArm | null = null;
  /** Requested parts, and the parts felt now. */
  #asked: ForceFeedback = { arm: 0, gripper: 0 };
  #arm = 0;
  #gripper = 0;
  /** Weight of the newest sample by its age, 0..1: falls at once and rises over `FADE`. */
  #weight = 1;

  constructor(follower: FeelingArm) {
    this.#follower = follower;
    this.#law = new BoundedSpring(follower);
  }

  /** From now on `source`, which follows a leader, drives the follower. @param place index of the leader */
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
    this.#weight = 1;
    this.#law.begin();
  }

  /**
   * Whether stiff springs are worthwhile: the follower's present source asks for feedback, and the follower is an arm
   * of this machine. A remote follower's impacts arrive late anyway, and soft springs are more stable with a delay.
   */
  get stiffens(): boolean {
    const { source, link } = this.#follower;
    return (
      !link.remote && source !== null && source === this.#source && (this.#asked.arm > 0 || this.#asked.gripper > 0)
    );
  }

  /** Sets the parts to be felt from now on, each 0..1. */
  ask(asked: ForceFeedback): void {
    this.#asked = asked;
  }

  /**
   * Adds the torques that the leader is to feel. While the follower does not follow, the last ones fade out; they fade
   * as its newest sample ages, too.
   * @param out torques of the leader's joints, Nm @param dt s @param now monotonic, s
   */
  add(out: Float64Array, dt: number, now: number): void {
    const { source, link, external, feltTime } = this.#follower;
    this.#law.locate(dt);
    const follows =
      source !== null &&
      source === this.#source &&
      source.follow?.code === FollowCode.following &&
      link.up &&
      Number.isFinite(external[0]!);
    const fresh = Math.max((STALE - (now - feltTime)) / (STALE - FRESH), 0);
    this.#weight = Math.min(towards(this.#weight, 1, dt / FADE), fresh);
    this.#arm = towards(this.#arm, follows ? this.#asked.arm : 0, dt / FADE);
    this.#gripper = towards(this.#gripper, follows ? this.#asked.gripper : 0, dt / FADE);
    if (this.#arm === 0 && this.#gripper === 0) return;
    if (follows) this.#law.step(this.#leading!.link.readings.positions, this.#maps, dt);
    const { torques } = this.#law;
    // By the leader's joints: of a follower of another machine it is not known here which joint is its gripper.
    const { arm } = this.#leading!.model.masks;
    for (let i = 0; i < torques.length; i++) {
      const { from } = this.#maps[i]!;
      if (from < 0) continue;
      const part = this.#weight * (arm[from] === 1 ? this.#arm : this.#gripper);
      out[from] = out[from]! + torques[i]! * part;
    }
  }
}

function towards(value: number, goal: number, most: number): number {
  return value + Math.min(Math.max(goal - value, -most), most);
}
