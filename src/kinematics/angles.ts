/**
 * Pitch, yaw and roll of a tool relative to its orientation at the init pose, and the distance of a tool orientation
 * from given angles.
 *
 * D = Rz(yaw) Ry(-pitch) Rx(roll) in axes of the base frame (x forward, y left, z up); tool orientation R = D R_init.
 */

import { multiplyByTranspose, multiplyRotations, type Rotation, writeRotationVector } from './frames.ts';

/** Radians: pitch positive lifts the nose, yaw positive turns left, roll positive is clockwise seen from behind. */
export interface Angles {
  readonly pitch: number;
  readonly yaw: number;
  readonly roll: number;
}

/** Angles in radians; null means free. */
export interface AngleTargets {
  readonly pitch: number | null;
  readonly yaw: number | null;
  readonly roll: number | null;
}

/** Beyond this |pitch| the nose is nearly vertical and yaw and roll share nearly one axis; roll then reads 0. */
export const VERTICAL_PITCH = (89 * Math.PI) / 180;

/** Writes the rotation Rz(yaw) Ry(-pitch) Rx(roll) (radians) into `out`. */
function writeAngleRotation(pitch: number, yaw: number, roll: number, out: Rotation): void {
  const cp = Math.cos(pitch);
  const sp = Math.sin(pitch);
  const cy = Math.cos(yaw);
  const sy = Math.sin(yaw);
  const cr = Math.cos(roll);
  const sr = Math.sin(roll);
  out[0] = cy * cp;
  out[1] = -sy * cr - cy * sp * sr;
  out[2] = sy * sr - cy * sp * cr;
  out[3] = sy * cp;
  out[4] = cy * cr - sy * sp * sr;
  out[5] = -cy * sr - sy * sp * cr;
  out[6] = sp;
  out[7] = cp * sr;
  out[8] = cp * cr;
}

/** The same angle in (-pi, pi]. */
export function principalAngle(angle: number): number {
  const turned = angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
  return turned <= -Math.PI ? Math.PI : turned;
}

/**
 * Tool orientation R = D R_init.
 *
 * @param angles angles of D, radians
 * @param init orientation of the tool where all angles are zero
 */
export function rotationFromAngles(angles: Angles, init: Rotation): Rotation {
  const d = new Float64Array(9);
  writeAngleRotation(angles.pitch, angles.yaw, angles.roll, d);
  return multiplyRotations(d, init);
}

/**
 * Angles of D = R R_initᵀ: yaw and roll in (-pi, pi], pitch in [-pi/2, pi/2].
 *
 * At |pitch| > 89 degrees roll reads 0. Pitch and yaw are then those of the nearest orientation without roll, which is
 * at most one degree away.
 *
 * @param r orientation of the tool
 * @param init orientation of the tool where all angles are zero
 */
export function anglesFromRotation(r: Rotation, init: Rotation): Angles {
  const d = multiplyByTranspose(r, init);
  const pitch = Math.atan2(d[6]!, Math.hypot(d[0]!, d[3]!));
  if (Math.abs(pitch) <= VERTICAL_PITCH) {
    return {
      pitch,
      yaw: principalAngle(Math.atan2(d[3]!, d[0]!)),
      roll: principalAngle(Math.atan2(d[7]!, d[8]!)),
    };
  }
  const level = new OrientationGoal({ pitch: null, yaw: null, roll: 0 }, init).nearest(r);
  const nearest = multiplyByTranspose(level, init);
  return {
    pitch: Math.atan2(nearest[6]!, nearest[8]!),
    yaw: principalAngle(Math.atan2(-nearest[1]!, nearest[4]!)),
    roll: 0,
  };
}

/**
 * The set of orientations with given angles, where a free angle may have any value; a free pitch lies in [-pi/2, pi/2],
 * as in readings. `evaluate` finds the nearest element to an orientation. Nothing is allocated after construction.
 */
export class OrientationGoal {
  /** Number of given angles, 0..3. */
  given = 0;
  /** Rotation vector in the base frame (3) that turns the evaluated orientation into the nearest one of the set. */
  readonly correction = new Float64Array(3);
  /** Projector (3 x 3) on the directions of rotation, to first order, that change the distance to the set. */
  readonly normal = new Float64Array(9);
  /** Distance to the set in radians, 0..pi. */
  angle = 0;

  private readonly init: Rotation = new Float64Array(9);
  private pitch: number | null = null;
  private yaw: number | null = null;
  private roll: number | null = null;
  private readonly current = new Float64Array(9);
  private readonly left = new Float64Array(9);
  private readonly between = new Float64Array(9);
  private readonly target = new Float64Array(9);
  private readonly turn = new Float64Array(9);

  /**
   * @param angles the given angles in radians
   * @param init orientation of the tool where all angles are zero
   */
  constructor(angles: AngleTargets, init: Rotation) {
    this.aim(angles, init);
  }

