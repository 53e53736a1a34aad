import { withPrefix } from '../kinematics/urdf-text.ts';

/** What of an arm its names are made of. */
export interface NamedArm {
  readonly name: string;
  readonly model: { readonly urdf: string; readonly joints: readonly { readonly name: string }[] };
}

/**
 * Names of an arm's joints and frames on the graph. Without a prefix, joints are called as in the URDF and frames
 * `<arm>/<link>`. With one (`ros.joint_prefix`), joints and links carry it in the URDF too and frames are the links' names,
 * so that one robot description can hold several arms.
 */
export class ArmNames {
  /** Joints in the order of the arm's model. */
  readonly joints: readonly string[];
  readonly #arm: NamedArm;
  readonly #prefix: string;

  /** @param prefix `ros.joint_prefix` of the configuration */
  constructor(arm: NamedArm, prefix: string | null) {
    this.#arm = arm;
    this.#prefix = prefix === 'auto' ? `${arm.name}_` : (prefix ?? '');
    this.joints = arm.model.joints.map(({ name }) => this.joint(name));
  }

  /** @param name of a joint of the model */
  joint(name: string): string {
    return `${this.#prefix}${name}`;
  }

  /** @param link of the model */
  frame(link: string): string {
    return this.#prefix === '' ? `${this.#arm.name}/${link}` : `${this.#prefix}${link}`;
  }

  /** The URDF for robot_description. */
  urdf(): string {
    return withPrefix(this.#arm.model.urdf, this.#prefix);
  }

  /** Joint names of a message as the model has them. A name without the prefix is taken too: it is unambiguous here. */
  ofModel(names: readonly string[]): readonly string[] {
    return names.map((name) => {
      const index = this.joints.indexOf(name);
      return index < 0 ? name : this.#arm.model.joints[index]!.name;
    });
  }
}

export const IMAGE = 'sensor_msgs/msg/Image';
export const COMPRESSED_IMAGE = 'sensor_msgs/msg/CompressedImage';
export const CAMERA_INFO = 'sensor_msgs/msg/CameraInfo';

/** Type of the messages of a camera's topic, by how such topics are called. */
export function cameraType(topic: string): typeof IMAGE | typeof COMPRESSED_IMAGE | typeof CAMERA_INFO {
  if (topic.endsWith('/compressed')) return COMPRESSED_IMAGE;
  return topic.endsWith('/camera_info') ? CAMERA_INFO : IMAGE;
}
