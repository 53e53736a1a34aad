import { armChain, loadArmModel } from '../../src/arm/model.ts';

export const so101 = loadArmModel('so101');
export const chain = armChain(so101);
export const pose = (name: string): Float64Array => so101.poses.get(name)!.slice();

/** A repeatable source of numbers in 0..1 (Numerical Recipes' linear congruential generator). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Joint positions evenly over the range, at least `margin` from its ends. */
export function randomPositions(next: () => number, margin = 0): Float64Array {
  return Float64Array.from(chain.limits, ({ lower, upper }) => lower + margin + next() * (upper - lower - 2 * margin));
}
