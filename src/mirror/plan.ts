import type { Arm } from '../arm/arm.ts';
import type { Arms } from '../arm/arms.ts';
import { BridgeError } from '../arm/types.ts';
import { type PairConfig, pairConfig } from '../config/schema.ts';
import type { FollowOptions, ForceFeedback, JointMap } from '../rt/messages.ts';
import { jointMaps, mapPositions } from '../rt/sources/joint-map.ts';
import type { Align, MirrorRequest, OnMismatch } from './mirroring.ts';

/** A pair to be started. */
export interface PlannedPair {
  readonly leader: Arm;
  readonly follower: Arm;
  readonly maps: readonly JointMap[];
  readonly options: FollowOptions;
  readonly onMismatch: OnMismatch;
  /** Joint difference above which `refuse` refuses, rad. */
  readonly threshold: number;
  readonly align: Align;
  /** Force feedback at the start; the leader feels it while it floats. */
  readonly feedback: ForceFeedback;
  /** For messages. */
  readonly label: string;
}

/**
 * Pairs of a request, merged with their configuration.
 * @throws {BridgeError} bad_pair, unknown_arm
 */
export function planPairs(request: MirrorRequest, arms: Arms, configured: readonly PairConfig[]): PlannedPair[] {
  const planned: PlannedPair[] = [];
  const role = new Map<Arm, 'leader' | 'follower'>();
  for (const [index, ids] of request.pairs.entries()) {
    const leader = arms.byId(ids.leader);
    const follower = arms.byId(ids.follower);
    const label = `Robot pair ${index} (${leader.name} to ${follower.name})`;
    if (leader === follower) throw new BridgeError('bad_pair', `${label}: an arm cannot follow itself.`);
    if (role.get(leader) === 'follower' || role.has(follower)) {
      const twice = role.get(leader) === 'follower' ? leader : follower;
      throw new BridgeError('bad_pair', `${label}: arm ${twice.name} would have two roles. Name it once as follower.`);
    }
    role.set(leader, 'leader');
    role.set(follower, 'follower');
    const named = { leader: leader.name, follower: follower.name };
    const config =
      configured.find((pair) => pair.leader === leader.name && pair.follower === follower.name) ??
      pairConfig.parse(named);
    const maps = jointMaps(leader.model, follower.model, config.joints, request.invert);
    if (typeof maps === 'string') throw new BridgeError('bad_pair', `${label}: ${maps}.`);
    const align = request.align ?? config.align;
    if (align === 'leader' && leader.remote) {
      throw new BridgeError(
        'bad_pair',
        `${label}: arm ${leader.name} belongs to another machine and cannot be driven to its follower. Align the follower.`,
      );
    }
    if (request.forceFeedback !== undefined) refuseFeedback(label, request, leader);
    const configuredFeedback = canFeel({ leader }) ? config.force_feedback : { arm: 0, gripper: 0 };
    const feedback = request.forceFeedback ?? configuredFeedback;
    const onMismatch = request.onMismatch ?? config.on_mismatch;
    const threshold = request.mismatchThreshold ?? config.mismatch_threshold;
    const options: FollowOptions = {
      lowPass: config.low_pass ?? 0,
      deadBand: config.dead_band,
      velocity: config.velocity ?? Number.POSITIVE_INFINITY,
      mismatch: onMismatch === 'refuse' ? threshold : Number.POSITIVE_INFINITY,
      reapproach: true,
    };
    planned.push({ leader, follower, maps, options, onMismatch, threshold, align, feedback, label });
  }
  return planned;
}

/** Whether the leader of a pair can feel its follower while it floats: its servos must belong to this machine. */
export function canFeel({ leader }: Pick<PlannedPair, 'leader'>): boolean {
  return !leader.remote;
}

/** @throws {BridgeError} bad_pair when the leader cannot feel its follower */
function refuseFeedback(label: string, { gravity, forceFeedback }: MirrorRequest, leader: Arm): void {
  if (!forceFeedback || (forceFeedback.arm === 0 && forceFeedback.gripper === 0)) return;
  if (leader.remote)
    throw new BridgeError(
      'bad_pair',
      `${label}: arm ${leader.name} belongs to another machine, which alone can let it feel. Start the pair at the bridge of ` +
        'that machine, or leave force_feedback out.',
    );
  if (gravity === null)
    throw new BridgeError(
      'bad_pair',
      `${label}: a limp leader feels nothing. Let it float (enable_gravity_compensation), or leave force_feedback out.`,
    );
}

/** @throws {BridgeError} bad_pair, naming the joint that differs most, when the pair refuses that mismatch */
export function refuseMismatch(pair: PlannedPair): void {
  if (pair.onMismatch !== 'refuse') return;
  const worst = mismatch(pair);
  if (worst.difference <= pair.threshold) return;
  throw new BridgeError(
    'bad_pair',
    `${pair.label}: ${worst.joint} of the follower is ${degrees(worst.difference)} degrees away from its leader, more ` +
      `than the ${degrees(pair.threshold)} allowed. Bring the leader near the follower, or start with "align": "leader" ` +
      'or "on_mismatch": "ramp". Nothing has moved.',
  );
}

/** The follower's joint furthest from its leader's goal, and the distance, rad. */
function mismatch({ leader, follower, maps }: PlannedPair): { joint: string; difference: number } {
  const { positions, servoLower, servoUpper } = follower.read();
  const wanted = positions.slice();
  mapPositions(maps, leader.read().positions, wanted);
  let joint = '';
  let difference = 0;
  for (const [i, { name, lower, upper }] of follower.model.joints.entries()) {
    const least = Math.max(lower, servoLower[i]!);
    const most = Math.min(upper, servoUpper[i]!);
    const away = Math.abs(Math.min(Math.max(wanted[i]!, least), most) - positions[i]!);
    if (away > difference) [joint, difference] = [name, away];
  }
  return { joint, difference };
}

function degrees(radians: number): string {
  return ((radians * 180) / Math.PI).toFixed(0);
}
