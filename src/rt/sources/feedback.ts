import type { ArmLink } from '../driver/arm-link.ts';
import { GROUPS, type Group, type JointMasks } from '../joint/joint-groups.ts';
import type { Feel } from './feel.ts';

/** The leader that feels. */
export interface FedArm {
  readonly link: ArmLink;
  readonly model: { readonly floatTorque: Float64Array; readonly masks: JointMasks };
  /** Measured, rad/s. */
  readonly velocities: Float64Array;
  readonly now: number;
}

/** Damping while something is felt, Nm s/rad: replaces what the loop's delay takes from the hand's own damping. */
const DAMPING = 0.1;
/** Torque from which all of that damping acts, Nm. */
const DAMPED = 0.1;
/** Energy that a joint may give the hand beyond what the hand has put in, J; its torque is 0 at twice as much. */
const RESERVE = 0.01;
/** Largest remembered energy from the hand, J: what the spring of an SO-101 joint stores at its torque cap. */
const STORE = 0.15;
/** A joint that goes to and fro by a step of its encoder stands still, rad: its push would be cut at each step with it. */
const PLAY = 0.0016;
/** Energy, way and direction of the push are forgotten over this time, s. */
const FORGETTING = 2;
/** The leader may go this far with the push at its full strength, rad; at twice as far the push is 0. */
const YIELD = 0.04;
/** Largest remembered way with the push, rad: a hand that has lowered a load feels it again as soon as it lifts it. */
const YIELDED = 2 * YIELD;
/** Largest remembered way against the push, rad: walls and servos give way by as much when a hand presses on them. */
const PRESSED = 0.3;
/** While the push is weaker than this, the way is forgotten, Nm. */
const OVER = 0.02;
/** Feedback is 0 at a servo this near to its temperature limit, and full at `WARM_RANGE` below that, K. */
const HOT_MARGIN = 12;
const WARM_RANGE = 6;
/** Temperature limit of a servo that reports none, degC. */
const USUAL_LIMIT = 70;
/** After so long a time without a cut torque the next one is told again, s. */
const QUIET = 10;

/** Way that a group of joints has gone with the pushes of one direction. */
class Side {
  /** Mean direction of those pushes; at most 1 long, 0 for the other group's joints. */
  readonly direction: Float64Array;
  /** rad; below 0: against them. */
  way = 0;

  constructor(joints: number) {
    this.direction = new Float64Array(joints);
  }
}

/**
 * Torques that a floating leader feels from all its followers, by its joints. None exceeds what floating may ask of a
 * joint, and two accounts keep them from driving the leader:
 * - Energy, for each joint: torque is removed from a joint that would give the hand more energy than the hand has put
 *   in (Hannaford and Ryu 2002). So a loop that is too slow for a stiff wall does not build up an oscillation.
 * - Way, for arm and gripper: a leader that moves with the push is held by no hand, or by one that gives way. A hand
 *   that holds against the push, presses into it and comes back, or slides along a wall does not move with it. So a
 *   follower that is pushed around does not drive a leader that nobody holds. Opposite pushes have separate ways: a hand
 *   that has followed a load downwards feels the table at once.
 */
export class Feedback {
  /** Nm; all 0 while nothing is felt. */
  readonly torques: Float64Array;
  /** Called when an account has cut a torque to 0 and none had for `QUIET`. */
  onGuarded: (joint: number) => void = () => {};
  readonly #leader: FedArm;
  readonly #place: number;
  readonly #arms: readonly { readonly feel: Feel }[];
  readonly #energy: Float64Array;
  readonly #last: Float64Array;
  readonly #moved: Float64Array;
  /** Torques of the previous cycle, Nm. */
  readonly #before: Float64Array;
  /** Of the present push, and of the pushes against which it has turned. */
  readonly #sides: Readonly<Record<Group, [Side, Side]>>;
  /** When an account has last cut a torque to 0, s. */
  #cut = Number.NEGATIVE_INFINITY;

  /** @param place index of the leader @param arms all arms of the control loop, including those added later */
  constructor(leader: FedArm, place: number, arms: readonly { readonly feel: Feel }[]) {
    const joints = leader.model.floatTorque.length;
    this.#leader = leader;
    this.#place = place;
    this.#arms = arms;
    this.torques = new Float64Array(joints);
    this.#energy = new Float64Array(joints);
    this.#moved = new Float64Array(joints);
    this.#before = new Float64Array(joints);
    this.#last = leader.link.readings.positions.slice();
    this.#sides = { arm: [new Side(joints), new Side(joints)], gripper: [new Side(joints), new Side(joints)] };
  }

