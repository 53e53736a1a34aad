import type { GainStore } from '../arm/gain-store.ts';
import type { ArmHandle, Claim, RunningMotion } from '../arm/handle.ts';
import { BridgeError, type Caller } from '../arm/types.ts';
import { unmapPositions } from '../rt/sources/joint-map.ts';
import type { GravityPercentages, PlannedMotions, Release } from './mirroring.ts';
import type { PlannedPair } from './plan.ts';
import { float } from './weight-support.ts';

/** Time over which a leader that was holding goes limp, so that a hand can take it, s. */
const LIMP_TIME = 2;

/**
 * Sends the leader of a claimed pair along a checked way to where its follower is, so that a hand takes over without a
 * bump. Both hold afterwards.
 * @throws {BridgeError} bad_pair with what is in the way
 */
export async function alignLeader(pair: PlannedPair, mover: PlannedMotions, signal: AbortSignal): Promise<void> {
  const { leader, follower, maps, label } = pair;
  await follower.torqueOn();
  await leader.torqueOn();
  const goal = leader.read().setpoints.slice();
  unmapPositions(maps, follower.read().positions, goal);
  for (const [i, { lower, upper }] of leader.model.joints.entries()) {
    goal[i] = Math.min(Math.max(goal[i]!, lower), upper);
  }
  const problem = await mover.approach(leader, goal, signal);
  if (problem === null) return;
  throw new BridgeError(
    'bad_pair',
    `${label}: arm ${leader.name} has not come to its follower: ${problem}. Move it clear, or start with "align": "follower".`,
  );
}

/**
 * Gives a claimed leader to the hand: floating, or limp within some seconds when it was holding.
 * @returns what drives it meanwhile; null for a leader that is limp, or another machine's
 */
export async function giveToHand(
  leader: ArmHandle,
  claim: Claim,
  gravity: GravityPercentages | null,
  store: GainStore,
): Promise<RunningMotion | null> {
  if (leader.remote) return null;
  if (gravity !== null) {
    await leader.torqueOn();
    return float(leader, claim, gravity, store);
  }
  if (!leader.read().torque) return null;
  // The servos that hold may be some only; a fade needs all of them.
  if (!leader.read().holding) await leader.torqueOn();
  leader.requireHeld(claim);
  const full = new Float64Array(leader.model.joints.length).fill(1);
  return leader.drive({ kind: 'float', support: full, fade: LIMP_TIME, gains: null });
}

/**
 * What becomes of an arm that has floated and holds now, and that nobody owns.
 * @returns what people should know; empty when all went as asked
 */
export async function letGo(arm: ArmHandle, release: Release, mover: PlannedMotions, caller: Caller): Promise<string> {
  if (release === 'hold' || arm.remote) return '';
  try {
    if (release === 'lower') return (await mover.lower(arm, caller)) ?? '';
    const claim = arm.claim(caller, () => {});
    try {
      await arm.torqueOff();
    } finally {
      arm.release(claim);
    }
    return '';
  } catch (error) {
    // Somebody else has taken it meanwhile, or it is stopped: it holds, and they know.
    return `arm ${arm.name} has not been released: ${error instanceof Error ? error.message : String(error)}`;
  }
}
