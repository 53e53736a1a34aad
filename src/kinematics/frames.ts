/**
 * Poses and rotations.
 *
 * A rotation matrix is 9 numbers, row by row. It transforms vectors of the moved frame into the fixed frame. A
 * quaternion is a named type with the real part last, as in ROS messages (REP-103 right-handed axes). Angles are
 * radians.
 */

export interface Vector3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Unit quaternion, Hamilton convention. */
export interface Quaternion {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** Position (metres) and orientation of a frame in another frame. */
export interface Pose {
  readonly position: Vector3;
  readonly orientation: Quaternion;
}

/** Rotation matrix, 9 numbers row by row. */
export type Rotation = Float64Array;

/** Identity orientation. */
export const IDENTITY_QUATERNION: Quaternion = { x: 0, y: 0, z: 0, w: 1 };

/** Identity rotation. */
export function identityRotation(): Rotation {
  return Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
}

/** Rotation by roll, pitch and yaw about the fixed x, y and z axes, as in URDF's `rpy` (radians). */
export function rotationFromRollPitchYaw(roll: number, pitch: number, yaw: number): Rotation {
  const cr = Math.cos(roll);
  const sr = Math.sin(roll);
  const cp = Math.cos(pitch);
  const sp = Math.sin(pitch);
  const cy = Math.cos(yaw);
  const sy = Math.sin(yaw);
  return Float64Array.of(
    cy * cp,
    cy * sp * sr - sy * cr,
    cy * sp * cr + sy * sr,
    sy * cp,
    sy * sp * sr + cy * cr,
    sy * sp * cr - cy * sr,
    -sp,
    cp * sr,
    cp * cr,
  );
}

/** Rotation by `angle` radians about the unit axis (x, y, z): Rodrigues' formula. */
export function rotationFromAxisAngle(x: number, y: number, z: number, angle: number): Rotation {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const t = 1 - c;
  return Float64Array.of(
    t * x * x + c,
    t * x * y - s * z,
    t * x * z + s * y,
    t * x * y + s * z,
    t * y * y + c,
    t * y * z - s * x,
    t * x * z - s * y,
    t * y * z + s * x,
    t * z * z + c,
  );
}

/** Rotation matrix of a quaternion. The quaternion is normalised first; length 0 counts as identity. */
export function rotationFromQuaternion(q: Quaternion): Rotation {
  // Math.hypot also guards against overflow, which cannot happen here, and is ten times slower.
  const n = Math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (n === 0) return identityRotation();
  const x = q.x / n;
  const y = q.y / n;
  const z = q.z / n;
  const w = q.w / n;
  return Float64Array.of(
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  );
}

/**
 * Writes the quaternion (x, y, z, w) of a rotation matrix. Computes the largest of the four components first, so that
 * no precision is lost near half a turn; w >= 0, so that equal rotations give equal numbers.
 *
 * @param r rotation matrix, 9 numbers from index `rOffset`
 * @param out receives 4 numbers from index `outOffset`
 */
export function writeQuaternion(r: Float64Array, rOffset: number, out: Float64Array, outOffset: number): void {
  const m00 = r[rOffset]!;
  const m11 = r[rOffset + 4]!;
  const m22 = r[rOffset + 8]!;
  const trace = m00 + m11 + m22;
  let x: number;
  let y: number;
  let z: number;
  let w: number;
  if (trace >= m00 && trace >= m11 && trace >= m22) {
    w = 1 + trace;
    x = r[rOffset + 7]! - r[rOffset + 5]!;
    y = r[rOffset + 2]! - r[rOffset + 6]!;
    z = r[rOffset + 3]! - r[rOffset + 1]!;
  } else if (m00 >= m11 && m00 >= m22) {
    x = 1 + m00 - m11 - m22;
    w = r[rOffset + 7]! - r[rOffset + 5]!;
    y = r[rOffset + 1]! + r[rOffset + 3]!;
    z = r[rOffset + 2]! + r[rOffset + 6]!;
  } else if (m11 >= m22) {
    y = 1 + m11 - m00 - m22;
    w = r[rOffset + 2]! - r[rOffset + 6]!;
    x = r[rOffset + 1]! + r[rOffset + 3]!;
    z = r[rOffset + 5]! + r[rOffset + 7]!;
  } else {
    z = 1 + m22 - m00 - m11;
    w = r[rOffset + 3]! - r[rOffset + 1]!;
    x = r[rOffset + 2]! + r[rOffset + 6]!;
    y = r[rOffset + 5]! + r[rOffset + 7]!;
  }
  const s = (w < 0 ? -1 : 1) / Math.sqrt(x * x + y * y + z * z + w * w);
  out[outOffset] = x * s;
  out[outOffset + 1] = y * s;
  out[outOffset + 2] = z * s;
  out[outOffset + 3] = w * s;
}

/** Quaternion of a rotation matrix, w >= 0. */
export function quaternionFromRotation(r: Rotation): Quaternion {
  const out = new Float64Array(4);
  writeQuaternion(r, 0, out, 0);
  return { x: out[0]!, y: out[1]!, z: out[2]!, w: out[3]! };
}

/** Product a b: rotates by b, then by a. */
export function multiplyQuaternions(a: Quaternion, b: Quaternion): Quaternion {
  return {
    x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
    y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
    z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
  };
}

/** Inverse rotation of a unit quaternion. */
export function conjugateQuaternion(q: Quaternion): Quaternion {
  return { x: -q.x, y: -q.y, z: -q.z, w: q.w };
}

/** Transforms a vector from the moved frame to the fixed frame. */
export function rotateVector(q: Quaternion, v: Vector3): Vector3 {
  const r = rotationFromQuaternion(q);
  return {
    x: r[0]! * v.x + r[1]! * v.y + r[2]! * v.z,
    y: r[3]! * v.x + r[4]! * v.y + r[5]! * v.z,
    z: r[6]! * v.x + r[7]! * v.y + r[8]! * v.z,
  };
}

/** Product a b of two rotation matrices; `out` must be neither of them. Returns `out`. */
export function multiplyRotations(a: Rotation, b: Rotation, out: Rotation = new Float64Array(9)): Rotation {
  for (let i = 0; i < 9; i += 3) {
    const x = a[i]!;
    const y = a[i + 1]!;
    const z = a[i + 2]!;
    out[i] = x * b[0]! + y * b[3]! + z * b[6]!;
    out[i + 1] = x * b[1]! + y * b[4]! + z * b[7]!;
    out[i + 2] = x * b[2]! + y * b[5]! + z * b[8]!;
  }
  return out;
}

/** Product a bᵀ of two rotation matrices: turns b's frame into a's. `out` must be neither of them. Returns `out`. */
export function multiplyByTranspose(a: Rotation, b: Rotation, out: Rotation = new Float64Array(9)): Rotation {
  for (let i = 0; i < 9; i += 3) {
    const x = a[i]!;
    const y = a[i + 1]!;
    const z = a[i + 2]!;
    out[i] = x * b[0]! + y * b[1]! + z * b[2]!;
    out[i + 1] = x * b[3]! + y * b[4]! + z * b[5]!;
    out[i + 2] = x * b[6]! + y * b[7]! + z * b[8]!;
  }
  return out;
}

/**
 * Writes the rotation vector (axis times angle, radians, angle in 0..pi) of a rotation matrix.
 *
 * Accurate at both ends of the range, because the angle is computed from both parts of the quaternion.
 */
export function writeRotationVector(r: Rotation, out: Float64Array): void {
  writeQuaternion(r, 0, QUATERNION_SCRATCH, 0);
  const x = QUATERNION_SCRATCH[0]!;
  const y = QUATERNION_SCRATCH[1]!;
  const z = QUATERNION_SCRATCH[2]!;
  const w = QUATERNION_SCRATCH[3]!;
  const s = Math.sqrt(x * x + y * y + z * z);
  const factor = s < 1e-12 ? 2 : (2 * Math.atan2(s, w)) / s;
  out[0] = x * factor;
  out[1] = y * factor;
  out[2] = z * factor;
}

const QUATERNION_SCRATCH = new Float64Array(4);

/** Angle in radians, 0..pi, of the rotation between two orientations. */
export function angleBetween(a: Rotation, b: Rotation): number {
  writeQuaternion(multiplyByTranspose(a, b), 0, QUATERNION_SCRATCH, 0);
  const [x, y, z, w] = QUATERNION_SCRATCH;
  return 2 * Math.atan2(Math.sqrt(x! * x! + y! * y! + z! * z!), w!);
}
