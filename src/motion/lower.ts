import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';

/** Speed at which an arm is lowered before its torque goes off, rad/s. */
const LOWERING_SPEED = 1;
/** An arm further from its rest pose than this is not down, rad. */
const DOWN_BAND = 0.15;
/** Joints of an arm whose servos are lost. More may be lost while it is lowered. */
export type LostJoints = Pick<ReadonlySet<number>, 'has' | 'keys' | 'size'>;

/** All servos of the arm work. */
export const NONE: LostJoints = new Set();

/**
 * Drives an arm along a checked path (poses, rad), which ends at its rest pose.
 * @param without joints whose servos are lost and stay where they lie
 * @returns null, or why the arm is not down
 */
export async function lowerTo(
  session: ArmSession,
  route: readonly Float64Array[],
  without: LostJoints = NONE,
): Promise<string | null> {
  for (const goal of route) {
    const problem = await session.drive({ kind: 'trajectory', goal, speed: LOWERING_SPEED });
    if (problem !== null) return problem;
  }
  await session.settle();
  return session.lost ?? heldBack(session.arm, route.at(-1)!, without);
}

function heldBack(arm: Arm, rest: Float64Array, without: LostJoints): string | null {
  const { positions } = arm.read();
  const blocked = arm.model.joints.find(
    ({ role }, i) => role !== 'gripper' && !without.has(i) && Math.abs(positions[i]! - rest[i]!) > DOWN_BAND,
  );
  if (blocked === undefined) return null;
  return arm.servoLimitAt(rest) || `something holds ${blocked.name} back`;
}
