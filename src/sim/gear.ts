/** Imperfections of the gears between a motor and its joint. */
export interface GearOptions {
  /** Play: angle by which the joint can turn without the motor, rad. */
  readonly backlash?: number;
  /** Number of rest positions per turn of the joint, and the torque that pulls the joint towards them, Nm. */
  readonly detents?: { readonly perTurn: number; readonly torque: number };
}

/** The gears of one joint. Its motors turn together and cross the play at the no-load speed for its torque. */
export class Gear {
  readonly #half: number;
  readonly #detents: number;
  readonly #detentTorque: number;
  /** Of all motors together, rad/s per Nm. */
  readonly #speedPerTorque: number;
  /** Position of the motor side within the play, rad. */
  #slack = 0;

  /** @param motors equal ones that turn the joint together: their no-load speed, rad/s, and stall torque, Nm */
  constructor(
    { backlash = 0, detents }: GearOptions,
    motors: readonly { readonly noLoadSpeed: number; readonly stallTorque: number }[],
  ) {
    this.#half = backlash / 2;
    this.#detents = detents?.perTurn ?? 0;
    this.#detentTorque = detents?.torque ?? 0;
    this.#speedPerTorque = motors[0]!.noLoadSpeed / motors.reduce((total, { stallTorque }) => total + stallTorque, 0);
  }

  /**
   * @param torque of all motors together, Nm
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
