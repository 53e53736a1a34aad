import { armChain } from '../kinematics/arm-chain.ts';
import type { Chain } from '../kinematics/chain.ts';
import { identityRotation } from '../kinematics/frames.ts';
import { type Inertial, parseUrdf, type RobotDescription } from '../kinematics/urdf.ts';
import { messageOf } from '../message-of.ts';
import {
  checkInitial,
  type Physics,
  type PhysicsJoint,
  type PhysicsOptions,
  type SimPose,
  TIME_STEP,
} from './physics.ts';

/** Steps between two updates of the link inertias, which change as slowly as the pose. */
const INERTIA_STEPS = 20;

/** A link with mass, carried by a joint. */
interface Carried {
  /** Index in `Chain.links`. */
  readonly link: number;
  readonly inertial: Inertial;
}

/** A driven joint: its axis and the links that it carries. */
interface Turning {
  /** Index of its child link in `Chain.links`. */
  readonly link: number;
  /** Unit vector in the child's frame. */
  readonly axis: readonly [number, number, number];
  readonly carried: readonly Carried[];
}

/**
 * The mechanics of one arm, each joint on its own: gravity, the inertia that the joint carries at the present pose,
 * damping, dry friction and hard stops at the limits. It has no contacts, ignores scene objects, and leaves out the
 * torques that moving joints exert on each other. It takes a tenth of MuJoCo's time.
 */
export class LightPhysics implements Physics {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly torques: Float64Array;
  readonly objects = null;

  readonly #joints: readonly PhysicsJoint[];
  readonly #chain: Chain;
  readonly #turning: readonly Turning[];
  readonly #gravity: Float64Array;
  readonly #inertia: Float64Array;
  readonly #rotations: Float64Array;
  readonly #places: Float64Array;
  #untilInertia = 0;

  /** @throws {Error} if the URDF is unusable, or a joint or the tool link is missing from it */
  constructor(options: PhysicsOptions) {
    checkInitial(options);
    const { name, joints, toolLink, initial } = options;
    try {
      const urdf = withPayload(parseUrdf(options.urdf), toolLink, options.payload ?? 0);
      this.#chain = armChain({ urdf, baseLink: urdf.root, toolLink, joints });
    } catch (error) {
      throw new Error(`simulated arm "${name}": ${messageOf(error)}`);
    }
    this.#joints = joints;
    this.#turning = joints.map((joint) => turning(this.#chain, joint.name));
    this.positions = Float64Array.from(initial);
    this.velocities = new Float64Array(joints.length);
    this.torques = new Float64Array(joints.length);
    this.#gravity = new Float64Array(joints.length);
    this.#inertia = new Float64Array(joints.length);
    this.#rotations = new Float64Array(9 * this.#chain.links.length);
    this.#places = new Float64Array(3 * this.#chain.links.length);
  }

