import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import { CRAWL } from '../rt/joint/crawl.ts';
import { heldBack } from './approach.ts';

/** Speed at which an arm is lowered before its torque goes off, rad/s. */
const LOWERING_SPEED = 1;
/** Longest lowering at that speed, and at the speed of an arm that may only crawl, s: both end before the bridge is killed. */
const LOWERING_LIMIT = 8;
const CRAWLING_LIMIT = 20;
/** An arm further from its rest pose than this is not down, rad. */
const DOWN_BAND = 0.15;
/** Joints of an arm whose servos are lost. More may be lost while it is lowered. */
export type LostJoints = Pick<ReadonlySet<number>, 'has' | 'keys' | 'size'>;

/** All servos of the arm work. */
export const NONE: LostJoints = new Set();

/** A way down from where an arm stands (poses, rad), or what it would hit. */
export type WayDown = readonly Float64Array[] | string;

/**
 * Drives an arm along a checked path, which ends at its rest pose. A joint whose servo is slowed by a register cannot
 * follow at the usual speed: then the arm is lowered slowly from where it has come to rest.
 * @param way checked, from where the arm stands @param anew plans such a way once more
 * @param without joints whose servos are lost and stay where they lie
 * @returns null, or why the arm is not down
 */
export async function lowerTo(
  session: ArmSession,
  way: readonly Float64Array[],
  anew: () => Promise<WayDown>,
  without: LostJoints = NONE,
): Promise<string | null> {
  const problem = await down(session, way, LOWERING_SPEED, without);
  if (problem === null || !session.straggled) return problem;
  // The slow joint is still on its way to where its goal has stopped.
  await session.settle();
  const rest = await anew();
  if (typeof rest === 'string') return problem;
  session.renew(CRAWLING_LIMIT);
  return down(session, rest, CRAWL, without);
}

/** The longest that an arm may take to its rest pose once it is on its way, s. */
export function loweringLimit(arm: Arm): number {
  return arm.doubt === '' ? LOWERING_LIMIT : CRAWLING_LIMIT;
}

async function down(
  session: ArmSession,
  way: readonly Float64Array[],
  speed: number,
  without: LostJoints,
): Promise<string | null> {
  for (const goal of way) {
    const problem = await session.drive({ kind: 'trajectory', goal, speed });
    if (problem !== null) return problem;
  }
  await session.settle();
  const rest = way.at(-1)!.slice();
  const { gripper } = session.arm.model;
  if (gripper !== null) rest[gripper.index] = Number.NaN;
  for (const joint of without.keys()) rest[joint] = Number.NaN;
  return session.lost ?? heldBack(session.arm, rest, DOWN_BAND);
}
