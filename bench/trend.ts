import { median } from './table.ts';

/**
 * Slope of values over their places, robust against a few that stand out: the median of the slopes of all pairs
 * (Theil 1950, Sen 1968).
 * @returns change per place; NaN for fewer than two values
 */
export function slope(values: readonly number[]): number {
  return median(values.flatMap((from, i) => values.slice(i + 1).map((to, n) => (to - from) / (n + 1))));
}
