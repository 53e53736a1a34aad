import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';

/** Speed at which an arm is lowered before its torque goes off, rad/s. */
const LOWERING_SPEED = 1;
/** An arm further from its rest pose than this is not down, rad. */
const DOWN_BAND = 0.15;

/**
 * Drives an arm along a checked path (poses, rad), which ends at its rest pose.
 * @param without joint whose servo is limp and stays where it lies; null: none
 * @returns null, or why the arm is not down
 */
export async function lowerTo(
  session: ArmSession,
  route: readonly Float64Array[],
  without: number | null = null,
): Promise<string | null> {
  for (const goal of route) {
    const problem = await session.drive({ kind: 'trajectory', goal, speed: LOWERING_SPEED });
    if (problem !== null) return problem;
  }
  await session.settle();
  return session.lost ?? heldBack(session.arm, route.at(-1)!, without);
}

function heldBack(arm: Arm, rest: Float64Array, without: number | null): string | null {
  const { positions } = arm.read();
  const blocked = arm.model.joints.find(
    ({ role }, i) => role !== 'gripper' && i !== without && Math.abs(positions[i]! - rest[i]!) > DOWN_BAND,
  );
  if (blocked === undefined) return null;
  return arm.servoLimitAt(rest) || `something holds ${blocked.name} back`;
}
