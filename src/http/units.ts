/** Only the HTTP interface uses centimetres and degrees; all code behind it uses metres and radians. */

export const metresFromCentimetres = (length: number): number => length / 100;
/** Divides first, so that the largest number does not overflow. */
export const radiansFromDegrees = (angle: number): number => (angle / 180) * Math.PI;

/** A length in cm; never negative zero, which some clients would show as "-0". */
export function centimetres(length: number): number {
  return length * 100 + 0;
}

/** An angle in degrees, in (-180, 180]. */
export function degrees(angle: number): number {
  const value = (angle * 180) / Math.PI + 0;
  if (value > -180 && value <= 180) return value;
  const wrapped = value - 360 * Math.ceil((value - 180) / 360);
  return wrapped + 0;
}

/** Step scale of a joint's servo. */
interface Steps {
  readonly sign: 1 | -1;
  /** Step at joint angle 0. */
  readonly zero: number;
  readonly stepsPerTurn: number;
}

/** Servo step, rounded, at a joint angle in rad. */
export function stepsFromRadians({ sign, zero, stepsPerTurn }: Steps, angle: number): number {
  return Math.round((sign * angle * stepsPerTurn) / (2 * Math.PI) + zero);
}

export function radiansFromSteps({ sign, zero, stepsPerTurn }: Steps, steps: number): number {
  return (sign * (steps - zero) * 2 * Math.PI) / stepsPerTurn;
}
