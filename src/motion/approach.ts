import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { ArmPlanning } from './planners.ts';

/** Speed of an arm that moves by itself to where a hand takes it, rad/s, and its time limit, s. */
const SPEED = 0.8;
const LIMIT = 15;
/** A joint further from its goal than this has not arrived, rad. */
const ARRIVED = 0.1;

/**
 * Drives an arm with torque on along a checked path to `goal` (rad).
 * @returns null when it has arrived, else why not; the arm then holds
 */
export async function approach(session: ArmSession, planning: ArmPlanning, goal: Float64Array): Promise<string | null> {
  const { arm } = session;
  const route = await planning.route(arm.read().setpoints.slice(), goal);
  if (typeof route === 'string') return `it would hit something on its way: ${route}`;
  session.renew(LIMIT);
  for (const leg of route) {
    const problem = await session.drive({ kind: 'trajectory', goal: leg, speed: SPEED });
    if (problem !== null) return problem;
  }
  session.renew(Number.POSITIVE_INFINITY);
  return heldBack(arm, goal);
}

/**
 * Why a joint of a resting arm has not arrived, human-readable; null if all have.
 * @param goal rad; NaN for joints that need not be anywhere @param band how far from it a joint may be, rad
 */
export function heldBack(arm: Arm, goal: Float64Array, band = ARRIVED): string | null {
  const { positions } = arm.read();
  const short = arm.model.joints.findIndex((_, i) => Math.abs(positions[i]! - goal[i]!) > band);
  if (short < 0) return null;
  const itsOwn = goal.map((angle, i) => (i === short ? angle : Number.NaN));
  return arm.servoLimitAt(itsOwn) || `something holds its ${arm.model.joints[short]!.name} back`;
}
