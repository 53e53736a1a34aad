import { DYNAMIXEL } from './dynamixel/dynamixel-family.ts';
import { FEETECH } from './feetech/feetech-family.ts';
import type { ServoFamily } from './servo-family.ts';

/** All servo families that the bridge knows. */
export const FAMILIES: readonly ServoFamily[] = [
  // One line for each.
  FEETECH,
  DYNAMIXEL,
];

/** A family by its name in the arm's data. @throws {RangeError} for an unknown name */
export function familyByName(name: string): ServoFamily {
  const family = FAMILIES.find((known) => known.name === name);
  if (family !== undefined) return family;
  throw new RangeError(
    `there is no servo family "${name}"; there are ${FAMILIES.map((known) => known.name).join(', ')}`,
  );
}
