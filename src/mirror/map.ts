/** How one joint of a follower comes from its leader: position = scale * leader's + offset, rad. */
export interface JointMap {
  /** Index of the leader's joint. */
  readonly from: number;
  readonly scale: number;
  readonly offset: number;
}

/** What the map needs to know of an arm's model. */
export interface MappedModel {
  readonly name: string;
  readonly joints: readonly { readonly name: string; readonly role: string }[];
  readonly gripper: { readonly index: number; readonly closed: number; readonly open: number } | null;
}

/** Roles whose joints turn about the arm's own left-right mirror plane: their sign is what `invert` changes. */
const MIRRORED_ROLES = new Set(['shoulder_pan', 'forearm_roll', 'wrist_roll']);

/**
 * Joint maps from a leader to a follower of the same model; the gripper goes by its opening.
 * @param adjust scale and offset by follower joint name, from the pair's configuration
 * @param invert mirrors left and right: base and roll joints turn the other way
 * @returns the maps, or why there are none
 */
export function jointMaps(
  leader: MappedModel,
  follower: MappedModel,
  adjust: Readonly<Record<string, { readonly scale: number; readonly offset: number }>>,
  invert: boolean,
): JointMap[] | string {
  if (leader.name !== follower.name) {
    return `a ${leader.name} cannot lead a ${follower.name}: their joints are not mapped to each other`;
  }
  for (const name of Object.keys(adjust)) {
    if (follower.joints.some((joint) => joint.name === name)) continue;
    const known = follower.joints.map((joint) => joint.name).join(', ');
    return `the pair's joint "${name}" is none of the follower's joints: ${known}`;
  }
  return follower.joints.map((joint, index) => {
    const { scale, offset } = adjust[joint.name] ?? { scale: 1, offset: 0 };
    const sign = invert && MIRRORED_ROLES.has(joint.role) ? -1 : 1;
    return { from: index, scale: sign * scale, offset };
  });
}
