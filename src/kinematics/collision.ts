/**
 * Collision checks of an arm against itself and the surface that it stands on.
 *
 * The bodies are the URDF's collision primitives. Between links, capsules cover each primitive. A capsule contains its
 * primitive, so no contact is missed, but thick boxes touch up to 2 mm early. Against the surface, the exact shape
 * counts. Links that share a joint are never checked against each other.
 */

import type { Chain } from './chain.ts';
import {
  CAPPED,
  CAPSULE,
  CYLINDER,
  capsuleDistance,
  coverWithCapsules,
  describeSupport,
  SPHERE,
  SUPPORT,
} from './shapes.ts';

/** Two bodies in contact. */
export interface Contact {
  /** Link. */
  readonly a: string;
  /** Another link, or `floor`. */
  readonly b: string;
  /** Metres; negative: penetration depth. */
  readonly distance: number;
}

export interface PathContact extends Contact {
  /** Fraction of the path at which the contact occurs, 0..1. */
  readonly at: number;
}

export interface CollisionOptions {
  /** Distance (m) below which two bodies count as touching. Default 0. */
  readonly clearance?: number;
  /** Height (m, base frame) of the surface that the arm stands on, null for none. Default 0. */
  readonly floor?: number | null;
}

export const FLOOR = 'floor';

/** A contact present at the start of a path may deepen by this much before it counts, m. */
const SETTLED = 0.001;
/** Largest joint step between two checks of a path, rad. */
const PATH_STEP = 0.02;

interface Body {
  /** Links that move together, named after the first. */
  readonly name: string;
  readonly parent: number;
  /** Number of joints between the base and the body. */
  readonly depth: number;
}

/** Checks one chain. Owns scratch memory: use one model per thread. */
export class CollisionModel {
  private readonly chain: Chain;
  private readonly clearance: number;
  private readonly floor: number | null;
  /** Contact objects by pair of bodies, floor pairs last; each check rewrites `distance`. */
  private readonly pairs: readonly { readonly a: string; readonly b: string; distance: number }[];
  private readonly pairA: Int32Array;
  private readonly pairB: Int32Array;
  private readonly distances: Float64Array;
  private readonly startDistances: Float64Array;
  /** Capsules of body i are those from first[i] up to but excluding first[i + 1]. */
  private readonly first: Int32Array;
  private readonly capsuleLink: Int32Array;
  private readonly local: Float64Array;
  private readonly world: Float64Array;
  /** Bounding sphere of each body: first link, centre in that link's frame, radius, centre in the base frame. */
  private readonly bodyLink: Int32Array;
  private readonly centres: Float64Array;
  private readonly radii: Float64Array;
  private readonly worldCentres: Float64Array;
  private readonly floorBodies: readonly number[];
  private readonly firstSupport: Int32Array;
  private readonly supportLink: Int32Array;
  private readonly support: Float64Array;
  private readonly rotations: Float64Array;
  private readonly positions: Float64Array;
  private readonly between: Float64Array;
  private readonly middle = new Float64Array(3);

  /**
   * @param chain the arm
   * @throws Error if a link's collision shape is a mesh
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
    this.bodyLink = Int32Array.from(bodies, ({ name }) => chain.links.indexOf(name));
    this.centres = new Float64Array(3 * bodies.length);
    this.radii = new Float64Array(bodies.length);
    this.worldCentres = new Float64Array(3 * bodies.length);
    this.firstSupport = Int32Array.from(firstSupport);
    this.supportLink = Int32Array.from(supportLinks);
    this.support = Float64Array.from(supports);

    const pairs: [number, number][] = [];
    for (const [b, body] of bodies.entries()) {
      for (let a = 0; a < b; a++) {
        if (body.parent !== a && bodies[a]!.parent !== b) pairs.push([a, b]);
      }
    }
    // The base stands on the surface and the first moving link turns on the base, so neither can approach the surface.
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
    this.surroundBodies();
  }

  /**
   * The deepest contact of a pose; null if there is none. Allocates nothing: the next call reuses the object.
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
   * The first contact on the straight path in joint space between two poses; null if the path is free. Contacts present
   * at `from` are tolerated but never deepened, so that an arm that lies on something can rise.
   *
   * @param from positions of all joints at the start of the path
   * @param to positions of all joints at its end
   * @param steps number of checks after the start; default: one per 0.02 rad of the joint that moves most
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

  /** Computes the bounding sphere of each body, once: links of a body do not move relative to each other. */
  private surroundBodies(): void {
    const { first, world, centres, radii, rotations: r, positions: p } = this;
    this.place(new Float64Array(this.chain.dof));
    for (let body = 0; body < radii.length; body++) {
      const ends: number[][] = [];
      for (let capsule = first[body]!; capsule < first[body + 1]!; capsule++) {
        const [ax, ay, az, bx, by, bz, radius] = world.subarray(CAPSULE * capsule, CAPSULE * (capsule + 1));
        ends.push([ax!, ay!, az!, radius!], [bx!, by!, bz!, radius!]);
      }
      const centre = [0, 1, 2].map((axis) => {
        const along = ends.map((end) => end[axis]!);
        return (Math.min(...along) + Math.max(...along)) / 2;
      });
      for (const [x, y, z, radius] of ends) {
        const reach = Math.hypot(x! - centre[0]!, y! - centre[1]!, z! - centre[2]!) + radius!;
        radii[body] = Math.max(radii[body]!, reach);
      }
      const link = this.bodyLink[body]!;
      const from = centre.map((value, axis) => value - p[3 * link + axis]!);
      for (let axis = 0; axis < 3; axis++) {
        centres[3 * body + axis] =
          r[9 * link + axis]! * from[0]! + r[9 * link + 3 + axis]! * from[1]! + r[9 * link + 6 + axis]! * from[2]!;
      }
    }
  }

