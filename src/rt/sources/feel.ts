import type { ArmLink } from '../driver/arm-link.ts';
import type { JointMasks } from '../joint/joint-groups.ts';
import type { ForceFeedback, JointMap } from '../messages.ts';
import { FollowCode } from '../snapshot/arm-fields.ts';
import { BoundedSpring } from './bounded-spring.ts';
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

/** Time over which feedback comes and goes, s. */
const FADE = 0.1;
/** A follower whose sample is older than this tells nothing, s: a remote one whose sample arrived so long ago. */
const STALE = 0.1;

/** What a leader is let feel of one follower, when and how much of it: what it is comes from the law. */
export class Feel {
  /** Place of the arm that feels it; -1: none. */
  leader = -1;
  readonly #follower: FeelingArm;
  readonly #law: BoundedSpring;
  #maps: readonly JointMap[] = [];
  #source: SetpointSource | null = null;
  #leading: FeelingArm | null = null;
  /** Parts that are asked for, and those that are felt just now. */
  #asked: ForceFeedback = { arm: 0, gripper: 0 };
  #arm = 0;
  #gripper = 0;

  constructor(follower: FeelingArm) {
    this.#follower = follower;
    this.#law = new BoundedSpring(follower);
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
    this.#law.begin();
  }

  /**
   * Whether stiff springs are worth while: what drives the follower now asks for something, and the follower is an arm of this machine.
   * A hit of a remote one comes late anyway, and soft springs are steadier with a delay.
   */
  get stiffens(): boolean {
    const { source, link } = this.#follower;
    return (
      !link.remote && source !== null && source === this.#source && (this.#asked.arm > 0 || this.#asked.gripper > 0)
    );
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
    this.#law.locate(dt);
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
    if (follows) this.#law.step(this.#leading!.link.readings.positions, this.#maps, dt);
    const { torques } = this.#law;
    const { arm } = this.#follower.model.masks;
    for (let i = 0; i < torques.length; i++) {
      const { from } = this.#maps[i]!;
      if (from >= 0) out[from] = out[from]! + torques[i]! * (arm[i] === 1 ? this.#arm : this.#gripper);
    }
  }
}

function towards(value: number, goal: number, most: number): number {
  return value + Math.min(Math.max(goal - value, -most), most);
}
