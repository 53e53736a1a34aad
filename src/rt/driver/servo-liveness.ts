import { AwakeClock } from '../loop/awake-clock.ts';

/** A servo that has not been heard for this long is taken for dead, s. */
const SILENCE = 0.5;
/** The others have so long to lower their arm, s; more than its way down may take. */
const GRACE = 10;

/**
 * Servos of an arm that no longer answer, or that have gone limp by themselves: dead for its motions. One that is dead while
 * the others carry the arm does not end it at once: they are given time to lower it, until that is done or given up.
 */
export class ServoLiveness {
  /** 1 for each servo that is taken for dead. */
  readonly dead: Uint8Array;
  /** 1 for each of them that answers and is limp. */
  readonly limp: Uint8Array;
  /** How many are, and the first of them. */
  count = 0;
  first = -1;
  readonly #clock: AwakeClock;
  /** When each was heard last, by that clock, s. */
  readonly #heard: Float64Array;
  /** The others carry on until then, s; infinite while none is dead. */
  #until = Number.POSITIVE_INFINITY;
  /** One that was taken for dead has been heard: what it holds is to be found out before it is sent a goal. */
  returned = false;

  /** @param longestPause of the host that is not taken for silence, s */
  constructor(servos: number, longestPause: number) {
    this.#clock = new AwakeClock(longestPause);
    this.dead = new Uint8Array(servos);
    this.limp = new Uint8Array(servos);
    this.#heard = new Float64Array(servos);
  }

  /** The arm is checked anew: all of its servos answer. */
  reset(): void {
    this.dead.fill(0);
    this.limp.fill(0);
    this.#heard.fill(this.#clock.time);
    this.count = 0;
    this.returned = false;
    this.#until = Number.POSITIVE_INFINITY;
  }

  /** A servo has gone limp by itself, until the arm is checked anew. */
  fell(index: number): void {
    this.limp[index] = 1;
    this.dead[index] = 1;
  }

  /** A servo has answered. */
  heard(index: number): void {
    this.#heard[index] = this.#clock.time;
  }

  /** Once every cycle, before it is looked who is silent. @param now monotonic, s */
  advance(now: number): void {
    this.#clock.advance(now);
  }

  /** Sees who has fallen silent. */
  look(): void {
    const { time } = this.#clock;
    this.count = 0;
    for (let i = this.dead.length - 1; i >= 0; i--) {
      const dead = this.limp[i] === 1 || time - this.#heard[i]! > SILENCE ? 1 : 0;
      if (dead < this.dead[i]!) this.returned = true;
      this.dead[i] = dead;
      if (dead === 0) continue;
      this.count++;
      this.first = i;
    }
  }

  /** True once for servos that have just died: the others are to lower the arm from now on. */
  begins(now: number): boolean {
    if (this.#until !== Number.POSITIVE_INFINITY) return false;
    this.#until = now + GRACE;
    return true;
  }

  /** Nobody lowers the arm any more, or it is down. */
  giveUp(): void {
    this.#until = Number.NEGATIVE_INFINITY;
  }

  /** The others are still to carry the arm. */
  lasts(now: number): boolean {
    return now <= this.#until;
  }

  /** For people. */
  text(label: string): string {
    return this.count === this.dead.length
      ? `no servo has answered for ${SILENCE} s: check its power and its bus cable`
      : `${label} has not answered for ${SILENCE} s: check the cable into it`;
  }
}
