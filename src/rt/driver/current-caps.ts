/** What a servo with a cap has in its register of the largest current, or part of its output, in counts. */
export interface FoundCap {
  readonly counts: number;
  /** What the data of its arm and its EEPROM say that it should have there. */
  readonly usual: number;
  /** Torque of one count, Nm. */
  readonly torquePerCount: number;
  /** Torque at standstill and full output, Nm. */
  readonly stallTorque: number;
  /** It keeps to a cap while its arm floats too. */
  readonly floating: boolean;
  /** It has torque. */
  readonly holds: boolean;
}

/** Caps of an arm's servos, in register counts: their own ones, and those that they are given while it floats; 0: none. */
export interface CapPlan {
  readonly own: readonly number[];
  readonly soft: readonly number[];
}

/**
 * Largest currents, or parts of the full output, of the servos of one arm, where they keep to one: what they may push with
 * while the arm floats, whatever becomes of the bridge meanwhile, and what a gripper may squeeze with. While the arm floats
 * goals are kept within the same torque, so a cap takes nothing away that is asked for, and its change is felt by nobody.
 */
export class CurrentCaps {
  /** What is to be written, counts. */
  readonly wanted: Float64Array;
  /** 1 for each servo that has a cap. */
  readonly capped: Uint8Array;
  /** Some servo is not known to have the cap that it is to have. */
  pending = false;
  /** Every servo is known to have its own cap, or keeps the one with which it held, which says itself that it is not its own. */
  restored = true;
  /** Every servo is known to have its own cap, or the smaller one that it works with. */
  works = true;
  /** The arm floats. */
  #floating = false;
  readonly #floats: Uint8Array;
  /** Largest torque by joint that somebody has asked for, Nm. */
  readonly #limits: Float64Array;
  /** By servo, counts: the cap with which it held when its bus was opened, until its joint is asked to move; infinite for none. */
  readonly #kept: Float64Array;
  /** Some joint is limited, or some servo keeps the cap with which it held. */
  #bound = false;
  readonly #joint: readonly number[];
  readonly #own: Float64Array;
  readonly #soft: Float64Array;
  readonly #confirmed: Float64Array;
  /** By servo, Nm; 0 without a cap. */
  readonly #torquePerCount: Float64Array;
  readonly #stallTorque: Float64Array;

  /**
   * @param joint joint of each servo
   * @param left what a bridge that did not end properly has left behind; null: nothing
   */
  constructor(joint: readonly number[], left: CapPlan | null) {
    const count = joint.length;
    this.#joint = joint;
    this.wanted = new Float64Array(count);
    this.capped = new Uint8Array(count);
    this.#own = new Float64Array(count);
    this.#soft = new Float64Array(count);
    this.#confirmed = new Float64Array(count);
    this.#torquePerCount = new Float64Array(count);
    this.#stallTorque = new Float64Array(count);
    this.#floats = new Uint8Array(count);
    this.#limits = new Float64Array(1 + Math.max(...joint)).fill(Number.POSITIVE_INFINITY);
    this.#kept = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    if (left === null || left.own.length !== count || left.soft.length !== count) return;
    this.#own.set(left.own);
    this.#soft.set(left.soft);
  }

