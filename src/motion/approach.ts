import type { ArmHandle, RunningMotion } from '../arm/handle.ts';
import type { ArmPlanner } from './planner.ts';

/** Speed of an arm that goes somewhere by itself so that a hand can take it there, rad/s, and the longest way, s. */
const SPEED = 0.8;
const LIMIT = 15;
/** A joint further from where it was sent has not arrived, rad. */
const ARRIVED = 0.1;

/**
 * Drives an arm that the caller has claimed, and whose torque is on, along a checked way to `goal` (rad).
 * @returns null when it has arrived, else why not; the arm holds then
 */
export async function approach(
  arm: ArmHandle,
  planner: ArmPlanner,
  goal: Float64Array,
  signal: AbortSignal,
): Promise<string | null> {
  const route = planner.route(arm.read().setpoints.slice(), goal);
  if (typeof route === 'string') return `it would hit something on its way: ${route}`;
  const late = new AbortController();
  const timer = arm.clock.after(LIMIT, () => late.abort());
  try {
    return await along(arm, route, signal, late.signal);
  } finally {
    timer.cancel();
  }
}

async function along(
  arm: ArmHandle,
  route: readonly Float64Array[],
  signal: AbortSignal,
  timer: AbortSignal,
): Promise<string | null> {
  const goal = route.at(-1)!;
  const given = AbortSignal.any([signal, timer]);
  for (const leg of route) {
    if (given.aborted) return ended(timer);
    const motion = await arm.drive({ kind: 'trajectory', goal: leg, speed: SPEED });
    const reason = await outcome(motion, given);
    if (reason === 'aborted') {
      await arm.cancel(motion.motion);
      return ended(timer);
    }
    if (reason !== 'done') return `its motion ended (${reason})`;
  }
  const { positions } = arm.read();
  const short = arm.model.joints.find((_, i) => Math.abs(positions[i]! - goal[i]!) > ARRIVED);
  return short === undefined ? null : `something holds its ${short.name} back`;
}

function ended(timer: AbortSignal): string {
  return timer.aborted ? `it has not arrived within ${LIMIT} s` : 'it was stopped';
}

async function outcome(motion: RunningMotion, signal: AbortSignal): Promise<string> {
  let onAbort: () => void = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    onAbort = () => resolve('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([motion.ended, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
