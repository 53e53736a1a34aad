/** How one servo's steps become a joint angle: angle = sign * (steps - zero) * 2 pi / stepsPerTurn. */
export interface ServoCalibration {
  readonly sign: 1 | -1;
  /** Steps at joint angle zero. */
  readonly zero: number;
  readonly stepsPerTurn: number;
}

/** Servo steps to joint angle, rad. */
export function stepsToRadians(calibration: ServoCalibration, steps: number): number {
  return (calibration.sign * (steps - calibration.zero) * 2 * Math.PI) / calibration.stepsPerTurn;
}

/** Joint angle, rad, to the nearest servo step. */
export function radiansToSteps(calibration: ServoCalibration, angle: number): number {
  return Math.round((calibration.sign * angle * calibration.stepsPerTurn) / (2 * Math.PI) + calibration.zero);
}
