/**
 * Forward kinematics, Jacobian and gravity torques of an arm described by a URDF.
 *
 * Methods write into arrays of the caller and allocate nothing, unless noted, so control cycles may call them. A chain
 * owns scratch memory: use it in one thread only, without overlapping calls.
 */

import type { Pose } from './frames.ts';
import {
  identityRotation,
  multiplyRotations,
  type Rotation,
  rotationFromAxisAngle,
  writeQuaternion,
} from './frames.ts';
import { type PathJoint, ToolPath } from './tool-path.ts';
import type { Joint, JointLimit, RobotDescription } from './urdf.ts';

/** Gravity used throughout the project, m/s². */
export const GRAVITY = 9.81;

export interface ChainOptions {
  /** Link whose frame is the base frame of all results; its z axis points up. */
  readonly base: string;
  /** Link whose pose and Jacobian are computed. */
  readonly tool: string;
  /** Actuated joints in the order of every q. Mimic joints follow these. */
  readonly joints: readonly string[];
}

const FIXED = 0;
const REVOLUTE = 1;
const PRISMATIC = 2;

interface Node {
  readonly link: string;
  readonly joint: Joint | null;
  readonly parent: number;
}

export class Chain {
  readonly description: RobotDescription;
  readonly base: string;
  readonly tool: string;
  /** Actuated joints in order. */
  readonly joints: readonly string[];
  /** Number of actuated joints, the length of q. */
  readonly dof: number;
  /** The base and all links below it, parents first; the order of `linkPoses`. */
  readonly links: readonly string[];
  /** Limits per joint (rad, Nm, rad/s; m, N, m/s for a prismatic joint). */
  readonly limits: readonly JointLimit[];
  /** Whether joint i moves the tool. */
  readonly movesTool: readonly boolean[];

  private readonly toolNode: number;
  private readonly count: number;
  private readonly parent: Int32Array;
  private readonly kind: Uint8Array;
  private readonly actuator: Int32Array;
  private readonly multiplier: Float64Array;
  private readonly offset: Float64Array;
  /** Rotation from the parent's frame into the joint frame, whose z axis is the joint axis. */
  private readonly toAxis: Float64Array;
  /** Rotation from that joint frame back into the axes of the link. */
  private readonly fromAxis: Float64Array;
  private readonly aligned: Uint8Array;
  private readonly translation: Float64Array;
  private readonly mass: Float64Array;
  private readonly moment: Float64Array;

  private readonly path: ToolPath;
  private readonly pose = new Float64Array(12);
  private readonly rotation: Float64Array;
  private readonly position: Float64Array;
  private readonly axis: Float64Array;
  private readonly carriedMass: Float64Array;
  private readonly carriedMoment: Float64Array;

  /** @throws Error naming the link or joint if options and description do not fit */
  constructor(description: RobotDescription, options: ChainOptions) {
    this.description = description;
    this.base = options.base;
    this.tool = options.tool;
    this.joints = [...options.joints];
    this.dof = options.joints.length;

    const nodes = collectNodes(description, options.base);
    this.links = nodes.map((node) => node.link);
    this.toolNode = this.links.indexOf(options.tool);
    if (this.toolNode < 0) {
      throw new Error(`tool link ${options.tool} does not hang on base link ${options.base} in ${description.name}`);
    }
    const limits: JointLimit[] = [];
    for (const [index, name] of options.joints.entries()) {
      const joint = nodes.find((node) => node.joint?.name === name)?.joint;
      if (!joint) throw new Error(`joint ${name} does not hang on base link ${options.base} in ${description.name}`);
      if (joint.type === 'fixed') throw new Error(`joint ${name} of ${description.name} is fixed, it cannot be driven`);
      if (joint.mimic) throw new Error(`joint ${name} of ${description.name} follows ${joint.mimic.joint}`);
      if (options.joints.indexOf(name) !== index) throw new Error(`joint ${name} stands twice in the joint order`);
      limits.push(joint.limit ?? ENDLESS);
    }
    this.limits = limits;

    const count = nodes.length;
    this.count = count;
    this.parent = new Int32Array(count);
    this.kind = new Uint8Array(count);
    this.actuator = new Int32Array(count).fill(-1);
    this.multiplier = new Float64Array(count);
    this.offset = new Float64Array(count);
    this.toAxis = new Float64Array(9 * count);
    this.fromAxis = new Float64Array(9 * count);
    this.aligned = new Uint8Array(count);
    this.translation = new Float64Array(3 * count);
    this.mass = new Float64Array(count);
    this.moment = new Float64Array(3 * count);
    this.rotation = new Float64Array(9 * count);
    this.position = new Float64Array(3 * count);
    this.axis = new Float64Array(3 * count);
    this.carriedMass = new Float64Array(count);
    this.carriedMoment = new Float64Array(3 * count);

    for (const [index, node] of nodes.entries()) this.setNode(index, node);
    this.rotation.set(identityRotation());
    const actuators = this.nodesToTool().map((node) => this.actuator[node]!);
    this.movesTool = options.joints.map((_, index) => actuators.includes(index));
    this.path = this.toolPath([...options.joints.keys()]);
  }

