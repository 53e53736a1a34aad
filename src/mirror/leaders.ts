import type { Arm } from '../arm/arm.ts';
import type { RunningMotion } from '../arm/arm-control.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { GainStore } from '../arm/gain-store.ts';
import { BridgeError, type Caller, messageOf } from '../arm/types.ts';
import { approach } from '../motion/approach.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { ArmPlanning } from '../motion/planners.ts';
import { unmapPositions } from '../rt/sources/joint-map.ts';
import type { GravityPercentages, Release } from './mirroring.ts';
import type { PlannedPair } from './plan.ts';
import { float } from './weight-support.ts';

/** Time over which a leader that was holding goes limp, so that a hand can take it, s. */
const LIMP_TIME = 2;

/**
 * Sends the leader of a pair along a checked way to where its follower is, so that a hand takes over without a bump. Both
 * hold afterwards.
 * @param planning for the leader
 * @throws {BridgeError} bad_pair with what is in the way
 */
export async function alignLeader(
  pair: PlannedPair,
  leading: ArmSession,
  following: ArmSession,
  planning: ArmPlanning,
): Promise<void> {
  const { leader, follower, maps, label } = pair;
  const off = (await following.torqueOn()) ?? (await leading.torqueOn());
  const goal = leader.read().setpoints.slice();
  unmapPositions(maps, follower.read().positions, goal);
  for (const [i, { lower, upper }] of leader.model.joints.entries()) {
    goal[i] = Math.min(Math.max(goal[i]!, lower), upper);
  }
  const problem = off ?? (await approach(leading, planning, goal));
  if (problem === null) return;
  throw new BridgeError(
    'bad_pair',
    `${label}: arm ${leader.name} has not come to its follower: ${problem}. Move it clear, or start with "align": "follower".`,
    { arm: leader },
  );
}

/**
 * Gives a leader to the hand: floating, or limp within some seconds when it was holding.
 * @returns what drives it meanwhile; null for a leader that is limp, or another machine's @throws {BridgeError}
 */
export async function giveToHand(
  leading: ArmSession,
  gravity: GravityPercentages | null,
  store: GainStore,
): Promise<RunningMotion | null> {
  const leader = leading.arm;
  if (leader.remote) return null;
  if (gravity !== null) {
    await leading.torqueOn();
    return float(leading, gravity, store);
  }
  if (!leader.read().torque) return null;
  // The servos that hold may be some only; a fade needs all of them.
  if (!leader.read().holding) await leading.torqueOn();
  const full = new Float64Array(leader.model.joints.length).fill(1);
  return leading.begin({ kind: 'float', support: full, fade: LIMP_TIME, gains: null });
}

/**
 * What becomes of an arm that has floated and holds now, and that nobody owns.
 * @returns what people should know; empty when all went as asked
 */
export async function letGo(arm: Arm, release: Release, moves: MoveService, caller: Caller): Promise<string> {
  if (release === 'hold' || arm.remote) return '';
  try {
    if (release === 'lower') return (await moves.lower(arm, caller)) ?? '';
    const session = arm.claim(caller, { still: true });
    try {
      await session.torqueOff();
    } finally {
      session.end();
    }
    return '';
  } catch (error) {
    // Somebody else has taken it meanwhile, or it is stopped: it holds, and they know.
    return `arm ${arm.name} has not been released: ${messageOf(error)}`;
  }
}
