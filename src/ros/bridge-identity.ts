/** A bridge, as the machine of an arm that it drives tells it from others. */
export interface BridgeIdentity {
  /** UUID of this run of the bridge. */
  readonly id: string;
  /** Human-readable. */
  readonly name: string;
}

/** Begins the `header.frame_id` of setpoints from a bridge. A JointState has no frame, so the field is free. */
const MARK = 'arm_bridge:';
const FRAME = /^arm_bridge:([0-9a-f-]{36}):([\w .-]{1,64})$/;

/** The `header.frame_id` that tells who has sent a message: raw bytes do not tell their publisher. */
export function frameOf({ id, name }: BridgeIdentity): string {
  return `${MARK}${id}:${spoken(name)}`;
}

/** The bridge that a `header.frame_id` names; null if the message is of another program. */
export function bridgeOf(frame: string): BridgeIdentity | null {
  if (!frame.startsWith(MARK)) return null;
  const [, id, name] = FRAME.exec(frame) ?? [];
  return id === undefined || name === undefined ? null : { id, name };
}

/**
 * Name of the owner of an arm that a bridge drives. It contains part of the id, because bridges may have the same name.
 * @param topic full name of the topic of the setpoints
 */
export function bridgeOwner({ id, name }: BridgeIdentity, topic: string): string {
  return `bridge ${spoken(name)} (${id.slice(0, 8)}) on the ROS topic ${topic}`;
}

/** The name of a computer may contain anything. */
function spoken(name: string): string {
  return name.replace(/[^\w .-]/g, '-').slice(0, 64);
}
