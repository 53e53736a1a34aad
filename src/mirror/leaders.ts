import type { Arm } from '../arm/arm.ts';
import type { RunningMotion } from '../arm/arm-control.ts';
import type { ArmSession } from '../arm/arm-session.ts';
import type { GainStore } from '../arm/gain-store.ts';
import { BridgeError, type Caller, type Owner } from '../arm/types.ts';
import { messageOf } from '../message-of.ts';
import { approach } from '../motion/approach.ts';
import type { MoveService } from '../motion/move-service.ts';
import type { ArmPlanning } from '../motion/planners.ts';
import { unmapPositions } from '../rt/sources/joint-map.ts';
import type { GravityPercentages, Release } from './mirroring.ts';
import type { PlannedPair } from './plan.ts';
import { float } from './weight-support.ts';

/** Time over which a holding leader goes limp, so that a hand can take it, s. */
const LIMP_TIME = 2;

/**
 * Drives the leader of a pair along a checked path to its follower's pose, so that a hand takes over without a bump.
 * Then both arms hold.
 * @param planning for the leader
 * @throws {BridgeError} bad_pair with the obstacle
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
 * Hands a leader to the operator: floating, or limp within some seconds if it was holding.
 * @returns the motion that drives it meanwhile; null for a leader that is limp or remote @throws {BridgeError}
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
  // Perhaps only some servos hold; a fade needs all of them.
  if (!leader.read().holding) await leading.torqueOn();
  const full = new Float64Array(leader.model.joints.length).fill(1);
  return leading.begin({ kind: 'float', support: full, fade: LIMP_TIME, gains: null });
}

/** Whether the caller may decide about an arm in somebody's hand: who let it float, or whoever takes over. */
export function isStarter(starter: Owner, { owner, takeOver }: Caller): boolean {
  return takeOver || starter.key === owner.key;
}

/**
 * An arm that is released at once falls unless a hand has it, which whoever started it alone can know.
 * @param starter who let it float
 * @throws {BridgeError} owned
 */
export function requireReleasable(arm: Arm, starter: Owner, caller: Caller, release: Release): void {
  if (release !== 'now' || isStarter(starter, caller)) return;
  throw new BridgeError(
    'owned',
    `Arm ${arm.name} floats for ${starter.name}, and would fall: leave release out, or take over.`,
    { arm, remedy: 'take_over' },
  );
}

/**
 * Releases, as requested, an arm that floated and now holds without an owner.
 * @returns why that failed, human-readable; empty when it succeeded
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
    // The arm has a new owner meanwhile, or is stopped: it holds, and whoever did that knows.
    return `arm ${arm.name} has not been released: ${messageOf(error)}`;
  }
}
