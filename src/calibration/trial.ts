import type { Arm } from '../arm/arm.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { Caller } from '../arm/types.ts';

/** Amount and speed of each trial move, rad and rad/s: visible, and as slow as any move of an arm without a calibration. */
export const NUDGE = 0.1;
const SPEED = 0.3;
/** Margin to the joint limits, rad. */
const ROOM = 0.02;
/**
 * Largest distance between setpoint and joint, rad; beyond it something blocks the joint (1.4 Nm of an SO-101's 2.9).
 */
const LAG = 0.08;
/** Fraction of the commanded move that counts as moved. */
const MOVED = 0.5;
/** Time limit for all joints, s. */
const LIMIT = 60;
/** Time over which the arm hands its weight to the user, s. */
const FADE = 2;

/** Names of the joints at or beyond their limits; empty if torque may go on. */
export function outside(arm: Arm): string {
  const { positions } = arm.read();
  return arm.model.joints
    .filter(({ lower, upper }, i) => !(positions[i]! > lower + ROOM && positions[i]! < upper - ROOM))
    .map(({ name }) => name)
    .join(', ');
}

/**
 * Amount of each joint's trial move, rad: towards larger role angles (opening for a gripper) if the limits allow that
 * from the setpoint, else the other way.
 * @param only names of the joints to move; undefined: all
 */
export function nudges(arm: Arm, only?: readonly string[]): Float64Array {
  const { setpoints } = arm.read();
  const { joints, gripper } = arm.model;
  return Float64Array.from(joints, ({ name, lower, upper, roleFrame }, i) => {
    if (only?.includes(name) === false) return 0;
    const wish = gripper?.index === i ? Math.sign(gripper.open - gripper.closed) : (roleFrame?.sign ?? 1);
    const goal = setpoints[i]! + wish * NUDGE;
    return goal > lower + ROOM && goal < upper - ROOM ? wish * NUDGE : -wish * NUDGE;
  });
}

/**
 * Moves the joints of an arm one by one by `by` (rad; 0: not at all) and back. Starts at the pose `home` (rad), where
 * the arm holds or near which an earlier trial ended. If a joint does not follow its setpoint, the trial ends and the
 * arm holds.
 * @returns null if each joint moved as asked according to its own servo, else what differed, for users
 * @throws {BridgeError}
 */
export async function moveEach(arm: Arm, home: Float64Array, by: Float64Array, caller: Caller): Promise<string | null> {
  const session = arm.claim(caller, { timeLimit: LIMIT });
  try {
    const away = await guarded(session, home);
    if (away !== null) return away;
    for (const [i, { name }] of arm.model.joints.entries()) {
      if (by[i] === 0) continue;
      const start = (await session.settle()).positions[i]!;
      const goal = home.slice();
      goal[i] = goal[i]! + by[i]!;
      const problem = await guarded(session, goal);
      if (problem !== null) return `${name}: ${problem}`;
      const moved = (await session.settle()).positions[i]! - start;
      if (moved / by[i]! < MOVED) {
        return `${name} was asked to move by ${by[i]!.toFixed(2)} rad and moved by ${moved.toFixed(2)}: something holds it, or its servo is ailing`;
      }
      const back = await guarded(session, home);
      if (back !== null) return `${name}: ${back}`;
    }
    return null;
  } finally {
    session.end();
  }
}

/** Switches torque on at the present position. @returns null, or why it failed @throws {BridgeError} */
export async function holdTorque(arm: Arm, caller: Caller): Promise<string | null> {
  const session = arm.claim(caller, { still: true });
  try {
    return await session.torqueOn();
  } finally {
    session.end();
  }
}

/**
 * Lets a holding arm go limp, slowly enough for a hand to take its weight.
 * @returns null, or why it has not
 * @throws {BridgeError}
 */
export async function goLimp(arm: Arm, caller: Caller): Promise<string | null> {
  if (!arm.read().torque) return null;
  const session = arm.claim(caller, { timeLimit: FADE + 2 });
  try {
    const support = new Float64Array(arm.model.joints.length).fill(1);
    const problem = await session.drive({ kind: 'float', support, fade: FADE, gains: null });
    if (problem === null && arm.read().torque) await session.torqueOff();
    return problem;
  } finally {
    session.end();
  }
}

/** Drives to `goal`; stops if a joint falls behind its setpoint. @returns null, or why it has not arrived */
async function guarded(session: ArmSession, goal: Float64Array): Promise<string | null> {
  const { arm } = session;
  let over = false;
  let blocked = '';
  const driven = session.drive({ kind: 'trajectory', goal, speed: SPEED }).finally(() => {
    over = true;
  });
  while (!over) {
    await arm.nextCycle();
    const { setpoints, positions } = arm.read();
    const late = arm.model.joints.find((_, i) => Math.abs(setpoints[i]! - positions[i]!) > LAG);
    if (late === undefined || over || blocked !== '') continue;
    blocked = `${late.name} does not follow: something holds it, or its servo counts against its motor`;
    await session.brake();
  }
  const problem = await driven;
  return blocked === '' ? problem : blocked;
}
