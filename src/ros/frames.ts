import type { Arm } from '../arm/types.ts';
import type { ArmConfig } from '../config/schema.ts';
import {
  conjugateQuaternion,
  multiplyQuaternions,
  type Pose,
  type Quaternion,
  quaternionFromRotation,
  rotateVector,
  rotationFromRollPitchYaw,
  type Vector3,
} from '../kinematics/frames.ts';
import type { ArmNames } from './names.ts';

/** The frame in which the bases of all arms stand. */
export const WORLD = 'world';

/** Frames in which messages to an arm may be given. */
export class ArmFrames {
  readonly base: string;
  readonly tool: string;
  /** Rotates vectors from the base frame to `world`. */
  readonly #standing: Quaternion;
  readonly #place: Vector3;

  constructor({ model }: Arm, names: ArmNames, mount: ArmConfig['mount']) {
    this.base = names.frame(model.baseLink);
    this.tool = names.frame(model.toolLink);
    const [roll, pitch, yaw] = mount.rpy;
    this.#standing = quaternionFromRotation(rotationFromRollPitchYaw(roll, pitch, yaw));
    const [x, y, z] = mount.xyz;
    this.#place = { x, y, z };
  }

  /** Why a frame is refused, human-readable; null for a known one. An empty name is the base frame. */
  fault(frame: string, toolAllowed: boolean): string | null {
    const known = [this.base, WORLD, ...(toolAllowed ? [this.tool] : [])];
    if (frame === '' || known.includes(frame)) return null;
    return `its frame ${JSON.stringify(frame)} is not known here: use ${known.join(' or ')}`;
  }

  /** Transforms a pose from `frame` to the base frame. */
  poseInBase(frame: string, { position, orientation }: Pose): Pose {
    if (frame !== WORLD) return { position, orientation };
    const back = conjugateQuaternion(this.#standing);
    const { x, y, z } = this.#place;
    const from = { x: position.x - x, y: position.y - y, z: position.z - z };
    return { position: rotateVector(back, from), orientation: multiplyQuaternions(back, orientation) };
  }

  /** Rotates a vector from `world` or the base frame into axes of the base frame. */
  vectorInBase(frame: string, vector: Vector3): Vector3 {
    return frame === WORLD ? rotateVector(conjugateQuaternion(this.#standing), vector) : vector;
  }
}
