import type { ArmModel, JointRole } from '../arm/model.ts';

/** What a joint does when its role angle increases, and when it decreases (robots/README.md, Roles). */
const MOVES: Readonly<Record<Exclude<JointRole, 'gripper'>, readonly [string, string]>> = {
  shoulder_pan: ['the arm turns to its left', 'the arm turns to its right'],
  shoulder_lift: ['the upper arm leans forward', 'the upper arm leans back'],
  elbow_flex: ['the forearm bends forward and down', 'the forearm bends up and back'],
  forearm_roll: [
    'the forearm rolls clockwise, seen from behind',
    'the forearm rolls counter-clockwise, seen from behind',
  ],
  wrist_flex: ['the gripper bends forward and down', 'the gripper bends up and back'],
  wrist_roll: [
    'the gripper rolls clockwise, seen from behind',
    'the gripper rolls counter-clockwise, seen from behind',
  ],
};

/** Describes what a person sees when a joint moves by `change` (rad, not 0). */
export function directionOf({ joints, gripper }: ArmModel, index: number, change: number): string {
  const { role, roleFrame, name } = joints[index]!;
  if (gripper?.index === index)
    return change > 0 === gripper.open > gripper.closed ? 'the gripper opens' : 'the gripper closes';
  if (role === 'gripper' || roleFrame === null) {
    return `${name} turns ${change > 0 ? 'in the positive' : 'in the negative'} sense of its axis in the URDF`;
  }
  return MOVES[role][change * roleFrame.sign > 0 ? 0 : 1];
}
