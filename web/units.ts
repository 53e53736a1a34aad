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

/** Samples that are further apart may miss what a person looks for, such as the moment of a grasp, s. */
const COARSE = 0.1;

/** What curves with samples at these times, s, do not show; empty: they show all that a person could tell. */
export function toldOfSpacing(times: readonly number[]): string {
  const spacing = times.length < 2 ? 0 : (times.at(-1)! - times[0]!) / (times.length - 1);
  return spacing <= COARSE
    ? ''
    : `The curves have a sample every ${measure(spacing, 1, ' s')}: what is shorter may be missing. Trim a part to see it finely.`;
}
