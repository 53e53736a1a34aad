/** Cap found in a servo's register of the largest current, or of the largest part of its output, counts. */
export interface FoundCap {
  readonly counts: number;
  /** Counts that it should have, according to its arm's data and its EEPROM. */
  readonly usual: number;
  /** Torque of one count, Nm. */
  readonly torquePerCount: number;
  /** Torque at standstill and full output, Nm. */
  readonly stallTorque: number;
  /** The cap also applies while the arm floats. */
  readonly floating: boolean;
  /** The servo has torque. */
  readonly holds: boolean;
}

/** Caps of an arm's servos, in register counts: their own, and those while the arm floats; 0: none. */
export interface CapPlan {
  readonly own: readonly number[];
  readonly soft: readonly number[];
}

/**
 * Caps of one arm's servos: the largest current, or the largest part of the full output, of servos that have one. They
 * limit what a floating arm may push with, whatever becomes of the bridge meanwhile, and what a gripper may squeeze
 * with. Goals of a floating arm stay within the same torque, so its caps take nothing away, and nobody feels them
 * change.
 */
export class CurrentCaps {
  /** Caps to write, counts. */
  readonly wanted: Float64Array;
  /** 1 for each servo that has a cap. */
  readonly capped: Uint8Array;
  /** Some servo has not confirmed its wanted cap. */
  pending = false;
  /**
   * Every servo has confirmed its own cap, or the smaller one with which it held: the next check recognises that one as
   * not its own.
   */
  restored = true;
  /** Every servo has confirmed its own cap, or the smaller one that it works with. */
  works = true;
  /** The arm floats. */
  #floating = false;
  readonly #floats: Uint8Array;
  /** Requested torque limit by joint, Nm; infinite for none. */
  readonly #limits: Float64Array;
  /**
   * By servo, counts: cap with which it held when its bus was opened, kept until its joint must move; infinite: none.
   */
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
   * @param left caps that a bridge which did not end properly may have left in the servos; null: none
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
   * Takes the cap that a servo has when its bus is opened; null: no cap. A servo that holds with less than its own cap
   * keeps the smaller one, whoever set it: with more it would squeeze what its joint holds. A limp servo gets its own
   * cap.
   */
  found(index: number, cap: FoundCap | null): void {
    this.capped[index] = cap === null ? 0 : 1;
    this.#stallTorque[index] = cap?.stallTorque ?? 0;
    this.#torquePerCount[index] = cap?.torquePerCount ?? 0;
    const counts = cap?.counts ?? 0;
    const joint = this.#joint[index]!;
    const given = counts > 0 && [this.#soft[index], this.#confirmed[index], this.wanted[index]].includes(counts);
    if (!given) this.#own[index] = Math.max(counts, cap?.usual ?? 0);
    this.#confirmed[index] = counts;
    this.#floats[index] = cap?.floating === true ? 1 : 0;
    this.#limits[joint] = Number.POSITIVE_INFINITY;
    const keeps = cap?.holds === true && counts < this.#own[index]!;
    this.#kept[index] = keeps ? counts : Number.POSITIVE_INFINITY;
    this.#bound ||= keeps;
    this.#want();
  }

  /** The caps for these torques, Nm by joint; servos of a joint share its torque in proportion to stall torque. */
  plan(torques: ArrayLike<number>): CapPlan {
    const own = Array.from(this.#own);
    return { own, soft: own.map((_, i) => this.#softCounts(i, torques)) };
  }

  /** Requests caps at these torques, Nm by joint: the arm floats. */
  soften(torques: ArrayLike<number>): void {
    for (let i = 0; i < this.wanted.length; i++) this.#soft[i] = this.#softCounts(i, torques);
    this.#floating = true;
    this.#want();
  }

  /** Requests the caps for an arm that does not float: the servos' own, or those of their joints' limits. */
  restore(): void {
    this.#floating = false;
    this.#want();
  }

  /** Limits the torque of a joint's servos together, Nm; infinite: up to their own caps. */
  limit(joint: number, torque: number): void {
    this.#limits[joint] = torque;
    if (torque !== Number.POSITIVE_INFINITY) this.#bound = true;
    this.asked(joint);
  }

  /** A joint is asked to move, so its servos no longer keep the caps with which they held. */
  asked(joint: number): void {
    if (!this.#bound) return;
    for (let i = 0; i < this.#joint.length; i++) if (this.#joint[i] === joint) this.#kept[i] = Number.POSITIVE_INFINITY;
    this.#want();
  }

  /** No servo has torque, so all may have their own caps again. */
  slacken(): void {
    if (!this.#bound) return;
    this.#bound = false;
    this.#limits.fill(Number.POSITIVE_INFINITY);
    this.#kept.fill(Number.POSITIVE_INFINITY);
    this.#want();
  }

  /** Whether every servo of a joint has a cap. */
  caps(joint: number): boolean {
    for (let i = 0; i < this.#joint.length; i++) if (this.#joint[i] === joint && this.capped[i] === 0) return false;
    return true;
  }

  /** Takes the cap read back from a servo, counts. */
  confirm(index: number, counts: number): void {
    if (this.capped[index] === 0) return;
    this.#confirmed[index] = counts;
    this.#settle();
  }

  #softCounts(index: number, torques: ArrayLike<number>): number {
    return this.#floats[index] === 0 ? 0 : this.#countsFor(index, torques[this.#joint[index]!]!);
  }

  /** Servos of a joint share its torque in proportion to stall torque. */
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
