/** The URDF's collision primitives as numbers: capsules between links, exact shapes against a surface. */

import type { Collision } from './urdf.ts';

/** Boxes are split into enough capsules that these protrude at most this far from the box's faces, m. */
const BULGE = 0.002;
const MOST_CAPSULES = 8;
/** Numbers per capsule: two end points in the link's frame and a radius. */
export const CAPSULE = 7;
/** Numbers per exact primitive: kind, centre, axes (9) and half sizes. */
export const SUPPORT = 16;
const BOX = 0;
export const CYLINDER = 1;
export const SPHERE = 2;
export const CAPPED = 3;

/** Capsules that together contain a primitive, 7 numbers each, in the link's frame. */
export function coverWithCapsules({ origin, geometry }: Collision, link: string): number[] {
  const { position, rotation: r } = origin;
  const point = (x: number, y: number, z: number): number[] => [
    position.x + r[0]! * x + r[1]! * y + r[2]! * z,
    position.y + r[3]! * x + r[4]! * y + r[5]! * z,
    position.z + r[6]! * x + r[7]! * y + r[8]! * z,
  ];
  if (geometry.kind === 'sphere') return [...point(0, 0, 0), ...point(0, 0, 0), geometry.radius];
  if (geometry.kind === 'cylinder' || geometry.kind === 'capsule') {
    const half = geometry.length / 2;
    return [...point(0, 0, -half), ...point(0, 0, half), geometry.radius];
  }
  if (geometry.kind === 'mesh') {
    throw new Error(
      `link ${link}: collision shape ${geometry.filename} is a mesh; draw it as boxes, cylinders, capsules or spheres`,
    );
  }
  const edges = [geometry.size.x, geometry.size.y, geometry.size.z];
  const order = [0, 1, 2].sort((a, b) => edges[b]! - edges[a]!);
  const [long, wide, thick] = order.map((axis) => edges[axis]!) as [number, number, number];
  const cell = Math.sqrt((thick + 2 * BULGE) ** 2 - thick ** 2);
  const count = Math.min(MOST_CAPSULES, Math.max(1, Math.ceil(wide / cell)));
  const width = wide / count;
  const capsules: number[] = [];
  for (let i = 0; i < count; i++) {
    const offset = (i + 0.5) * width - wide / 2;
    for (const end of [-long / 2, long / 2]) {
      const at = [0, 0, 0];
      at[order[0]!] = end;
      at[order[1]!] = offset;
      capsules.push(...point(at[0]!, at[1]!, at[2]!));
    }
    capsules.push(Math.hypot(width, thick) / 2);
  }
  return capsules;
}

/** Kind, centre, axes and half sizes (for a cylinder or capsule: radius, -, half length) of a primitive in the link's frame. */
export function describeSupport({ origin, geometry }: Collision): number[] {
  const { x, y, z } = origin.position;
  const place = [x, y, z, ...origin.rotation];
  if (geometry.kind === 'sphere') return [SPHERE, ...place, geometry.radius, 0, 0];
  if (geometry.kind === 'cylinder') return [CYLINDER, ...place, geometry.radius, 0, geometry.length / 2];
  if (geometry.kind === 'capsule') return [CAPPED, ...place, geometry.radius, 0, geometry.length / 2];
  if (geometry.kind === 'box') {
    return [BOX, ...place, geometry.size.x / 2, geometry.size.y / 2, geometry.size.z / 2];
  }
  return [];
}

/**
 * Distance between the surfaces of two capsules, negative if they overlap: closest points of two line segments (C.
 * Ericson, Real-Time Collision Detection, 2005, section 5.1.9).
 *
 * @param c capsules
 * @param i index of the first number of one
 * @param j index of the first number of the other
 */
export function capsuleDistance(c: Float64Array, i: number, j: number): number {
  const px = c[i]!;
  const py = c[i + 1]!;
  const pz = c[i + 2]!;
  const dx = c[i + 3]! - px;
  const dy = c[i + 4]! - py;
  const dz = c[i + 5]! - pz;
  const ex = c[j + 3]! - c[j]!;
  const ey = c[j + 4]! - c[j + 1]!;
  const ez = c[j + 5]! - c[j + 2]!;
  const wx = px - c[j]!;
  const wy = py - c[j + 1]!;
  const wz = pz - c[j + 2]!;
  const a = dx * dx + dy * dy + dz * dz;
  const e = ex * ex + ey * ey + ez * ez;
  const f = ex * wx + ey * wy + ez * wz;
  let s = 0;
  let t = 0;
  if (a > 0 || e > 0) {
    const g = dx * wx + dy * wy + dz * wz;
    if (a === 0) {
      t = clamp01(f / e);
    } else if (e === 0) {
      s = clamp01(-g / a);
    } else {
      const b = dx * ex + dy * ey + dz * ez;
      const denominator = a * e - b * b;
      // Parallel segments: any s works, because the clamping below finds the overlap.
      s = denominator > 1e-12 * a * e ? clamp01((b * f - g * e) / denominator) : 0;
      t = (b * s + f) / e;
      if (t < 0) {
        t = 0;
        s = clamp01(-g / a);
      } else if (t > 1) {
        t = 1;
        s = clamp01((b - g) / a);
      }
    }
  }
  const x = wx + s * dx - t * ex;
  const y = wy + s * dy - t * ey;
  const z = wz + s * dz - t * ez;
  return Math.sqrt(x * x + y * y + z * z) - c[i + 6]! - c[j + 6]!;
}

function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}
