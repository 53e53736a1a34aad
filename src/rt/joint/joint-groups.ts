/** Joints of an arm that a source drives: all, all but the gripper, or the gripper alone. */
export type Joints = 'all' | 'arm' | 'gripper';

/** Joint groups that may be driven separately; each has at most one source at a time. */
export const GROUPS = ['arm', 'gripper'] as const;
export type Group = (typeof GROUPS)[number];

/** 1 for each joint of the arm that is in the set. */
export type JointMasks = Readonly<Record<Joints, Uint8Array>>;

/** @param gripper index of the gripper's joint; null for an arm whose joints are all driven together */
export function jointMasks(joints: number, gripper: number | null): JointMasks {
  const mask = (of: (joint: number) => boolean): Uint8Array =>
    Uint8Array.from({ length: joints }, (_, joint) => (of(joint) ? 1 : 0));
  return {
    all: mask(() => true),
    arm: mask((joint) => joint !== gripper),
    gripper: mask((joint) => joint === gripper),
  };
}

/** Whether two sets have joints in common. */
export function meet(a: Joints, b: Joints): boolean {
  return a === 'all' || b === 'all' || a === b;
}

/** Whether all joints of the second set are in the first. */
export function includes(joints: Joints, others: Joints): boolean {
  return joints === 'all' || joints === others;
}
