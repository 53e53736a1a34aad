/** Imperfections of the gears between a motor and its joint. */
export interface GearOptions {
  /** Play: angle by which the joint can turn without the motor, rad. */
  readonly backlash?: number;
  /** Number of rest positions per turn of the joint, and the torque that pulls the joint towards them, Nm. */
  readonly detents?: { readonly perTurn: number; readonly torque: number };
}

/** The gears of one joint. The motor crosses the play at the no-load speed for its torque. */
export class Gear {
  readonly #half: number;
  readonly #detents: number;
  readonly #detentTorque: number;
  readonly #speedPerTorque: number;
  /** Position of the motor side within the play, rad. */
  #slack = 0;

  /** @param speedPerTorque no-load speed of the motor over its stall torque, rad/s per Nm */
  constructor({ backlash = 0, detents }: GearOptions, speedPerTorque: number) {
    this.#half = backlash / 2;
    this.#detents = detents?.perTurn ?? 0;
    this.#detentTorque = detents?.torque ?? 0;
    this.#speedPerTorque = speedPerTorque;
  }

  /**
   * @param torque of the motor, Nm
   * @param position of the joint, rad
   * @param velocity of the joint, rad/s
   * @returns the torque of the gears on the joint, Nm
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
