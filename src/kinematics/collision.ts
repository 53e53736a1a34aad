/**
 * Whether an arm touches itself or the surface it stands on.
 *
 * The bodies are the URDF's collision primitives. Between links each is covered by capsules (a capsule contains what it
 * stands for, so no touch is missed and thick boxes touch up to 2 mm early); against the surface its exact shape counts.
 * Links that one joint connects are never checked against each other. Distance of capsules: closest points of two line
 * segments (C. Ericson, Real-Time Collision Detection, 2005, section 5.1.9).
 */

import type { Chain } from './chain.ts';
import type { Collision } from './urdf.ts';

/** What touches what. */
export interface Contact {
  /** Link. */
  readonly a: string;
  /** Another link, or `floor`. */
  readonly b: string;
  /** Metres; negative: how deep they overlap. */
  readonly distance: number;
}

export interface PathContact extends Contact {
  /** Part of the way, 0..1, at which it happens. */
  readonly at: number;
}

export interface CollisionOptions {
  /** Distance (m) that counts as touching. Default 0. */
  readonly clearance?: number;
  /** Height (m, base frame) of the surface the arm stands on, null for none. Default 0. */
  readonly floor?: number | null;
}

export const FLOOR = 'floor';

/** Boxes are split into capsules until these stand out by no more than this from the box's faces, m. */
const BULGE = 0.002;
const MOST_CAPSULES = 8;
/** A touch that exists where a path begins may become deeper by this much before it counts, m. */
const SETTLED = 0.001;
/** Largest joint step between two checks of a path, rad. */
const PATH_STEP = 0.02;

/** Numbers per capsule: two end points in the link's frame and a radius. */
const CAPSULE = 7;
/** Numbers per primitive for the surface: kind, centre, axes (9) and half sizes. */
const SUPPORT = 16;
const BOX = 0;
const CYLINDER = 1;
const SPHERE = 2;

interface Body {
  /** Links that move as one, named after the first. */
  readonly name: string;
  readonly parent: number;
  /** Number of joints between the base and the body. */
  readonly depth: number;
}

/** Checks one chain. Owns scratch memory: one model serves one thread. */
export class CollisionModel {
  private readonly chain: Chain;
  private readonly clearance: number;
  private readonly floor: number | null;
  /** Contact objects by pair of bodies, the floor's last; `distance` is rewritten by each check. */
  private readonly pairs: readonly { readonly a: string; readonly b: string; distance: number }[];
  private readonly pairA: Int32Array;
  private readonly pairB: Int32Array;
  private readonly distances: Float64Array;
  private readonly startDistances: Float64Array;
  /** Capsules of body i: from first[i] to first[i + 1]. */
  private readonly first: Int32Array;
  private readonly capsuleLink: Int32Array;
  private readonly local: Float64Array;
  private readonly world: Float64Array;
  private readonly floorBodies: readonly number[];
  private readonly firstSupport: Int32Array;
  private readonly supportLink: Int32Array;
  private readonly support: Float64Array;
  private readonly rotations: Float64Array;
  private readonly positions: Float64Array;
  private readonly between: Float64Array;

  /**
   * @param chain the arm
   * @throws Error when a link's collision shape is a mesh
   */
  constructor(chain: Chain, options: CollisionOptions = {}) {
    this.chain = chain;
    this.clearance = options.clearance ?? 0;
    this.floor = options.floor === undefined ? 0 : options.floor;
    const { bodies, bodyOf } = groupLinks(chain);

    const capsules: number[] = [];
    const capsuleLinks: number[] = [];
    const supports: number[] = [];
    const supportLinks: number[] = [];
    const first = [0];
    const firstSupport = [0];
    for (const body of bodies.keys()) {
      for (const [link, name] of chain.links.entries()) {
        if (bodyOf[link] !== body) continue;
        for (const shape of chain.description.links.get(name)?.collisions ?? []) {
          const made = coverWithCapsules(shape, name);
          capsules.push(...made);
          for (let i = 0; i < made.length; i += CAPSULE) capsuleLinks.push(link);
          supports.push(...describeSupport(shape));
          supportLinks.push(link);
        }
      }
      first.push(capsuleLinks.length);
      firstSupport.push(supportLinks.length);
    }
    this.first = Int32Array.from(first);
    this.capsuleLink = Int32Array.from(capsuleLinks);
    this.local = Float64Array.from(capsules);
    this.world = new Float64Array(capsules.length);
    this.firstSupport = Int32Array.from(firstSupport);
    this.supportLink = Int32Array.from(supportLinks);
    this.support = Float64Array.from(supports);

    const pairs: [number, number][] = [];
    for (const [b, body] of bodies.entries()) {
      for (let a = 0; a < b; a++) {
        if (body.parent !== a && bodies[a]!.parent !== b) pairs.push([a, b]);
      }
    }
    // The base stands on the surface and the first link turns on it: neither can come nearer.
    this.floorBodies = this.floor === null ? [] : [...bodies.keys()].filter((body) => bodies[body]!.depth >= 2);
    this.pairA = Int32Array.from(pairs, ([a]) => a);
    this.pairB = Int32Array.from(pairs, ([, b]) => b);
    this.pairs = [
      ...pairs.map(([a, b]) => ({ a: bodies[a]!.name, b: bodies[b]!.name, distance: 0 })),
      ...this.floorBodies.map((body) => ({ a: bodies[body]!.name, b: FLOOR, distance: 0 })),
    ];
    this.distances = new Float64Array(this.pairs.length);
    this.startDistances = new Float64Array(this.pairs.length);
    this.rotations = new Float64Array(9 * chain.links.length);
    this.positions = new Float64Array(3 * chain.links.length);
    this.between = new Float64Array(chain.dof);
  }

