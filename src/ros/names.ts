import { withPrefix } from '../kinematics/urdf-text.ts';

/** The arm data from which names are made. */
export interface NamedArm {
  readonly name: string;
  readonly model: { readonly urdf: string; readonly joints: readonly { readonly name: string }[] };
}

/**
 * Names of an arm's joints and frames on the graph. Without a prefix, joints are named as in the URDF and frames
 * `<arm>/<link>`. With a prefix (`ros.joint_prefix`), joints and links carry it in the URDF too, and frames have the
 * names of the links, so that one robot description can hold several arms.
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

  /**
   * Converts joint names of a message to model names. Names without the prefix are accepted too: they are unambiguous.
   */
  ofModel(names: readonly string[]): readonly string[] {
    return names.map((name) => {
      const index = this.joints.indexOf(name);
      return index < 0 ? name : this.#arm.model.joints[index]!.name;
    });
  }
}
