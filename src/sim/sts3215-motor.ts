/**
 * Mechanical parameters of one servo at its shaft. Damping, friction and armature act on the joint whether or not the
 * servo is driven, so they belong to the physics; the servo's firmware uses the rest.
 */
export interface MotorParameters {
  /** Position stiffness at P = `referenceGain`, Nm/rad; proportional to P. */
  readonly stiffness: number;
  /** P coefficient for which `stiffness` holds. */
  readonly referenceGain: number;
  /** Torque at standstill and full duty, Nm, at `nominalVoltage`. */
  readonly stallTorque: number;
  /** Speed at which back-EMF leaves no drive, rad/s, at `nominalVoltage`. */
  readonly noLoadSpeed: number;
  /** Supply voltage for which the figures above hold, V. */
  readonly nominalVoltage: number;
  /** Current at standstill and full duty, A. */
  readonly stallCurrent: number;
  /** Viscous damping of the geared motor, Nm s/rad. Most of it is back-EMF: shaft torque falls with speed. */
  readonly damping: number;
  /** Dry friction of the gear train, Nm. */
  readonly frictionLoss: number;
  /** Rotor inertia seen at the shaft, kg m^2. */
  readonly armature: number;
}

/**
 * Feetech STS3215, 7.4 V. Stiffness, torque limit, damping, friction and armature: TheRobotStudio/SO-ARM100,
 * Simulation/SO101/joints_properties.xml (Apache-2.0); the stiffness is assumed to hold for P = 32. No-load speed and
 * stall current: Feetech's product sheet, rounded.
 */
export const STS3215_MOTOR: MotorParameters = {
  stiffness: 17.8,
  referenceGain: 32,
  stallTorque: 2.94,
  noLoadSpeed: 5.5,
  nominalVoltage: 7.4,
  stallCurrent: 2.4,
  damping: 0.6,
  frictionLoss: 0.052,
  armature: 0.028,
};
