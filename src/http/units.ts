/** Centimetres and degrees live in this room only; everything behind it is in metres and radians. */

export const metresFromCentimetres = (length: number): number => length / 100;
export const radiansFromDegrees = (angle: number): number => (angle * Math.PI) / 180;

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