  /**
   * What a servo has when its bus is opened; null: no cap. One that holds with less than its own keeps that, whoever gave it
   * to it: with more it would squeeze what its joint holds. A limp one is to have its own.
   */
  found(index: number, cap: FoundCap | null): void {
    this.capped[index] = cap === null ? 0 : 1;
    this.#stallTorque[index] = cap?.stallTorque ?? 0;
    this.#torquePerCount[index] = cap?.torquePerCount ?? 0;
    const counts = cap?.counts ?? 0;
    const joint = this.#joint[index]!;
    const given = cap !== null && [this.#soft[index], this.#confirmed[index], this.wanted[index]].includes(counts);
    if (!given) this.#own[index] = Math.max(counts, cap?.usual ?? 0);
    this.#confirmed[index] = counts;
    this.#floats[index] = cap?.floating === true ? 1 : 0;
    this.#limits[joint] = Number.POSITIVE_INFINITY;
    const keeps = cap?.holds === true && counts < this.#own[index]!;
    this.#kept[index] = keeps ? counts : Number.POSITIVE_INFINITY;
    this.#bound ||= keeps;
    this.#want();
  }

  /** What servos would be given for these torques (Nm, by joint); those of a joint share its torque by their strength. */
  plan(torques: ArrayLike<number>): CapPlan {
    const own = Array.from(this.#own);
    return { own, soft: own.map((_, i) => this.#softCounts(i, torques)) };
  }

  /** Wants caps of these torques, Nm by joint. */
  soften(torques: ArrayLike<number>): void {
    for (let i = 0; i < this.wanted.length; i++) this.#soft[i] = this.#softCounts(i, torques);
    this.#floating = true;
    this.#want();
  }

  /** Wants the servos' own caps again, or those that their joints are limited to. */
  restore(): void {
    this.#floating = false;
    this.#want();
  }

  /** Wants the servos of a joint to give no more than this torque together, Nm; infinite: as much as their own caps let them. */
  limit(joint: number, torque: number): void {
    this.#limits[joint] = torque;
    if (torque !== Number.POSITIVE_INFINITY) this.#bound = true;
    this.asked(joint);
  }

  /** A joint is asked to move: its servos need not keep the caps with which they held. */
  asked(joint: number): void {
    if (!this.#bound) return;
    for (let i = 0; i < this.#joint.length; i++) if (this.#joint[i] === joint) this.#kept[i] = Number.POSITIVE_INFINITY;
    this.#want();
  }

  /** No servo has torque: all may have their own caps again. */
  slacken(): void {
    if (!this.#bound) return;
    this.#bound = false;
    this.#limits.fill(Number.POSITIVE_INFINITY);
    this.#kept.fill(Number.POSITIVE_INFINITY);
    this.#want();
  }

  /** Whether every servo of a joint keeps to a largest torque. */
  caps(joint: number): boolean {
    for (let i = 0; i < this.#joint.length; i++) if (this.#joint[i] === joint && this.capped[i] === 0) return false;
    return true;
  }

  /** A servo has been read. */
  confirm(index: number, counts: number): void {
    if (this.capped[index] === 0) return;
    this.#confirmed[index] = counts;
    this.#settle();
  }

  #softCounts(index: number, torques: ArrayLike<number>): number {
    return this.#floats[index] === 0 ? 0 : this.#countsFor(index, torques[this.#joint[index]!]!);
  }

  /** Those of a joint share its torque by their strength. */
  #countsFor(index: number, torque: number): number {
    const joint = this.#joint[index]!;
    let strength = 0;
    for (let i = 0; i < this.#joint.length; i++) if (this.#joint[i] === joint) strength += this.#stallTorque[i]!;
    const counts = (torque * this.#stallTorque[index]!) / (strength * this.#torquePerCount[index]!);
    return Math.min(this.#own[index]!, Math.max(1, Math.round(counts)));
  }

  #work(index: number): number {
    const limit = this.#limits[this.#joint[index]!]!;
    const most = limit === Number.POSITIVE_INFINITY ? this.#own[index]! : this.#countsFor(index, limit);
    return Math.min(most, this.#kept[index]!);
  }

  #want(): void {
    for (let i = 0; i < this.wanted.length; i++) {
      if (this.capped[i] === 0) continue;
      this.wanted[i] = this.#floating && this.#floats[i] === 1 ? this.#soft[i]! : this.#work(i);
    }
    this.#settle();
  }

  #settle(): void {
    this.pending = false;
    this.restored = true;
    this.works = true;
    for (let i = 0; i < this.wanted.length; i++) {
      if (this.capped[i] === 0) continue;
      const confirmed = this.#confirmed[i]!;
      if (confirmed !== this.wanted[i]) this.pending = true;
      if (confirmed !== this.#own[i] && confirmed !== this.#kept[i]) this.restored = false;
      if (confirmed !== this.#work(i)) this.works = false;
    }
  }
}