  /**
   * The deepest contact of a pose, null when it is free. Allocates nothing: the object is reused by the next call.
   *
   * @param q positions of all joints (dof)
   */
  check(q: Float64Array): Contact | null {
    this.measure(q, this.distances);
    let worst = -1;
    let least = this.clearance;
    for (let pair = 0; pair < this.pairs.length; pair++) {
      if (this.distances[pair]! < least) {
        least = this.distances[pair]!;
        worst = pair;
      }
    }
    if (worst < 0) return null;
    const contact = this.pairs[worst]!;
    contact.distance = least;
    return contact;
  }

  /**
   * The first contact on the straight way in joint space between two poses, null when the way is free. What touches
   * already at `from` may be left: it counts only when it becomes deeper, so that an arm that lies on something can rise.
   *
   * @param from positions of all joints where the way begins
   * @param to positions of all joints where it ends
   * @param steps number of checks after the first; by default one for each 0.02 rad of the joint that moves most
   */
  checkPath(from: Float64Array, to: Float64Array, steps?: number): PathContact | null {
    const count = steps ?? this.stepsFor(from, to);
    this.measure(from, this.startDistances);
    for (let step = 1; step <= count; step++) {
      const at = step / count;
      for (let joint = 0; joint < this.chain.dof; joint++) {
        this.between[joint] = from[joint]! + at * (to[joint]! - from[joint]!);
      }
      this.measure(this.between, this.distances);
      for (let pair = 0; pair < this.pairs.length; pair++) {
        const start = this.startDistances[pair]!;
        const allowed = start < this.clearance ? start - SETTLED : this.clearance;
        const distance = this.distances[pair]!;
        if (distance >= allowed) continue;
        const { a, b } = this.pairs[pair]!;
        return { a, b, distance, at };
      }
    }
    return null;
  }

  private stepsFor(from: Float64Array, to: Float64Array): number {
    let most = 0;
    for (let joint = 0; joint < this.chain.dof; joint++) most = Math.max(most, Math.abs(to[joint]! - from[joint]!));
    return Math.max(1, Math.ceil(most / PATH_STEP));
  }

  /** Distance of every pair. */
  private measure(q: Float64Array, out: Float64Array): void {
    this.chain.linkFrames(q, this.rotations, this.positions);
    const { local, world, capsuleLink, first, pairA, pairB } = this;
    for (let capsule = 0; capsule < capsuleLink.length; capsule++) {
      const at = CAPSULE * capsule;
      this.toBase(capsuleLink[capsule]!, at);
      this.toBase(capsuleLink[capsule]!, at + 3);
      world[at + 6] = local[at + 6]!;
    }
    for (let pair = 0; pair < pairA.length; pair++) {
      let least = Number.POSITIVE_INFINITY;
      const a = pairA[pair]!;
      const b = pairB[pair]!;
      for (let i = first[a]!; i < first[a + 1]!; i++) {
        for (let j = first[b]!; j < first[b + 1]!; j++) {
          const distance = capsuleDistance(world, CAPSULE * i, CAPSULE * j);
          if (distance < least) least = distance;
        }
      }
      out[pair] = least;
    }
    for (let index = 0; index < this.floorBodies.length; index++) {
      const body = this.floorBodies[index]!;
      let least = Number.POSITIVE_INFINITY;
      for (let shape = this.firstSupport[body]!; shape < this.firstSupport[body + 1]!; shape++) {
        const lowest = this.lowestPoint(shape);
        if (lowest < least) least = lowest;
      }
      out[pairA.length + index] = least - this.floor!;
    }
  }

