import { expect } from 'vitest';

/** Largest difference of a joint, rad. */
export function furthest(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((angle, j) => Math.abs(angle - b[j]!)));
}

/** Expects each joint of one pose within `tolerance` (rad) of the other's. */
export function expectNear(a: Record<string, number>, b: Record<string, number>, tolerance: number): void {
  for (const name of Object.keys(a)) expect(Math.abs(a[name]! - b[name]!)).toBeLessThan(tolerance);
}
