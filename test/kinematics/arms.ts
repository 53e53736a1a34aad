import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { armChain, loadArmModel, ROBOTS_DIRECTORY } from '../../src/arm/model.ts';
import type { Chain } from '../../src/kinematics/chain.ts';

/** Every arm of `robots/`. */
export const ARMS = readdirSync(ROBOTS_DIRECTORY)
  .filter((name) => existsSync(join(ROBOTS_DIRECTORY, name, 'arm.yaml')))
  .map((name) => {
    const model = loadArmModel(name);
    return { name, model, chain: armChain(model) };
  });

/** Joint positions of any chain with finite limits from parts 0..1 of the range, at least `margin` from its ends. */
export function positionsAt(chain: Chain, parts: ArrayLike<number>, margin: number): Float64Array {
  return Float64Array.from(
    chain.limits,
    ({ lower, upper }, index) => lower + margin + parts[index]! * (upper - lower - 2 * margin),
  );
}

/** Random joint positions of any chain with finite limits, at least `margin` from the ends of the ranges. */
export function randomPositionsOf(chain: Chain, next: () => number, margin: number): Float64Array {
  return positionsAt(chain, Array.from(chain.joints, next), margin);
}