  /**
   * Redefines the set with other angles.
   *
   * @param angles the given angles in radians
   * @param init orientation of the tool where all angles are zero
   */
  aim(angles: AngleTargets, init: Rotation): void {
    this.init.set(init);
    this.pitch = angles.pitch;
    this.yaw = angles.yaw;
    this.roll = angles.roll;
    this.given = (angles.pitch === null ? 0 : 1) + (angles.yaw === null ? 0 : 1) + (angles.roll === null ? 0 : 1);
  }

  /** Computes `angle`, `correction` and `normal` for the tool orientation `r`. */
  evaluate(r: Rotation): void {
    multiplyByTranspose(r, this.init, this.current);
    const { pitch, yaw, roll } = this;
    if (this.given === 0) {
      this.correction.fill(0);
      this.normal.fill(0);
      this.angle = 0;
    } else if (this.given >= 2) {
      this.towardsTarget(pitch, yaw, roll);
    } else if (pitch !== null) {
      this.towardsPitch(pitch);
    } else if (yaw !== null) {
      this.towardsYaw(yaw);
    } else {
      this.towardsRoll(roll!);
    }
  }

  /** The nearest orientation of the set to `r`. */
  nearest(r: Rotation): Rotation {
    this.evaluate(r);
    const [x, y, z] = this.correction;
    const turn = new Float64Array(9);
    writeTurn(x!, y!, z!, turn);
    return multiplyRotations(turn, r);
  }

  /** At most one angle free: its nearest value has a closed form, which maximises the trace of Dᵀ D_current. */
  private towardsTarget(givenPitch: number | null, givenYaw: number | null, givenRoll: number | null): void {
    const { current, left, between, target, turn, normal } = this;
    let pitch = givenPitch ?? 0;
    let yaw = givenYaw ?? 0;
    let roll = givenRoll ?? 0;
    let freeX = 0;
    let freeY = 0;
    let freeZ = 0;
    if (givenYaw === null) {
      writeAngleRotation(pitch, 0, roll, left);
      multiplyByTranspose(current, left, between);
      yaw = Math.atan2(between[3]! - between[1]!, between[0]! + between[4]!);
      freeZ = 1;
    } else if (givenRoll === null) {
      writeAngleRotation(-pitch, 0, 0, left);
      writeAngleRotation(0, -yaw, 0, turn);
      multiplyRotations(left, turn, between);
      multiplyRotations(between, current, target);
      roll = Math.atan2(target[7]! - target[5]!, target[4]! + target[8]!);
      freeX = Math.cos(yaw) * Math.cos(pitch);
      freeY = Math.sin(yaw) * Math.cos(pitch);
      freeZ = Math.sin(pitch);
    } else if (givenPitch === null) {
      writeAngleRotation(0, -yaw, 0, left);
      multiplyRotations(left, current, between);
      writeAngleRotation(0, 0, -roll, left);
      multiplyRotations(between, left, target);
      const along = target[0]! + target[8]!;
      const across = target[6]! - target[2]!;
      if (along >= 0) {
        pitch = Math.atan2(across, along);
        freeX = -Math.sin(yaw);
        freeY = Math.cos(yaw);
      } else {
        pitch = across >= 0 ? Math.PI / 2 : -Math.PI / 2;
      }
    }
    writeAngleRotation(pitch, yaw, roll, target);
    multiplyByTranspose(target, current, turn);
    writeRotationVector(turn, this.correction);
    const [x, y, z] = this.correction;
    this.angle = Math.sqrt(x! * x! + y! * y! + z! * z!);
    writeProjector(-1, freeX, freeY, freeZ, normal);
  }

  /** Constrains only the elevation of the nose. */
  private towardsPitch(pitch: number): void {
    const a = this.current;
    const horizontal = Math.hypot(a[0]!, a[3]!);
    const error = Math.asin(Math.sin(pitch)) - Math.atan2(a[6]!, horizontal);
    // A vertical nose has no heading, so the side axis determines the axis of the tilt.
    const heading = horizontal > 1e-12 ? Math.atan2(a[3]!, a[0]!) : Math.atan2(-a[1]!, a[4]!);
    this.setLine(Math.sin(heading), -Math.cos(heading), 0, error);
  }

