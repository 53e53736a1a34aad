import type { ArmSession } from '../arm/arm-session.ts';
import type { ArmPlanning } from './planners.ts';

/** Speed of an arm that goes somewhere by itself so that a hand can take it there, rad/s, and the longest way, s. */
const SPEED = 0.8;
const LIMIT = 15;
/** A joint further from where it was sent has not arrived, rad. */
const ARRIVED = 0.1;

/**
 * Drives an arm whose torque is on along a checked way to `goal` (rad).
 * @returns null when it has arrived, else why not; the arm holds then
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
  const { positions } = arm.read();
  const short = arm.model.joints.find((_, i) => Math.abs(positions[i]! - goal[i]!) > ARRIVED);
  return short === undefined ? null : `something holds its ${short.name} back`;
}