  /** Moves capsules and spheres to the pose `q`. */
  private place(q: Float64Array): void {
    this.chain.linkFrames(q, this.rotations, this.positions);
    const { local, world, capsuleLink, bodyLink } = this;
    for (let capsule = 0; capsule < capsuleLink.length; capsule++) {
      const at = CAPSULE * capsule;
      this.toBase(capsuleLink[capsule]!, local, world, at);
      this.toBase(capsuleLink[capsule]!, local, world, at + 3);
      world[at + 6] = local[at + 6]!;
    }
    for (let body = 0; body < bodyLink.length; body++) {
      this.toBase(bodyLink[body]!, this.centres, this.worldCentres, 3 * body);
    }
  }

  /** Distance of every pair; link pairs further apart than the clearance report the clearance. */
  private measure(q: Float64Array, out: Float64Array): void {
    this.place(q);
    const { world, worldCentres, radii, first, pairA, pairB } = this;
    for (let pair = 0; pair < pairA.length; pair++) {
      let least = this.clearance;
      const a = pairA[pair]!;
      const b = pairB[pair]!;
      if (mayBeNearer(worldCentres, 3 * a, worldCentres, 3 * b, radii[a]! + radii[b]! + least)) {
        for (let i = first[a]!; i < first[a + 1]!; i++) {
          const at = CAPSULE * i;
          if (!this.mayTouch(at, b, least)) continue;
          for (let j = first[b]!; j < first[b + 1]!; j++) {
            const distance = capsuleDistance(world, at, CAPSULE * j);
            if (distance < least) least = distance;
          }
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

  /** Whether a capsule may be closer than `least` to the bounding sphere of a body. */
  private mayTouch(at: number, body: number, least: number): boolean {
    const { world, middle } = this;
    const dx = (world[at + 3]! - world[at]!) / 2;
    const dy = (world[at + 4]! - world[at + 1]!) / 2;
    const dz = (world[at + 5]! - world[at + 2]!) / 2;
    middle[0] = world[at]! + dx;
    middle[1] = world[at + 1]! + dy;
    middle[2] = world[at + 2]! + dz;
    const reach = Math.sqrt(dx * dx + dy * dy + dz * dz) + world[at + 6]! + this.radii[body]! + least;
    return mayBeNearer(middle, 0, this.worldCentres, 3 * body, reach);
  }

  /** Transforms a point (3 numbers from index `at`) from the frame of a link to the base frame. */
  private toBase(link: number, local: Float64Array, world: Float64Array, at: number): void {
    const { rotations, positions } = this;
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
    // Vertical components of the primitive's three axes.
    const ux = rx * support[s + 4]! + ry * support[s + 7]! + rz * support[s + 10]!;
    const uy = rx * support[s + 5]! + ry * support[s + 8]! + rz * support[s + 11]!;
    const uz = rx * support[s + 6]! + ry * support[s + 9]! + rz * support[s + 12]!;
    const along = support[s + 15]! * Math.abs(uz);
    if (support[s] === CAPPED) return height - along - a;
    if (support[s] === CYLINDER) return height - along - a * Math.sqrt(Math.max(0, 1 - uz * uz));
    return height - along - a * Math.abs(ux) - support[s + 14]! * Math.abs(uy);
  }
}

/** Groups links joined by fixed joints into bodies; parents come first, and the first body is the base. */
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

/** Whether two points are closer to each other than `reach`. */
function mayBeNearer(a: Float64Array, i: number, b: Float64Array, j: number, reach: number): boolean {
  const x = a[i]! - b[j]!;
  const y = a[i + 1]! - b[j + 1]!;
  const z = a[i + 2]! - b[j + 2]!;
  return reach > 0 && x * x + y * y + z * z < reach * reach;
}
