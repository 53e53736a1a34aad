import type { Rotation } from './frames.ts';

/** One moving joint between base and tool, relative to the frame after the previous joint. */
export interface PathJoint {
  /** Rotation into the joint frame, whose z axis is the joint axis. */
  readonly rotation: Rotation;
  /** Origin of the joint frame, metres. */
  readonly translation: Float64Array;
  readonly prismatic: boolean;
  /** Index in q of the joint that drives this one. */
  readonly actuator: number;
  /** Position = multiplier * q[actuator] + offset. */
  readonly multiplier: number;
  readonly offset: number;
}

/**
 * The joints between base and tool with all constant transforms premultiplied: the cheapest forward kinematics and
 * Jacobian. Nothing is allocated after construction.
 */
export class ToolPath {
  /** Length of q and number of columns of the Jacobian. */
  readonly size: number;
  private readonly count: number;
  private readonly prismatic: Uint8Array;
  private readonly actuator: Int32Array;
  private readonly multiplier: Float64Array;
  private readonly offset: Float64Array;
  /** 12 numbers for each joint, and for the tool after the last: rotation, then translation. */
  private readonly fixed: Float64Array;
  /** From the last `forward`: axis and origin of each joint in the base frame, 3 numbers each, and tool position. */
  private readonly axis: Float64Array;
  private readonly origin: Float64Array;
  private readonly tip = new Float64Array(3);

  /**
   * @param joints from the base to the tool
   * @param tool frame of the tool, relative to the frame after the last joint
   * @param size length of q
   */
  constructor(
    joints: readonly PathJoint[],
    tool: { readonly rotation: Rotation; readonly translation: Float64Array },
    size: number,
  ) {
    this.size = size;
    this.count = joints.length;
    this.prismatic = Uint8Array.from(joints, (joint) => (joint.prismatic ? 1 : 0));
    this.actuator = Int32Array.from(joints, (joint) => joint.actuator);
    this.multiplier = Float64Array.from(joints, (joint) => joint.multiplier);
    this.offset = Float64Array.from(joints, (joint) => joint.offset);
    this.fixed = new Float64Array(12 * (joints.length + 1));
    for (const [index, frame] of [...joints, tool].entries()) {
      this.fixed.set(frame.rotation, 12 * index);
      this.fixed.set(frame.translation, 12 * index + 9);
    }
    this.axis = new Float64Array(3 * joints.length);
    this.origin = new Float64Array(3 * joints.length);
  }

  /**
   * Pose of the tool in the base frame.
   *
   * @param q positions (size), rad or m
   * @param out receives 12 numbers: position x y z in metres, then the rotation matrix row by row
   */
  forward(q: Float64Array, out: Float64Array): void {
    const { count, fixed, axis, origin, tip } = this;
    let x0 = 1;
    let x1 = 0;
    let x2 = 0;
    let y0 = 0;
    let y1 = 1;
    let y2 = 0;
    let z0 = 0;
    let z1 = 0;
    let z2 = 1;
    let px = 0;
    let py = 0;
    let pz = 0;
    for (let k = 0; k <= count; k++) {
      const f = 12 * k;
      const tx = fixed[f + 9]!;
      const ty = fixed[f + 10]!;
      const tz = fixed[f + 11]!;
      px += x0 * tx + y0 * ty + z0 * tz;
      py += x1 * tx + y1 * ty + z1 * tz;
      pz += x2 * tx + y2 * ty + z2 * tz;
      const f0 = fixed[f]!;
      const f1 = fixed[f + 1]!;
      const f2 = fixed[f + 2]!;
      const f3 = fixed[f + 3]!;
      const f4 = fixed[f + 4]!;
      const f5 = fixed[f + 5]!;
      const f6 = fixed[f + 6]!;
      const f7 = fixed[f + 7]!;
      const f8 = fixed[f + 8]!;
      const a0 = x0 * f0 + y0 * f3 + z0 * f6;
      const a1 = x1 * f0 + y1 * f3 + z1 * f6;
      const a2 = x2 * f0 + y2 * f3 + z2 * f6;
      const b0 = x0 * f1 + y0 * f4 + z0 * f7;
      const b1 = x1 * f1 + y1 * f4 + z1 * f7;
      const b2 = x2 * f1 + y2 * f4 + z2 * f7;
      const c0 = x0 * f2 + y0 * f5 + z0 * f8;
      const c1 = x1 * f2 + y1 * f5 + z1 * f8;
      const c2 = x2 * f2 + y2 * f5 + z2 * f8;
      x0 = a0;
      x1 = a1;
      x2 = a2;
      y0 = b0;
      y1 = b1;
      y2 = b2;
      z0 = c0;
      z1 = c1;
      z2 = c2;
      if (k === count) break;
      const i = 3 * k;
      axis[i] = z0;
      axis[i + 1] = z1;
      axis[i + 2] = z2;
      const value = this.multiplier[k]! * q[this.actuator[k]!]! + this.offset[k]!;
      if (this.prismatic[k] === 1) {
        px += z0 * value;
        py += z1 * value;
        pz += z2 * value;
      } else {
        const c = Math.cos(value);
        const s = Math.sin(value);
        x0 = c * a0 + s * b0;
        x1 = c * a1 + s * b1;
        x2 = c * a2 + s * b2;
        y0 = c * b0 - s * a0;
        y1 = c * b1 - s * a1;
        y2 = c * b2 - s * a2;
      }
      origin[i] = px;
      origin[i + 1] = py;
      origin[i + 2] = pz;
    }
    tip[0] = px;
    tip[1] = py;
    tip[2] = pz;
    out[0] = px;
    out[1] = py;
    out[2] = pz;
    out[3] = x0;
    out[4] = y0;
    out[5] = z0;
    out[6] = x1;
    out[7] = y1;
    out[8] = z1;
    out[9] = x2;
    out[10] = y2;
    out[11] = z2;
  }

