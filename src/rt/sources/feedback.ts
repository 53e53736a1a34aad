import type { ArmLink } from '../driver/arm-link.ts';
import type { Feel } from './feel.ts';

/** The arm that feels. */
export interface FedArm {
  readonly link: ArmLink;
  readonly model: { readonly floatTorque: Float64Array };
  /** Measured, rad/s. */
  readonly velocities: Float64Array;
  readonly now: number;
}

/** Nm s/rad while something is felt: what the delay of the loop takes from the hand's own damping. */
const DAMPING = 0.1;
/** A torque from which all of that damping acts, Nm. */
const DAMPED = 0.1;
/** Energy that a joint may give to the hand beyond what the hand has put in, J; it is gone when it has given twice as much. */
const RESERVE = 0.01;
/** Most that is remembered of what the hand has put in, J: a spring of an SO-101 that is pushed with its cap has as much. */
const STORE = 0.15;
/** What was given or put in is forgotten over this time, s. */
const FORGETTING = 2;
/** Feedback is gone at a servo this near to its temperature limit, and whole at one this much cooler still, K. */
const HOT_MARGIN = 12;
const WARM_RANGE = 6;
/** Limit of a servo that tells none, degC. */
const USUAL_LIMIT = 70;

/**
 * Torques that a floating leader feels of all its followers, by its joints. None is beyond what floating may ask of a joint, and none
 * gives the hand more energy than the hand has put in: an observer keeps account, joint by joint, and takes the torque
 * from a joint that would (Hannaford and Ryu 2002). So a loop that is too slow for a stiff wall does not swing up, and a follower that
 * is pushed about does not drive its leader.
 */
export class Feedback {
  /** Nm; all 0 where nothing is felt. */
  readonly torques: Float64Array;
  /** Called when the guard has taken torque for the first time since the leader floats. */
  onGuarded: (joint: number) => void = () => {};
  readonly #leader: FedArm;
  readonly #place: number;
  readonly #arms: readonly { readonly feel: Feel }[];
  readonly #energy: Float64Array;
  readonly #last: Float64Array;
  readonly #moved: Float64Array;
  /** Torques of the cycle before, Nm. */
  readonly #before: Float64Array;
  #told = false;

  /** @param place of the leader @param arms all arms of the control loop, also those that are added later */
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
  }

  /** One cycle. */
  step(dt: number): void {
    const { torques } = this;
    const { link, model, velocities, now } = this.#leader;
    const { positions, temperatures, temperatureLimits } = link.readings;
    for (let i = 0; i < torques.length; i++) {
      const moved = positions[i]! - this.#last[i]!;
      // The servo has had the torque of the last cycle, or still that of the one before: the worse one counts.
      const done = Math.min(-torques[i]! * moved, -this.#before[i]! * moved);
      const energy = this.#energy[i]! * (1 - dt / FORGETTING) + (Number.isFinite(done) ? done : 0);
      this.#energy[i] = Math.min(energy, STORE);
      this.#last[i] = positions[i]!;
      this.#moved[i] = moved;
      this.#before[i] = torques[i]!;
      torques[i] = 0;
    }
    for (let a = 0; a < this.#arms.length; a++) {
      const { feel } = this.#arms[a]!;
      if (feel.leader === this.#place) feel.add(torques, dt, now);
    }
    for (let i = 0; i < torques.length; i++) {
      let torque = torques[i]!;
      if (torque === 0) continue;
      const speed = velocities[i]!;
      torque -= DAMPING * speed * Math.min(1, Math.abs(torque) / DAMPED);
      const limit = temperatureLimits[i]! > 0 ? temperatureLimits[i]! : USUAL_LIMIT;
      const cool = Math.min(Math.max((limit - HOT_MARGIN - temperatures[i]!) / WARM_RANGE, 0), 1);
      const most = model.floatTorque[i]! * cool;
      torque = Math.min(Math.max(torque, -most), most);
      if (torque * this.#moved[i]! > 0) {
        const left = Math.min(Math.max(2 + this.#energy[i]! / RESERVE, 0), 1);
        torque *= left;
        if (left === 0 && !this.#told) {
          this.#told = true;
          this.onGuarded(i);
        }
      }
      torques[i] = torque;
    }
  }
}