  /** The nose must lie in the vertical half-plane of the heading. */
  private towardsYaw(yaw: number): void {
    const a = this.current;
    const x = a[0]!;
    const y = a[3]!;
    const z = a[6]!;
    const c = Math.cos(yaw);
    const s = Math.sin(yaw);
    const across = y * c - x * s;
    if (x * c + y * s >= 0) {
      // k × nose, with k = (-s, c, 0) the normal of the half-plane.
      const ux = c * z;
      const uy = s * z;
      const uz = -s * y - c * x;
      const length = Math.sqrt(ux * ux + uy * uy + uz * uz);
      const angle = Math.asin(Math.max(-1, Math.min(1, across)));
      if (length > 1e-9) this.setLine(ux / length, uy / length, uz / length, angle);
      else this.setLine(0, 0, -1, angle);
      return;
    }
    const up = z >= 0 ? 1 : -1;
    const length = Math.hypot(x, y);
    const angle = Math.atan2(length, z * up);
    this.setPlane((up * y * angle) / length, (-up * x * angle) / length, 0, angle, x, y, z);
  }

  /** The vertical, seen from the tool, must lie in the half-plane of the roll. */
  private towardsRoll(roll: number): void {
    const a = this.current;
    const x = a[6]!;
    const y = a[7]!;
    const z = a[8]!;
    const c = Math.cos(roll);
    const s = Math.sin(roll);
    const across = y * c - z * s;
    let bx: number;
    let by: number;
    let bz: number;
    let angle: number;
    const inside = y * s + z * c >= 0;
    if (inside) {
      // k × vertical, with k = (0, c, -s) the normal of the half-plane.
      bx = c * z + s * y;
      by = -s * x;
      bz = -c * x;
      const length = Math.sqrt(bx * bx + by * by + bz * bz);
      angle = Math.asin(Math.max(-1, Math.min(1, across)));
      if (length > 1e-9) {
        bx /= length;
        by /= length;
        bz /= length;
      } else {
        bx = 1;
        by = 0;
        bz = 0;
      }
    } else {
      const front = x >= 0 ? 1 : -1;
      const length = Math.hypot(y, z);
      angle = Math.atan2(length, x * front);
      bx = 0;
      by = (front * z) / length;
      bz = (-front * y) / length;
    }
    // Turning the tool in the base frame turns the vertical the opposite way in the tool frame.
    const ux = -(a[0]! * bx + a[1]! * by + a[2]! * bz);
    const uy = -(a[3]! * bx + a[4]! * by + a[5]! * bz);
    const uz = -(a[6]! * bx + a[7]! * by + a[8]! * bz);
    if (inside) this.setLine(ux, uy, uz, angle);
    else this.setPlane(ux * angle, uy * angle, uz * angle, angle, 0, 0, 1);
  }

  /** Only rotation about the unit axis u changes the distance; the set is reached after `angle` (signed, rad). */
  private setLine(ux: number, uy: number, uz: number, angle: number): void {
    this.correction[0] = ux * angle;
    this.correction[1] = uy * angle;
    this.correction[2] = uz * angle;
    this.angle = Math.abs(angle);
    writeProjector(1, ux, uy, uz, this.normal);
  }

  /** Rotation about the unit axis f is free. */
  private setPlane(x: number, y: number, z: number, angle: number, fx: number, fy: number, fz: number): void {
    this.correction[0] = x;
    this.correction[1] = y;
    this.correction[2] = z;
    this.angle = angle;
    writeProjector(-1, fx, fy, fz, this.normal);
  }
}

/** u uᵀ for `sign` 1, I - u uᵀ for `sign` -1. */
function writeProjector(sign: 1 | -1, x: number, y: number, z: number, out: Float64Array): void {
  const diagonal = sign === 1 ? 0 : 1;
  out[0] = diagonal + sign * x * x;
  out[1] = sign * x * y;
  out[2] = sign * x * z;
  out[3] = out[1]!;
  out[4] = diagonal + sign * y * y;
  out[5] = sign * y * z;
  out[6] = out[2]!;
  out[7] = out[5]!;
  out[8] = diagonal + sign * z * z;
}

/** Rotation matrix of a rotation vector. */
function writeTurn(x: number, y: number, z: number, out: Rotation): void {
  const angle = Math.sqrt(x * x + y * y + z * z);
  const s = angle < 1e-9 ? 1 : Math.sin(angle) / angle;
  const t = angle < 1e-9 ? 0.5 : (1 - Math.cos(angle)) / (angle * angle);
  const c = Math.cos(angle);
  out[0] = t * x * x + c;
  out[1] = t * x * y - s * z;
  out[2] = t * x * z + s * y;
  out[3] = t * x * y + s * z;
  out[4] = t * y * y + c;
  out[5] = t * y * z - s * x;
  out[6] = t * x * z - s * y;
  out[7] = t * y * z + s * x;
  out[8] = t * z * z + c;
}

/**
 * Smallest angle (radians) of a rotation that turns `r` into an orientation with the given angles; 0 if all are free.
 *
 * @param r orientation of the tool
 * @param init orientation of the tool where all angles are zero
 * @param angles given angles in radians, null where free
 */
export function orientationError(r: Rotation, init: Rotation, angles: AngleTargets): number {
  const goal = new OrientationGoal(angles, init);
  goal.evaluate(r);
  return goal.angle;
}