  /**
   * Pose of the tool in the base frame.
   *
   * @param q positions of the actuated joints (dof), rad or m
   * @param out receives 12 numbers: position x y z in metres, then the rotation matrix row by row
   */
  forward(q: Float64Array, out: Float64Array): void {
    this.path.forward(q, out);
  }

  /**
   * Pose of the tool in the base frame.
   *
   * @param q positions of the actuated joints (dof), rad or m
   * @param out receives 7 numbers: position x y z in metres, quaternion x y z w with w >= 0
   */
  forwardQuaternion(q: Float64Array, out: Float64Array): void {
    this.path.forward(q, this.pose);
    for (let i = 0; i < 3; i++) out[i] = this.pose[i]!;
    writeQuaternion(this.pose, 3, out, 3);
  }

  /** Pose of the tool in the base frame as an object. Allocates: do not call from the control cycle. */
  toolPose(q: Float64Array): Pose {
    const out = new Float64Array(7);
    this.forwardQuaternion(q, out);
    return {
      position: { x: out[0]!, y: out[1]!, z: out[2]! },
      orientation: { x: out[3]!, y: out[4]!, z: out[5]!, w: out[6]! },
    };
  }

  /**
   * Pose of the tool and its geometric Jacobian, both in axes of the base frame.
   *
   * @param q positions of the actuated joints (dof)
   * @param pose receives 12 numbers as `forward` does
   * @param out receives 6 x dof numbers row by row: linear velocity (3 rows), then angular velocity, per joint velocity
   */
  forwardJacobian(q: Float64Array, pose: Float64Array, out: Float64Array): void {
    this.path.forward(q, pose);
    this.path.jacobian(out);
  }

  /**
   * Geometric Jacobian of the tool in axes of the base frame.
   *
   * @param q positions of the actuated joints (dof)
   * @param out receives 6 x dof numbers row by row: linear velocity (3 rows), then angular velocity, per joint velocity
   */
  jacobian(q: Float64Array, out: Float64Array): void {
    this.forwardJacobian(q, this.pose, out);
  }