  /**
   * Geometric Jacobian of the tool in axes of the base frame, at the q of the last `forward`.
   *
   * @param out receives 6 x size numbers row by row: linear velocity (3 rows), then angular velocity, per joint velocity
   */
  jacobian(out: Float64Array): void {
    const { size: n, axis, origin, tip } = this;
    for (let i = 0; i < 6 * n; i++) out[i] = 0;
    for (let k = 0; k < this.count; k++) {
      const i = 3 * k;
      const column = this.actuator[k]!;
      const scale = this.multiplier[k]!;
      const ax = axis[i]! * scale;
      const ay = axis[i + 1]! * scale;
      const az = axis[i + 2]! * scale;
      if (this.prismatic[k] === 1) {
        out[column] = out[column]! + ax;
        out[n + column] = out[n + column]! + ay;
        out[2 * n + column] = out[2 * n + column]! + az;
        continue;
      }
      const dx = tip[0]! - origin[i]!;
      const dy = tip[1]! - origin[i + 1]!;
      const dz = tip[2]! - origin[i + 2]!;
      out[column] = out[column]! + ay * dz - az * dy;
      out[n + column] = out[n + column]! + az * dx - ax * dz;
      out[2 * n + column] = out[2 * n + column]! + ax * dy - ay * dx;
      out[3 * n + column] = out[3 * n + column]! + ax;
      out[4 * n + column] = out[4 * n + column]! + ay;
      out[5 * n + column] = out[5 * n + column]! + az;
    }
  }

  /**
   * Adds the curvature of the tool's position along a direction v, at the q of the last `forward`: the second
   * derivatives of v · p by any two joints, times `scale`. The derivative of a joint's Jacobian column by an earlier
   * revolute joint is the cross product of that joint's axis with the column; by an earlier prismatic joint it is 0.
   *
   * @param out size x size numbers, symmetric
   */
  addCurvature(vx: number, vy: number, vz: number, scale: number, out: Float64Array): void {
    const { count, size: n, axis, origin, tip, prismatic, multiplier, actuator } = this;
    for (let later = 0; later < count; later++) {
      const j = 3 * later;
      let lx = axis[j]!;
      let ly = axis[j + 1]!;
      let lz = axis[j + 2]!;
      if (prismatic[later] === 0) {
        const dx = tip[0]! - origin[j]!;
        const dy = tip[1]! - origin[j + 1]!;
        const dz = tip[2]! - origin[j + 2]!;
        const x = ly * dz - lz * dy;
        const y = lz * dx - lx * dz;
        lz = lx * dy - ly * dx;
        lx = x;
        ly = y;
      }
      const b = actuator[later]!;
      for (let earlier = 0; earlier <= later; earlier++) {
        if (prismatic[earlier] === 1) continue;
        const i = 3 * earlier;
        const a = actuator[earlier]!;
        const x = axis[i + 1]! * lz - axis[i + 2]! * ly;
        const y = axis[i + 2]! * lx - axis[i]! * lz;
        const z = axis[i]! * ly - axis[i + 1]! * lx;
        const value = scale * multiplier[earlier]! * multiplier[later]! * (vx * x + vy * y + vz * z);
        out[a * n + b] = out[a * n + b]! + value;
        if (earlier !== later) out[b * n + a] = out[b * n + a]! + value;
      }
    }
  }
}