  private toBase(link: number, at: number): void {
    const { local, world, rotations, positions } = this;
    const r = 9 * link;
    const p = 3 * link;
    const x = local[at]!;
    const y = local[at + 1]!;
    const z = local[at + 2]!;
    world[at] = positions[p]! + rotations[r]! * x + rotations[r + 1]! * y + rotations[r + 2]! * z;
    world[at + 1] = positions[p + 1]! + rotations[r + 3]! * x + rotations[r + 4]! * y + rotations[r + 5]! * z;
    world[at + 2] = positions[p + 2]! + rotations[r + 6]! * x + rotations[r + 7]! * y + rotations[r + 8]! * z;
  }

  /** Height of the lowest point of a primitive. */
  private lowestPoint(shape: number): number {
    const { support, rotations, positions } = this;
    const s = SUPPORT * shape;
    const link = this.supportLink[shape]!;
    const rx = rotations[9 * link + 6]!;
    const ry = rotations[9 * link + 7]!;
    const rz = rotations[9 * link + 8]!;
    const height = positions[3 * link + 2]! + rx * support[s + 1]! + ry * support[s + 2]! + rz * support[s + 3]!;
    const a = support[s + 13]!;
    if (support[s] === SPHERE) return height - a;
    // Vertical parts of the primitive's three axes.
    const ux = rx * support[s + 4]! + ry * support[s + 7]! + rz * support[s + 10]!;
    const uy = rx * support[s + 5]! + ry * support[s + 8]! + rz * support[s + 11]!;
    const uz = rx * support[s + 6]! + ry * support[s + 9]! + rz * support[s + 12]!;
    const along = support[s + 15]! * Math.abs(uz);
    if (support[s] === CYLINDER) return height - along - a * Math.sqrt(Math.max(0, 1 - uz * uz));
    return height - along - a * Math.abs(ux) - support[s + 14]! * Math.abs(uy);
  }
}

/** Links joined by fixed joints form one body; bodies stand parents first, the base's is the first. */
function groupLinks(chain: Chain): { bodies: Body[]; bodyOf: number[] } {
  const bodies: Body[] = [{ name: chain.base, parent: -1, depth: 0 }];
  const bodyOf: number[] = [0];
  for (const [index, link] of chain.links.entries()) {
    if (index === 0) continue;
    const joint = chain.description.joints.find(({ child }) => child === link)!;
    const parent = bodyOf[chain.links.indexOf(joint.parent)]!;
    if (joint.type === 'fixed') {
      bodyOf.push(parent);
    } else {
      bodyOf.push(bodies.length);
      bodies.push({ name: link, parent, depth: bodies[parent]!.depth + 1 });
    }
  }
  return { bodies, bodyOf };
}

/** Capsules that together contain a primitive, 7 numbers each, in the link's frame. */
function coverWithCapsules({ origin, geometry }: Collision, link: string): number[] {
  const { position, rotation: r } = origin;
  const point = (x: number, y: number, z: number): number[] => [
    position.x + r[0]! * x + r[1]! * y + r[2]! * z,
    position.y + r[3]! * x + r[4]! * y + r[5]! * z,
    position.z + r[6]! * x + r[7]! * y + r[8]! * z,
  ];
  if (geometry.kind === 'sphere') return [...point(0, 0, 0), ...point(0, 0, 0), geometry.radius];
  if (geometry.kind === 'cylinder') {
    const half = geometry.length / 2;
    return [...point(0, 0, -half), ...point(0, 0, half), geometry.radius];
  }
  if (geometry.kind === 'mesh') {
    throw new Error(
      `link ${link}: collision shape ${geometry.filename} is a mesh; draw it as boxes, cylinders or spheres`,
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

/** Kind, centre, axes and half sizes (for a cylinder: radius, -, half length) of a primitive in the link's frame. */
function describeSupport({ origin, geometry }: Collision): number[] {
  const { x, y, z } = origin.position;
  const place = [x, y, z, ...origin.rotation];
  if (geometry.kind === 'sphere') return [SPHERE, ...place, geometry.radius, 0, 0];
  if (geometry.kind === 'cylinder') return [CYLINDER, ...place, geometry.radius, 0, geometry.length / 2];
  if (geometry.kind === 'box') {
    return [BOX, ...place, geometry.size.x / 2, geometry.size.y / 2, geometry.size.z / 2];
  }
  return [];
}

/** Distance between the surfaces of two capsules, negative when they overlap. */
function capsuleDistance(c: Float64Array, i: number, j: number): number {
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
      // Parallel segments: any s will do, the clamping below finds the overlap.
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
