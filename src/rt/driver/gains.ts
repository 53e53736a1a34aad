import { type CapPlan, CurrentCaps, type FoundCap } from './current-caps.ts';

/** Position gains of an arm's servos, in register counts: their own ones, and the softer ones that they are given. */
export interface GainPlan {
  readonly own: readonly number[];
  readonly soft: readonly number[];
  /** The same of their largest currents. */
  readonly currents: CapPlan;
}

/** Part by which a gain changes at a time, so that goals change with it no faster than in a quick motion. */
const STEP = 0.12;

/**
 * Position gains of the servos of one arm. A servo's gain is changed under torque, so what matters is what it may have at
 * a moment: goals stand off the measured position by torque over stiffness, and with too small a stiffness the arm would
 * be thrown. So the largest gain that is possible counts: the wanted one at once where it is larger, and only after
 * it has been read back where it is smaller. Until then the arm is carried a little less, for a cycle or two. Gains change in small steps, each read back before the next.
 * With them go the largest currents of servos that keep to one.
 */
export class Gains {
  /** Largest gain that each joint may have now, against the one for which the arm's data states the stiffness. */
  readonly effective: Float64Array;
  /** The same of the gains that the servos were read to have. */
  readonly known: Float64Array;
  /** What is to be written next, counts. */
  readonly wanted: Float64Array;
  /** Largest currents, which change with the gains. */
  readonly currents: CurrentCaps;
  /** Some servo is not known to have the gain that it is to come to. */
  #pending = false;
  #restored = false;
  #works = false;
  readonly #target: Float64Array;
  /** Joint of each servo, and what a count of its gain adds to the joint's. */
  readonly #joint: readonly number[];
  readonly #share: Float64Array;
  readonly #own: Float64Array;
  /** Gain with which each servo works when the arm does not float: its own one, or a part of it. */
  readonly #work: Float64Array;
  #floating = false;
  readonly #soft: Float64Array;
  readonly #confirmed: Float64Array;

  /**
   * @param joint joint of each servo
   * @param left what a bridge that did not end properly has left behind; null: nothing
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

  /** Some servo is not known to have what it is to have. */
  get pending(): boolean {
    return this.#pending || this.currents.pending;
  }

  /** How stiff some servo is, is not known: its gain changes. */
  get stiffening(): boolean {
    return this.#pending;
  }

  /** True while every servo is known to have its own gain and its own largest current. */
  get restored(): boolean {
    return this.#restored && this.currents.restored;
  }

  /** True while every servo is known to have what it works with when the arm does not float. */
  get works(): boolean {
    return this.#works && this.currents.works;
  }

  /**
   * What a servo has when its bus is opened. One from the soft to its own was given to it by a bridge that could not take
   * it back: its own one is wanted again. Any other is its own. What `work` has asked for is forgotten: the servo may be
   * another one.
   * @param share what a count adds to the joint's gain, against the one for which the arm's data states the stiffness
   * @param cap its largest current; null where it keeps to none
   */
  found(index: number, counts: number, share: number, cap: FoundCap | null): void {
    this.currents.found(index, cap);
    this.#share[index] = share;
    const soft = this.#soft[index]!;
    if (!(counts >= soft && counts <= this.#own[index]!)) this.#own[index] = counts;
    this.#confirmed[index] = counts;
    this.wanted[index] = counts;
    this.#work[index] = this.#own[index]!;
    this.#target[index] = this.#own[index]!;
    this.#settle();
  }

  /** What servos would be given for parts of their own gains, 0..1, and for largest torques, Nm, by joint. */
  plan(parts: ArrayLike<number>, torques: ArrayLike<number>): GainPlan {
    const own = Array.from(this.#own);
    const soft = own.map((counts, i) => softened(counts, parts[this.#joint[i]!]!));
    return { own, soft, currents: this.currents.plan(torques) };
  }

  /** Wants parts of the servos' own gains, 0..1, and currents of at most these torques, Nm, by joint. */
  soften(parts: ArrayLike<number>, torques: ArrayLike<number>): void {
    this.currents.soften(torques);
    for (let i = 0; i < this.wanted.length; i++) {
      this.#target[i] = softened(this.#own[i]!, parts[this.#joint[i]!]!);
      this.#give(i);
    }
    this.#floating = true;
    this.#settle();
  }

  /** Wants the gains again with which the servos work when the arm does not float, and their own largest currents. */
  restore(): void {
    this.currents.restore();
    this.#floating = false;
    for (let i = 0; i < this.wanted.length; i++) {
      this.#target[i] = this.#work[i]!;
      this.#give(i);
    }
    this.#settle();
  }

  /** Wants the servos to work with these parts of their own gains, 0..1 by joint, from now on or when the arm floats no more. */
  work(parts: ArrayLike<number>): void {
    for (let i = 0; i < this.wanted.length; i++) {
      const part = parts[this.#joint[i]!]!;
      this.#work[i] = part === 1 ? this.#own[i]! : softened(this.#own[i]!, part);
    }
    if (!this.#floating) this.restore();
  }

  /** What a servo is about to be given is told from its own gain when it is connected anew. */
  #give(index: number): void {
    const soft = this.#soft[index]!;
    if (!(soft <= this.#target[index]!)) this.#soft[index] = this.#target[index]!;
  }

  /** A servo has been read. */
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