  /**
   * Torques that hold the arm still against gravity: the gradient of its potential energy. All links count, even those
   * beyond or beside the tool.
   *
   * @param q positions of the actuated joints (dof)
   * @param out receives dof numbers, Nm (N for a prismatic joint)
   */
  gravityTorques(q: Float64Array, out: Float64Array): void {
    this.place(q);
    const { carriedMass, carriedMoment, mass, moment, rotation, position, parent, axis } = this;
    for (let node = 0; node < this.count; node++) {
      const i = 3 * node;
      const r = 9 * node;
      const m = mass[node]!;
      const x = moment[i]!;
      const y = moment[i + 1]!;
      const z = moment[i + 2]!;
      carriedMass[node] = m;
      carriedMoment[i] = m * position[i]! + rotation[r]! * x + rotation[r + 1]! * y + rotation[r + 2]! * z;
      carriedMoment[i + 1] = m * position[i + 1]! + rotation[r + 3]! * x + rotation[r + 4]! * y + rotation[r + 5]! * z;
    }
    for (let i = 0; i < this.dof; i++) out[i] = 0;
    for (let node = this.count - 1; node > 0; node--) {
      const i = 3 * node;
      const up = parent[node]!;
      const m = carriedMass[node]!;
      const mx = carriedMoment[i]!;
      const my = carriedMoment[i + 1]!;
      const index = this.actuator[node]!;
      if (index >= 0) {
        const lift =
          this.kind[node] === PRISMATIC
            ? m * axis[i + 2]!
            : axis[i]! * (my - m * position[i + 1]!) - axis[i + 1]! * (mx - m * position[i]!);
        out[index] = out[index]! + GRAVITY * this.multiplier[node]! * lift;
      }
      carriedMass[up] = carriedMass[up]! + m;
      carriedMoment[3 * up] = carriedMoment[3 * up]! + mx;
      carriedMoment[3 * up + 1] = carriedMoment[3 * up + 1]! + my;
    }
  }

  /**
   * Pose of every link in the base frame, in the order of `links`, as TF needs it.
   *
   * @param q positions of the actuated joints (dof)
   * @param out receives 7 numbers per link: position x y z in metres, quaternion x y z w
   */
  linkPoses(q: Float64Array, out: Float64Array): void {
    this.place(q);
    for (let node = 0; node < this.count; node++) this.writePose(node, out, 7 * node);
  }

  /**
   * Rotation matrices and positions of every link in the base frame, in the order of `links`.
   *
   * @param q positions of the actuated joints (dof)
   * @param rotations receives 9 numbers per link, row by row
   * @param positions receives 3 numbers per link, metres
   */
  linkFrames(q: Float64Array, rotations: Float64Array, positions: Float64Array): void {
    this.place(q);
    rotations.set(this.rotation);
    positions.set(this.position);
  }

  /**
   * The path to the tool for a solver that varies only some joints; its q and Jacobian contain only these. Allocates.
   *
   * @param joints indexes of the varied joints in q; must include every joint that moves the tool
   */
  toolPath(joints: readonly number[]): ToolPath {
    const path: PathJoint[] = [];
    let rotation = identityRotation();
    let translation = new Float64Array(3);
    for (const node of this.nodesToTool()) {
      const [x, y, z] = this.translation.subarray(3 * node, 3 * node + 3);
      translation = translation.map(
        (value, row) => value + rotation[3 * row]! * x! + rotation[3 * row + 1]! * y! + rotation[3 * row + 2]! * z!,
      );
      rotation = multiplyRotations(rotation, this.toAxis.subarray(9 * node, 9 * node + 9));
      if (this.kind[node] === FIXED) continue;
      path.push({
        rotation,
        translation,
        prismatic: this.kind[node] === PRISMATIC,
        actuator: joints.indexOf(this.actuator[node]!),
        multiplier: this.multiplier[node]!,
        offset: this.offset[node]!,
      });
      rotation = this.fromAxis.slice(9 * node, 9 * node + 9);
      translation = new Float64Array(3);
    }
    return new ToolPath(path, { rotation, translation }, joints.length);
  }

  /** Nodes from the first below the base to the tool. */
  private nodesToTool(): number[] {
    const nodes: number[] = [];
    for (let node = this.toolNode; node > 0; node = this.parent[node]!) nodes.unshift(node);
    return nodes;
  }