  /** Whether stiff springs are worthwhile for some follower. */
  get stiffens(): boolean {
    for (let a = 0; a < this.#arms.length; a++) {
      const { feel } = this.#arms[a]!;
      if (feel.leader === this.#place && feel.stiffens) return true;
    }
    return false;
  }

  /** One cycle. */
  step(dt: number): void {
    const { torques } = this;
    const { positions } = this.#leader.link.readings;
    for (let i = 0; i < torques.length; i++) {
      const at = positions[i]!;
      const moved = Math.min(Math.max(this.#last[i]!, at - PLAY), at + PLAY) - this.#last[i]!;
      // The servo has had the torque of the last cycle or still that of the one before: the worse counts.
      const done = Math.min(-torques[i]! * moved, -this.#before[i]! * moved);
      const energy = this.#energy[i]! * (1 - dt / FORGETTING) + (Number.isFinite(done) ? done : 0);
      this.#energy[i] = Math.min(energy, STORE);
      this.#last[i] = Number.isFinite(moved) ? this.#last[i]! + moved : at;
      this.#moved[i] = Number.isFinite(moved) ? moved : 0;
      this.#before[i] = torques[i]!;
      torques[i] = 0;
    }
    for (let a = 0; a < this.#arms.length; a++) {
      const { feel } = this.#arms[a]!;
      if (feel.leader === this.#place) feel.add(torques, dt, this.#leader.now);
    }
    for (let i = 0; i < torques.length; i++) {
      if (torques[i] !== 0) torques[i] = this.#bounded(i, torques[i]!);
    }
    for (let g = 0; g < GROUPS.length; g++) this.#yield(GROUPS[g]!, dt);
    for (let i = 0; i < torques.length; i++) {
      if (torques[i]! * this.#moved[i]! <= 0) continue;
      const left = Math.min(Math.max(2 + this.#energy[i]! / RESERVE, 0), 1);
      torques[i] = torques[i]! * left;
      if (left === 0) this.#guarded(i);
    }
  }

  /** The torque with damping, within the limits of floating and of a warm servo, Nm. */
  #bounded(i: number, felt: number): number {
    const { link, model, velocities } = this.#leader;
    const { temperatures, temperatureLimits } = link.readings;
    const damped = felt - DAMPING * velocities[i]! * Math.min(1, Math.abs(felt) / DAMPED);
    const limit = temperatureLimits[i]! > 0 ? temperatureLimits[i]! : USUAL_LIMIT;
    const cool = Math.min(Math.max((limit - HOT_MARGIN - temperatures[i]!) / WARM_RANGE, 0), 1);
    const most = model.floatTorque[i]! * cool;
    return Math.min(Math.max(damped, -most), most);
  }

  /** Fades the push on a group of joints that move with it. */
  #yield(group: Group, dt: number): void {
    const mask = this.#leader.model.masks[group];
    const { torques } = this;
    let squares = 0;
    let done = 0;
    let strongest = mask.indexOf(1);
    for (let i = 0; i < torques.length; i++) {
      if (mask[i] === 0) continue;
      squares += torques[i]! * torques[i]!;
      done += torques[i]! * this.#moved[i]!;
      if (Math.abs(torques[i]!) > Math.abs(torques[strongest]!)) strongest = i;
    }
    const push = Math.sqrt(squares);
    const sides = this.#sides[group];
    if (push < OVER) {
      for (let k = 0; k < sides.length; k++) sides[k]!.way *= 1 - dt / FORGETTING;
    } else this.#went(mask, sides, push, done / push, dt);
    const left = Math.min(Math.max(2 - sides[0].way / YIELD, 0), 1);
    if (left === 1) return;
    for (let i = 0; i < torques.length; i++) if (mask[i] === 1) torques[i] = torques[i]! * left;
    if (left === 0) this.#guarded(strongest);
  }

  /**
   * The leader has gone `way` (rad) with a push of `push` (Nm). A push that has turned round has the way of its own side,
   * which the leader has gone back meanwhile: pushes to and fro do not drive it away.
   */
  #went(mask: Uint8Array, sides: [Side, Side], push: number, way: number, dt: number): void {
    const { torques } = this;
    let along = 0;
    for (let i = 0; i < torques.length; i++) along += torques[i]! * sides[0].direction[i]!;
    if (along < 0) {
      const turned = sides[0];
      sides[0] = sides[1];
      sides[1] = turned;
    }
    const [present, opposite] = sides;
    present.way = Math.min(Math.max(present.way + way, -PRESSED), YIELDED);
    const share = along < 0 ? 1 : dt / FORGETTING;
    let back = 0;
    for (let i = 0; i < torques.length; i++) {
      if (mask[i] === 0) continue;
      present.direction[i] = present.direction[i]! + (torques[i]! / push - present.direction[i]!) * share;
      back -= opposite.direction[i]! * this.#moved[i]!;
    }
    if (back > 0) opposite.way = Math.max(opposite.way - back, Math.min(opposite.way, -YIELDED));
  }

  #guarded(joint: number): void {
    const { now } = this.#leader;
    const isNew = now - this.#cut > QUIET;
    this.#cut = now;
    if (isNew) this.onGuarded(joint);
  }
}