  step(): boolean {
    if (!this.torques.every(Number.isFinite)) {
      this.velocities.fill(0);
      this.torques.fill(0);
      return false;
    }
    if (this.#untilInertia-- <= 0) {
      this.#untilInertia = INERTIA_STEPS;
      this.#weigh();
    }
    const { positions, velocities, torques } = this;
    const { limits } = this.#chain;
    this.#chain.gravityTorques(positions, this.#gravity);
    for (let i = 0; i < positions.length; i++) {
      const { damping, frictionLoss } = this.#joints[i]!;
      const inertia = this.#inertia[i]!;
      const pushed = velocities[i]! + (TIME_STEP * (torques[i]! - this.#gravity[i]!)) / inertia;
      // Damping and friction are applied implicitly, at the end of the step, so that neither can reverse a motion.
      const damped = pushed / (1 + (TIME_STEP * damping) / inertia);
      const rubbed = Math.max(0, Math.abs(damped) - (TIME_STEP * frictionLoss) / inertia);
      const velocity = damped < 0 ? -rubbed : rubbed;
      const position = positions[i]! + TIME_STEP * velocity;
      const held = Math.min(Math.max(position, limits[i]!.lower), limits[i]!.upper);
      positions[i] = held;
      velocities[i] = held === position ? velocity : 0;
    }
    return true;
  }

  toolPose(): SimPose {
    return this.#chain.toolPose(this.positions);
  }

  holdingTorques(): Float64Array {
    this.#chain.gravityTorques(this.positions, this.#gravity);
    return this.#gravity.slice();
  }

  contacts(): string[] {
    return [];
  }

  dispose(): void {}

  /** Updates the inertia about each joint at the present pose, including its own armature. */
  #weigh(): void {
    this.#chain.linkFrames(this.positions, this.#rotations, this.#places);
    for (let i = 0; i < this.positions.length; i++) {
      this.#inertia[i] = this.#joints[i]!.armature + this.#carriedInertia(this.#turning[i]!);
    }
  }

  #carriedInertia({ link, axis, carried }: Turning): number {
    const { x, y, z } = turned(this.#rotations, link, ...axis);
    let sum = 0;
    for (const { link: other, inertial } of carried) {
      const { position, rotation } = inertial.origin;
      const centre = turned(this.#rotations, other, position.x, position.y, position.z);
      const rx = centre.x + this.#places[3 * other]! - this.#places[3 * link]!;
      const ry = centre.y + this.#places[3 * other + 1]! - this.#places[3 * link + 1]!;
      const rz = centre.z + this.#places[3 * other + 2]! - this.#places[3 * link + 2]!;
      const cx = y * rz - z * ry;
      const cy = z * rx - x * rz;
      const cz = x * ry - y * rx;
      const own = turnedBack(this.#rotations, other, x, y, z);
      const u = turnedBack(rotation, 0, own.x, own.y, own.z);
      const { ixx, iyy, izz, ixy, ixz, iyz } = inertial;
      sum += inertial.mass * (cx * cx + cy * cy + cz * cz);
      sum += ixx * u.x * u.x + iyy * u.y * u.y + izz * u.z * u.z;
      sum += 2 * (ixy * u.x * u.y + ixz * u.x * u.z + iyz * u.y * u.z);
    }
    return sum;
  }
}

/** Rotates a vector from the frame of a link to the base frame. */
function turned(rotations: Float64Array, link: number, x: number, y: number, z: number) {
  const r = 9 * link;
  return {
    x: rotations[r]! * x + rotations[r + 1]! * y + rotations[r + 2]! * z,
    y: rotations[r + 3]! * x + rotations[r + 4]! * y + rotations[r + 5]! * z,
    z: rotations[r + 6]! * x + rotations[r + 7]! * y + rotations[r + 8]! * z,
  };
}

/** Rotates a vector from the base frame to the frame of a link. */
function turnedBack(rotations: Float64Array, link: number, x: number, y: number, z: number) {
  const r = 9 * link;
  return {
    x: rotations[r]! * x + rotations[r + 3]! * y + rotations[r + 6]! * z,
    y: rotations[r + 1]! * x + rotations[r + 4]! * y + rotations[r + 7]! * z,
    z: rotations[r + 2]! * x + rotations[r + 5]! * y + rotations[r + 8]! * z,
  };
}

function turning(chain: Chain, name: string): Turning {
  const { description, links } = chain;
  const joint = description.joints.find((other) => other.name === name)!;
  const below = new Set([joint.child]);
  // Joints are sorted parents first.
  for (const { parent, child } of description.joints) if (below.has(parent)) below.add(child);
  const carried = [...below].flatMap((link): Carried[] => {
    const { inertial } = description.links.get(link)!;
    return inertial === null ? [] : [{ link: links.indexOf(link), inertial }];
  });
  return { link: links.indexOf(joint.child), axis: [joint.axis.x, joint.axis.y, joint.axis.z], carried };
}

/** The same robot with a point mass (kg) at the tool frame. */
function withPayload(urdf: RobotDescription, toolLink: string, mass: number): RobotDescription {
  if (mass === 0) return urdf;
  const name = 'payload';
  const origin = { position: { x: 0, y: 0, z: 0 }, rotation: identityRotation() };
  const inertial = { origin, mass, ixx: 0, iyy: 0, izz: 0, ixy: 0, ixz: 0, iyz: 0 };
  const axis = { x: 0, y: 0, z: 1 };
  const joint = { name, type: 'fixed', parent: toolLink, child: name, origin, axis, limit: null, mimic: null } as const;
  return {
    ...urdf,
    links: new Map([...urdf.links, [name, { name, inertial, collisions: [] }]]),
    joints: [...urdf.joints, joint],
  };
}