  private setNode(index: number, node: Node): void {
    this.parent[index] = node.parent;
    const { joint } = node;
    const turn = joint === null ? identityRotation() : joint.origin.rotation;
    const translation = joint === null ? { x: 0, y: 0, z: 0 } : joint.origin.position;
    this.translation.set([translation.x, translation.y, translation.z], 3 * index);
    const align = joint === null || joint.type === 'fixed' ? identityRotation() : alignAxis(joint.axis);
    this.toAxis.set(multiplyRotations(turn, align), 9 * index);
    for (let row = 0; row < 3; row++) {
      for (let column = 0; column < 3; column++) {
        this.fromAxis[9 * index + 3 * row + column] = align[3 * column + row]!;
      }
    }
    this.aligned[index] = align.every((value, i) => value === (i % 4 === 0 ? 1 : 0)) ? 1 : 0;
    if (joint !== null && joint.type !== 'fixed') this.setActuator(index, joint);
    const inertial = this.description.links.get(node.link)?.inertial;
    if (inertial) {
      const { x, y, z } = inertial.origin.position;
      this.mass[index] = inertial.mass;
      this.moment.set([inertial.mass * x, inertial.mass * y, inertial.mass * z], 3 * index);
    }
  }

  private setActuator(index: number, joint: Joint): void {
    const master = joint.mimic?.joint ?? joint.name;
    const actuator = this.joints.indexOf(master);
    if (actuator < 0) {
      throw new Error(
        `joint ${joint.name} of ${this.description.name} moves but is not among the joints ${this.joints.join(', ')}`,
      );
    }
    this.kind[index] = joint.type === 'prismatic' ? PRISMATIC : REVOLUTE;
    this.actuator[index] = actuator;
    this.multiplier[index] = joint.mimic?.multiplier ?? 1;
    this.offset[index] = joint.mimic?.offset ?? 0;
  }

