/** What the gears between a motor and its joint do besides turning, all of it chosen for one joint. */
export interface GearOptions {
  /** Angle by which the joint can be turned without the motor, rad. */
  readonly backlash?: number;
  /** Places at which the joint likes to stand, in a turn of it, and how strongly it is drawn to them, Nm. */
  readonly detents?: { readonly perTurn: number; readonly torque: number };
}

/** The gears of one joint. The motor crosses their play at the speed that its output gives it without a load. */
export class Gear {
  readonly #half: number;
  readonly #detents: number;
  readonly #detentTorque: number;
  readonly #speedPerTorque: number;
  /** Where the motor's side is within the play, rad. */
  #slack = 0;

  /** @param speedPerTorque speed of the motor without a load over its torque at standstill, rad/s per Nm */
  constructor({ backlash = 0, detents }: GearOptions, speedPerTorque: number) {
    this.#half = backlash / 2;
    this.#detents = detents?.perTurn ?? 0;
    this.#detentTorque = detents?.torque ?? 0;
    this.#speedPerTorque = speedPerTorque;
  }

  /**
   * @param torque of the motor, Nm
   * @param position of the joint, rad, and its velocity, rad/s
   * @returns the torque that the gears put on the joint, Nm
   */
  step(dt: number, torque: number, position: number, velocity: number): number {
    const detent = this.#detentTorque === 0 ? 0 : -this.#detentTorque * Math.sin(this.#detents * position);
    if (this.#half === 0) return torque + detent;
    const slack = this.#slack + (torque * this.#speedPerTorque - velocity) * dt;
    this.#slack = Math.min(this.#half, Math.max(-this.#half, slack));
    const engaged = torque > 0 ? this.#slack === this.#half : this.#slack === -this.#half;
    return (engaged ? torque : 0) + detent;
  }
}
