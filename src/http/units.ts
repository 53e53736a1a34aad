/** Centimetres and degrees live in this room only; everything behind it is in metres and radians. */

export const metresFromCentimetres = (length: number): number => length / 100;
/** In this order the largest number is finite too. */
export const radiansFromDegrees = (angle: number): number => (angle / 180) * Math.PI;

/** A length in cm; never negative zero, which JSON would print as "-0" in some clients. */
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

/** How the steps of a joint's servo count. */
interface Steps {
  readonly sign: 1 | -1;
  /** Steps at joint angle 0. */
  readonly zero: number;
  readonly stepsPerTurn: number;
}

/** Whole servo steps at a joint angle, rad. */
export function stepsFromRadians({ sign, zero, stepsPerTurn }: Steps, angle: number): number {
  return Math.round((sign * angle * stepsPerTurn) / (2 * Math.PI) + zero);
}

export function radiansFromSteps({ sign, zero, stepsPerTurn }: Steps, steps: number): number {
  return (sign * (steps - zero) * 2 * Math.PI) / stepsPerTurn;
}