  /** Computes the frame of every node. */
  private place(q: Float64Array): void {
    const { rotation, position, axis, toAxis, fromAxis, translation, parent, kind } = this;
    for (let node = 1; node < this.count; node++) {
      const i = 3 * node;
      const r = 9 * node;
      const pi = 3 * parent[node]!;
      const pr = 9 * parent[node]!;
      const p0 = rotation[pr]!;
      const p1 = rotation[pr + 1]!;
      const p2 = rotation[pr + 2]!;
      const p3 = rotation[pr + 3]!;
      const p4 = rotation[pr + 4]!;
      const p5 = rotation[pr + 5]!;
      const p6 = rotation[pr + 6]!;
      const p7 = rotation[pr + 7]!;
      const p8 = rotation[pr + 8]!;
      const x = translation[i]!;
      const y = translation[i + 1]!;
      const z = translation[i + 2]!;
      position[i] = position[pi]! + p0 * x + p1 * y + p2 * z;
      position[i + 1] = position[pi + 1]! + p3 * x + p4 * y + p5 * z;
      position[i + 2] = position[pi + 2]! + p6 * x + p7 * y + p8 * z;
      const t0 = toAxis[r]!;
      const t1 = toAxis[r + 1]!;
      const t2 = toAxis[r + 2]!;
      const t3 = toAxis[r + 3]!;
      const t4 = toAxis[r + 4]!;
      const t5 = toAxis[r + 5]!;
      const t6 = toAxis[r + 6]!;
      const t7 = toAxis[r + 7]!;
      const t8 = toAxis[r + 8]!;
      let x0 = p0 * t0 + p1 * t3 + p2 * t6;
      let x1 = p3 * t0 + p4 * t3 + p5 * t6;
      let x2 = p6 * t0 + p7 * t3 + p8 * t6;
      let y0 = p0 * t1 + p1 * t4 + p2 * t7;
      let y1 = p3 * t1 + p4 * t4 + p5 * t7;
      let y2 = p6 * t1 + p7 * t4 + p8 * t7;
      let z0 = p0 * t2 + p1 * t5 + p2 * t8;
      let z1 = p3 * t2 + p4 * t5 + p5 * t8;
      let z2 = p6 * t2 + p7 * t5 + p8 * t8;
      const type = kind[node]!;
      if (type !== FIXED) {
        axis[i] = z0;
        axis[i + 1] = z1;
        axis[i + 2] = z2;
        const value = this.multiplier[node]! * q[this.actuator[node]!]! + this.offset[node]!;
        if (type === PRISMATIC) {
          position[i] = position[i]! + z0 * value;
          position[i + 1] = position[i + 1]! + z1 * value;
          position[i + 2] = position[i + 2]! + z2 * value;
        } else {
          const c = Math.cos(value);
          const s = Math.sin(value);
          const n0 = c * x0 + s * y0;
          const n1 = c * x1 + s * y1;
          const n2 = c * x2 + s * y2;
          y0 = c * y0 - s * x0;
          y1 = c * y1 - s * x1;
          y2 = c * y2 - s * x2;
          x0 = n0;
          x1 = n1;
          x2 = n2;
        }
        if (this.aligned[node] === 0) {
          const f0 = fromAxis[r]!;
          const f1 = fromAxis[r + 1]!;
          const f2 = fromAxis[r + 2]!;
          const f3 = fromAxis[r + 3]!;
          const f4 = fromAxis[r + 4]!;
          const f5 = fromAxis[r + 5]!;
          const f6 = fromAxis[r + 6]!;
          const f7 = fromAxis[r + 7]!;
          const f8 = fromAxis[r + 8]!;
          const a0 = x0;
          const a1 = x1;
          const a2 = x2;
          const b0 = y0;
          const b1 = y1;
          const b2 = y2;
          const c0 = z0;
          const c1 = z1;
          const c2 = z2;
          x0 = a0 * f0 + b0 * f3 + c0 * f6;
          x1 = a1 * f0 + b1 * f3 + c1 * f6;
          x2 = a2 * f0 + b2 * f3 + c2 * f6;
          y0 = a0 * f1 + b0 * f4 + c0 * f7;
          y1 = a1 * f1 + b1 * f4 + c1 * f7;
          y2 = a2 * f1 + b2 * f4 + c2 * f7;
          z0 = a0 * f2 + b0 * f5 + c0 * f8;
          z1 = a1 * f2 + b1 * f5 + c1 * f8;
          z2 = a2 * f2 + b2 * f5 + c2 * f8;
        }
      }
      rotation[r] = x0;
      rotation[r + 1] = y0;
      rotation[r + 2] = z0;
      rotation[r + 3] = x1;
      rotation[r + 4] = y1;
      rotation[r + 5] = z1;
      rotation[r + 6] = x2;
      rotation[r + 7] = y2;
      rotation[r + 8] = z2;
    }
  }

  private writePose(node: number, out: Float64Array, at: number): void {
    for (let i = 0; i < 3; i++) out[at + i] = this.position[3 * node + i]!;
    writeQuaternion(this.rotation, 9 * node, out, at + 3);
  }
}

const ENDLESS: JointLimit = {
  lower: Number.NEGATIVE_INFINITY,
  upper: Number.POSITIVE_INFINITY,
  effort: Number.POSITIVE_INFINITY,
  velocity: Number.POSITIVE_INFINITY,
};

/** The base and all links below it, parents first. */
function collectNodes(description: RobotDescription, base: string): Node[] {
  if (!description.links.has(base)) throw new Error(`base link ${base} does not exist in ${description.name}`);
  const nodes: Node[] = [{ link: base, joint: null, parent: -1 }];
  for (const joint of description.joints) {
    const parent = nodes.findIndex((node) => node.link === joint.parent);
    if (parent >= 0) nodes.push({ link: joint.child, joint, parent });
  }
  return nodes;
}

/** Shortest rotation that turns the z axis onto a unit axis. */
function alignAxis(axis: { readonly x: number; readonly y: number; readonly z: number }): Rotation {
  const length = Math.hypot(axis.x, axis.y);
  if (length === 0) return axis.z > 0 ? identityRotation() : rotationFromAxisAngle(1, 0, 0, Math.PI);
  return rotationFromAxisAngle(-axis.y / length, axis.x / length, 0, Math.atan2(length, axis.z));
}
