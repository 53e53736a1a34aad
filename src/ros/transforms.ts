import type { Arm } from '../arm/types.ts';
import type { ArmConfig } from '../config/schema.ts';
import { type Quaternion, quaternionFromRotation, rotationFromRollPitchYaw } from '../kinematics/frames.ts';
import { type Joint, parseUrdf } from '../kinematics/urdf.ts';
import { NUMBERS_OF_POSE, TransformsEncoder } from './cdr.ts';
import { WORLD } from './frames.ts';
import type { ArmNames, NamedArm } from './names.ts';
import type { Qualities } from './qos.ts';
import type { RosNode } from './rclnodejs.ts';

/** A joint of the URDF with the index of the model joint that moves it. */
interface Moving {
  readonly joint: Joint;
  readonly origin: Quaternion;
  /** Model joint that moves it, and how: position = multiplier * its position + offset. */
  readonly index: number;
  readonly multiplier: number;
  readonly offset: number;
}

/** The transforms between all links of an arm: the fixed ones, and those that its joints move. */
export class TransformTree {
  readonly #moving: readonly Moving[];
  readonly #values: Float64Array;
  readonly #encoder: TransformsEncoder;
  /** The fixed transforms, as CDR bytes of a tf2_msgs/msg/TFMessage with stamp 0. */
  readonly fixed: Buffer;
  /** Only the transform of the arm's mounting pose. */
  readonly standing: Buffer;

  /** @param mount pose of the arm's root link in the frame `world`: m and rad */
  constructor(arm: NamedArm, names: ArmNames, mount: ArmConfig['mount']) {
    const { urdf, joints: own } = arm.model;
    const frame = (link: string): string => names.frame(link);
    const places = new Map(own.map(({ name }, index) => [name, index]));
    const { joints, root } = parseUrdf(urdf);
    const moving: Moving[] = [];
    const fixed: { parent: string; child: string; values: readonly number[] }[] = [];
    for (const joint of joints) {
      const origin = quaternionFromRotation(joint.origin.rotation);
      const { joint: moved, multiplier, offset } = joint.mimic ?? { joint: joint.name, multiplier: 1, offset: 0 };
      const index = joint.type === 'fixed' ? undefined : places.get(moved);
      if (index !== undefined) moving.push({ joint, origin, index, multiplier, offset });
      else fixed.push({ parent: frame(joint.parent), child: frame(joint.child), values: numbers(joint, origin) });
    }
    const [roll, pitch, yaw] = mount.rpy;
    const standing = quaternionFromRotation(rotationFromRollPitchYaw(roll, pitch, yaw));
    fixed.unshift({
      parent: WORLD,
      child: frame(root),
      values: [...mount.xyz, standing.x, standing.y, standing.z, standing.w],
    });
    const encoded = (some: typeof fixed): Buffer =>
      new TransformsEncoder(some).encode(0, Float64Array.from(some.flatMap(({ values }) => values)));
    this.fixed = encoded(fixed);
    this.standing = encoded(fixed.slice(0, 1));

    this.#moving = moving;
    this.#values = Float64Array.from(moving.flatMap(({ joint, origin }) => numbers(joint, origin)));
    this.#encoder = new TransformsEncoder(
      moving.map(({ joint }) => ({ parent: frame(joint.parent), child: frame(joint.child) })),
    );
  }

  /**
   * @param stamp seconds since the epoch
   * @param positions rad, one per joint of the model
   * @returns CDR bytes of a tf2_msgs/msg/TFMessage, which the next call overwrites
   */
  encode(stamp: number, positions: Float64Array): Buffer {
    const values = this.#values;
    for (let i = 0; i < this.#moving.length; i++) {
      const { joint, origin, index, multiplier, offset } = this.#moving[i]!;
      const position = multiplier * positions[index]! + offset;
      if (joint.type === 'prismatic') writeSlide(joint, origin, position, values, i * NUMBERS_OF_POSE);
      else writeTurn(joint, origin, position, values, i * NUMBERS_OF_POSE);
    }
    return this.#encoder.encode(stamp, values);
  }
}

function numbers({ origin: { position } }: Joint, { x, y, z, w }: Quaternion): number[] {
  return [position.x, position.y, position.z, x, y, z, w];
}

/** Rotation of the joint's origin, then a turn about its axis. */
function writeTurn({ axis }: Joint, o: Quaternion, angle: number, out: Float64Array, at: number): void {
  const sine = Math.sin(angle / 2);
  const w = Math.cos(angle / 2);
  const x = axis.x * sine;
  const y = axis.y * sine;
  const z = axis.z * sine;
  out[at + 3] = o.w * x + o.x * w + o.y * z - o.z * y;
  out[at + 4] = o.w * y - o.x * z + o.y * w + o.z * x;
  out[at + 5] = o.w * z + o.x * y - o.y * x + o.z * w;
  out[at + 6] = o.w * w - o.x * x - o.y * y - o.z * z;
}

/** Position of the joint's origin plus a slide along its axis, which is given in the rotated frame. */
function writeSlide({ axis, origin }: Joint, o: Quaternion, distance: number, out: Float64Array, at: number): void {
  const tx = 2 * (o.y * axis.z - o.z * axis.y);
  const ty = 2 * (o.z * axis.x - o.x * axis.z);
  const tz = 2 * (o.x * axis.y - o.y * axis.x);
  out[at] = origin.position.x + distance * (axis.x + o.w * tx + o.y * tz - o.z * ty);
  out[at + 1] = origin.position.y + distance * (axis.y + o.w * ty + o.z * tx - o.x * tz);
  out[at + 2] = origin.position.z + distance * (axis.z + o.w * tz + o.x * ty - o.y * tx);
}

/** `/tf` and `/tf_static` of one arm. */
export class Broadcaster {
  readonly #tree: TransformTree;
  readonly #publish: (bytes: Buffer) => void;

  /** @param links false: another node publishes the frames of the links, so only the mounting pose is published here */
  constructor(
    node: RosNode,
    arm: Arm,
    names: ArmNames,
    mount: ArmConfig['mount'],
    links: boolean,
    qualities: Qualities,
  ) {
    this.#tree = new TransformTree(arm, names, mount);
    const type = 'tf2_msgs/msg/TFMessage';
    // Latched for as long as the node exists.
    const { fixed, standing } = this.#tree;
    node.createPublisher(type, '/tf_static', { qos: qualities.latched }).publish(links ? fixed : standing);
    if (!links) {
      this.#publish = () => {};
      return;
    }
    const publisher = node.createPublisher(type, '/tf', { qos: qualities.transforms });
    this.#publish = (bytes) => publisher.publish(bytes);
  }

  /** @param stamp seconds since the epoch @param positions rad, one per joint of the model */
  publish(stamp: number, positions: Float64Array): void {
    this.#publish(this.#tree.encode(stamp, positions));
  }
}
