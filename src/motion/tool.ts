import { type Angles, anglesFromRotation } from '../kinematics/angles.ts';
import { type Pose, rotationFromQuaternion, type Vector3 } from '../kinematics/frames.ts';

/**
 * A tool pose in an arm's absolute frame: m and rad.
 * @param zero of that frame, in the base frame, like `tool`
 */
export function toolIn(zero: Pose, tool: Pose): Vector3 & Angles {
  return {
    x: tool.position.x - zero.position.x,
    y: tool.position.y - zero.position.y,
    z: tool.position.z - zero.position.z,
    ...anglesFromRotation(rotationFromQuaternion(tool.orientation), rotationFromQuaternion(zero.orientation)),
  };
}
