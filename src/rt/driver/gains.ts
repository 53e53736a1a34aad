import { type CapPlan, CurrentCaps, type FoundCap } from './current-caps.ts';

/** Position gains of an arm's servos, in register counts: their own, and the softer ones that they are given. */
export interface GainPlan {
  readonly own: readonly number[];
  readonly soft: readonly number[];
  /** The same for their current caps. */
  readonly currents: CapPlan;
}

/** Largest relative change of a gain per step: goals change with the gain, but no faster than in a quick motion. */
const STEP = 0.12;

/**
 * Position gains of the servos of one arm, changed under torque. Goals stand off the measured position by torque over
 * stiffness, so a stiffness assumed too small would throw the arm. The largest gain that a servo may have at the moment
 * therefore counts: a larger wanted gain counts at once, a smaller one only after it has been read back. Until then the
 * arm is carried a little less, for a cycle or two. Gains change in small steps, each read back before the next.
 * Current caps of servos that have one change along with the gains.
 */
export class Gains {
  /** Largest gain that each joint may have now, relative to the gain for which the arm's data states the stiffness. */
  readonly effective: Float64Array;
  /** The same for the gains that were read back from the servos. */
  readonly known: Float64Array;
  /** Gains to write next, counts. */
  readonly wanted: Float64Array;
  /** Current caps, which change with the gains. */
  readonly currents: CurrentCaps;
  /** Some servo has not confirmed the gain it must reach. */
  #pending = false;
  #restored = false;
  #works = false;
  readonly #target: Float64Array;
  /** Joint of each servo, and what one count of its gain adds to the joint's gain. */
  readonly #joint: readonly number[];
  readonly #share: Float64Array;
  readonly #own: Float64Array;
  /** Gain of each servo while the arm does not float: its own, or a fraction of it. */
  readonly #work: Float64Array;
  #floating = false;
  readonly #soft: Float64Array;
  readonly #confirmed: Float64Array;

  /**
   * @param joint joint of each servo
   * @param left gains that a bridge which did not end properly may have left in the servos; null: none
   */
  constructor(joint: readonly number[], left: GainPlan | null) {
    const count = joint.length;
    this.#joint = joint;
    this.currents = new CurrentCaps(joint, left?.currents ?? null);
    this.#share = new Float64Array(count);
    this.effective = new Float64Array(1 + Math.max(...joint)).fill(1);
    this.known = this.effective.slice();
    this.wanted = new Float64Array(count);
    this.#target = new Float64Array(count);
    this.#confirmed = new Float64Array(count);
    this.#own = new Float64Array(count).fill(Number.NaN);
    this.#work = new Float64Array(count).fill(Number.NaN);
    this.#soft = new Float64Array(count).fill(Number.NaN);
    if (left === null || left.own.length !== count || left.soft.length !== count) return;
    this.#own.set(left.own);
    this.#soft.set(left.soft);
  }

  /** Some servo has not confirmed its gain or its current cap. */
  get pending(): boolean {
    return this.#pending || this.currents.pending;
  }

  /** Some servo's gain is changing, so its stiffness is uncertain. */
  get stiffening(): boolean {
    return this.#pending;
  }

  /** True while every servo has confirmed its own gain and its own current cap. */
  get restored(): boolean {
    return this.#restored && this.currents.restored;
  }

  /** True while every servo has confirmed the gain and the current cap for an arm that does not float. */
  get works(): boolean {
    return this.#works && this.currents.works;
  }

  /**
   * Takes the gain that a check has found in a servo. A gain between the soft one and its own was left by a bridge that
   * could not restore it, so its own gain is wanted again. Any other gain is its own. The fraction set by `work` is
   * forgotten if the servo may be another one.
   * @param share what one count adds to the joint's gain, relative to the gain for which the arm's data states the
   * stiffness
   * @param cap its current cap; null if it has none
   * @param renewed the servo has been connected all the time
   */
  found(index: number, counts: number, share: number, cap: FoundCap | null, renewed: boolean): void {
    this.currents.found(index, cap);
    this.#share[index] = share;
    const own = this.#own[index]!;
    if (!(counts >= this.#soft[index]! && counts <= own)) this.#own[index] = counts;
    if (!renewed || this.#own[index] !== own) this.#work[index] = this.#own[index]!;
    this.#confirmed[index] = counts;
    this.wanted[index] = counts;
    this.#target[index] = this.#work[index]!;
    this.#settle();
  }

  /** Gains and caps for these fractions of the servos' own gains, 0..1, and these largest torques, Nm, by joint. */
  plan(parts: ArrayLike<number>, torques: ArrayLike<number>): GainPlan {
    const own = Array.from(this.#own);
    const soft = own.map((counts, i) => softened(counts, parts[this.#joint[i]!]!));
    return { own, soft, currents: this.currents.plan(torques) };
  }

  /** Requests fractions of the servos' own gains, 0..1, and caps at these torques, Nm, by joint: the arm floats. */
  soften(parts: ArrayLike<number>, torques: ArrayLike<number>): void {
    this.currents.soften(torques);
    for (let i = 0; i < this.wanted.length; i++) {
      this.#target[i] = softened(this.#own[i]!, parts[this.#joint[i]!]!);
      this.#give(i);
    }
    this.#floating = true;
    this.#settle();
  }

  /** Requests the gains and caps for an arm that does not float. */
  restore(): void {
    this.currents.restore();
    this.#floating = false;
    for (let i = 0; i < this.wanted.length; i++) {
      this.#target[i] = this.#work[i]!;
      this.#give(i);
    }
    this.#settle();
  }

  /**
   * Sets the fractions of their own gains, 0..1 by joint, with which servos work while the arm does not float. They
   * apply at once, or when the arm stops floating.
   */
  work(parts: ArrayLike<number>): void {
    for (let i = 0; i < this.wanted.length; i++) {
      const part = parts[this.#joint[i]!]!;
      this.#work[i] = part === 1 ? this.#own[i]! : softened(this.#own[i]!, part);
    }
    if (!this.#floating) this.restore();
  }

  /** Keeps the softest gain a servo is given: the next connection tells it from the servo's own gain. */
  #give(index: number): void {
    const soft = this.#soft[index]!;
    if (!(soft <= this.#target[index]!)) this.#soft[index] = this.#target[index]!;
  }

  /** Takes the gain read back from a servo, counts. */
  confirm(index: number, counts: number): void {
    this.#confirmed[index] = counts;
    this.#settle();
  }

  #settle(): void {
    this.#pending = false;
    this.#restored = true;
    this.#works = true;
    this.effective.fill(0);
    this.known.fill(0);
    for (let i = 0; i < this.wanted.length; i++) {
      const confirmed = this.#confirmed[i]!;
      const target = this.#target[i]!;
      if (confirmed !== target) this.#pending = true;
      if (confirmed !== this.#own[i]) this.#restored = false;
      if (confirmed !== this.#work[i]) this.#works = false;
      if (confirmed === this.wanted[i]) {
        const step = Math.max(1, Math.floor(STEP * confirmed));
        this.wanted[i] = confirmed + Math.min(Math.max(target - confirmed, -step), step);
      }
      this.known[this.#joint[i]!]! += confirmed * this.#share[i]!;
      this.effective[this.#joint[i]!]! += Math.max(this.wanted[i]!, confirmed) * this.#share[i]!;
    }
  }
}

function softened(own: number, part: number): number {
  return Math.max(1, Math.round(own * part));
}
