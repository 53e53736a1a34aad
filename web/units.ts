/** Numbers as people read them. */

const DEGREES = 180 / Math.PI;

export const degrees = (radians: number): number => radians * DEGREES;
export const radians = (angle: number): number => angle / DEGREES;

/** A number with a fixed count of decimals and a unit; a dash for what is not known. */
export function measure(value: number | null | undefined, decimals: number, unit: string): string {
  if (value === null || value === undefined) return '–';
  // No "-0.0".
  return `${(Math.round(value * 10 ** decimals) / 10 ** decimals + 0).toFixed(decimals)}${unit}`;
}

/** Milliseconds of a time in seconds. */
export const milliseconds = (time: number | null): string => measure(time === null ? null : time * 1000, 1, ' ms');

/** Names of joints and poses for people. */
export const spoken = (name: string): string => name.replaceAll('_', ' ');
