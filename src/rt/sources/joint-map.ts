import type { JointMap } from '../messages.ts';

export type { JointMap };

/** Converts a joint's position to the angle of its role: role angle = sign * (position - zero), rad. */
interface RoleFrame {
  readonly sign: number;
  readonly zero: number;
}

/** Model data that the map needs. */
export interface MappedModel {
  readonly name: string;
  readonly joints: readonly { readonly name: string; readonly role: string; readonly roleFrame?: RoleFrame | null }[];
  readonly gripper: { readonly index: number; readonly closed: number; readonly open: number } | null;
}

/** A pair's configuration of one follower joint; angles in rad. */
export interface JointAdjustment {
  readonly scale?: number | undefined;
  readonly offset?: number | undefined;
  readonly lower?: number | undefined;
  readonly upper?: number | undefined;
}

interface Line {
  readonly scale: number;
  readonly offset: number;
}

/** Roles whose axes lie in the arm's left-right mirror plane: `invert` changes the sign of these joints. */
const MIRRORED_ROLES = new Set(['shoulder_pan', 'forearm_roll', 'wrist_roll']);

const SAME: Line = { scale: 1, offset: 0 };

/**
 * Joint maps from a leader to a follower. Joints of the same model map one to one; joints of different models are
 * matched by role, with angles that mean the same link direction on both. Grippers are matched by their opening. A
 * follower joint whose role the leader lacks holds.
 * @param adjust by follower joint name, from the pair's configuration: position = scale * mapped + offset, within
 * limits
 * @param invert mirrors left and right: base and roll joints turn the other way
 * @returns the maps, in the order of the follower's joints, or why there are none
 */
export function jointMaps(
  leader: MappedModel,
  follower: MappedModel,
  adjust: Readonly<Record<string, JointAdjustment>>,
  invert: boolean,
): JointMap[] | string {
  for (const name of Object.keys(adjust)) {
    if (follower.joints.some((joint) => joint.name === name)) continue;
    const known = follower.joints.map((joint) => joint.name).join(', ');
    return `the pair's joint "${name}" is none of the follower's joints: ${known}`;
  }
  const maps: JointMap[] = [];
  for (const [index, joint] of follower.joints.entries()) {
    const from = partner(leader, follower, index);
    const line = from < 0 ? SAME : lineOf(leader, from, follower, index, invert && MIRRORED_ROLES.has(joint.role));
    if (typeof line === 'string') return line;
    const { scale = 1, offset = 0, lower, upper } = adjust[joint.name] ?? {};
    maps.push({
      from,
      scale: scale * line.scale,
      offset: scale * line.offset + offset,
      lower: lower ?? Number.NEGATIVE_INFINITY,
      upper: upper ?? Number.POSITIVE_INFINITY,
    });
  }
  return maps;
}

/** Index of the leader's joint that leads joint `index` of the follower; -1: none does. */
function partner(leader: MappedModel, follower: MappedModel, index: number): number {
  if (leader.name === follower.name) return index;
  const { role } = follower.joints[index]!;
  return leader.joints.findIndex((joint) => joint.role === role);
}

/** The follower's joint position as a linear function of the leader's, or why there is none. */
function lineOf(
  leader: MappedModel,
  from: number,
  follower: MappedModel,
  to: number,
  mirrored: boolean,
): Line | string {
  const same = leader.name === follower.name;
  if (!same && leader.gripper?.index === from && follower.gripper?.index === to) {
    const scale = (follower.gripper.open - follower.gripper.closed) / (leader.gripper.open - leader.gripper.closed);
    return { scale, offset: follower.gripper.closed - scale * leader.gripper.closed };
  }
  const there = leader.joints[from]!.roleFrame;
  const here = follower.joints[to]!.roleFrame;
  if (there && here) {
    const scale = here.sign * there.sign * (mirrored ? -1 : 1);
    return { scale, offset: here.zero - scale * there.zero };
  }
  if (same) return mirrored ? { scale: -1, offset: 0 } : SAME;
  const [arm, joint] = there ? [follower, follower.joints[to]!] : [leader, leader.joints[from]!];
  return (
    `a ${leader.name} cannot lead a ${follower.name}: joint ${joint.name} of the ${arm.name} has no role_sign and ` +
    'role_zero in its arm.yaml'
  );
}

/** Follower positions for the leader's positions, rad; joints without a partner are left unchanged in `out`. */
export function mapPositions(maps: readonly JointMap[], leader: Float64Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) {
    const { from, scale, offset, lower, upper } = maps[i]!;
    if (from >= 0) out[i] = Math.min(Math.max(scale * leader[from]! + offset, lower), upper);
  }
}

/** Leader positions that correspond to the follower's, rad; joints that lead nothing are left unchanged in `out`. */
export function unmapPositions(maps: readonly JointMap[], follower: Float64Array, out: Float64Array): void {
  for (const [i, { from, scale, offset }] of maps.entries()) {
    if (from >= 0 && scale !== 0) out[from] = (follower[i]! - offset) / scale;
  }
}
