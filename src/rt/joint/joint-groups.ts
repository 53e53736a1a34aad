/** Which joints of an arm something drives: all, those of the arm without its gripper, or the gripper alone. */
export type Joints = 'all' | 'arm' | 'gripper';

/** Joints that have at most one source at a time, and that may be driven while the other group is driven by another. */
export const GROUPS = ['arm', 'gripper'] as const;
export type Group = (typeof GROUPS)[number];

/** 1 for each joint of an arm that is meant. */
export type JointMasks = Readonly<Record<Joints, Uint8Array>>;

/** @param gripper place of the gripper's joint; null for an arm whose joints are all driven together */
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
