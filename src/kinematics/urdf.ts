/**
 * Reads the part of a URDF that kinematics, gravity and collision checks need (http://wiki.ros.org/urdf/XML).
 */

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { keeping } from '../kept.ts';
import { type Rotation, rotationFromRollPitchYaw, type Vector3 } from './frames.ts';

export type JointType = 'fixed' | 'revolute' | 'continuous' | 'prismatic';

/** Pose of a frame in its parent frame: metres and a rotation matrix. */
export interface Origin {
  readonly position: Vector3;
  readonly rotation: Rotation;
}

/** Mass in kg, centre of mass as the origin's position, inertia in kg m² about it in the axes of the origin. */
export interface Inertial {
  readonly origin: Origin;
  readonly mass: number;
  readonly ixx: number;
  readonly iyy: number;
  readonly izz: number;
  readonly ixy: number;
  readonly ixz: number;
  readonly iyz: number;
}

/**
 * Full edge lengths, radii and lengths in metres; a cylinder lies along its z axis. A capsule is a cylinder of that
 * length with a hemisphere on each end; it is not in the URDF specification and is read as MuJoCo reads it.
 */
export type Geometry =
  | { readonly kind: 'box'; readonly size: Vector3 }
  | { readonly kind: 'cylinder'; readonly radius: number; readonly length: number }
  | { readonly kind: 'capsule'; readonly radius: number; readonly length: number }
  | { readonly kind: 'sphere'; readonly radius: number }
  | { readonly kind: 'mesh'; readonly filename: string };

export interface Collision {
  readonly origin: Origin;
  readonly geometry: Geometry;
}

export interface Link {
  readonly name: string;
  /** Null for a link without mass. */
  readonly inertial: Inertial | null;
  readonly collisions: readonly Collision[];
}

/** Position in rad or m, effort in Nm or N, velocity in rad/s or m/s. */
export interface JointLimit {
  readonly lower: number;
  readonly upper: number;
  readonly effort: number;
  readonly velocity: number;
}

export interface Joint {
  readonly name: string;
  readonly type: JointType;
  readonly parent: string;
  readonly child: string;
  readonly origin: Origin;
  /** Unit vector in the child frame. */
  readonly axis: Vector3;
  /** Null for fixed joints and for continuous joints without it; continuous joints have infinite positions. */
  readonly limit: JointLimit | null;
  /** Mimicked joint: position = multiplier * its position + offset; null: none. */
  readonly mimic: { readonly joint: string; readonly multiplier: number; readonly offset: number } | null;
}

/** A tree of links; joints are sorted parents first. */
export interface RobotDescription {
  readonly name: string;
  readonly root: string;
  readonly links: ReadonlyMap<string, Link>;
  readonly joints: readonly Joint[];
}

/** The URDF is unusable; the message names the link or joint and what is wrong with it. */
export class UrdfError extends Error {
  override readonly name = 'UrdfError';
}

type Element = Readonly<Record<string, unknown>>;

const MANY = new Set(['link', 'joint', 'collision', 'visual', 'material', 'transmission', 'gazebo']);

const JOINT_TYPES: ReadonlySet<string> = new Set(['fixed', 'revolute', 'continuous', 'prismatic']);

/**
 * Parses a URDF.
 *
 * @param text the XML document
 * @throws UrdfError if the text is not XML or not a single tree of links, or if a value is missing or not a number
 */
export const parseUrdf: (text: string) => RobotDescription = keeping((text) => {
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new UrdfError(`URDF is not XML: line ${valid.err.line}: ${valid.err.msg}`);
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseAttributeValue: false,
    parseTagValue: false,
    isArray: (name: string) => MANY.has(name),
  });
  const document: unknown = parser.parse(text);
  const robot = child(asElement(document), 'robot');
  if (robot === null) throw new UrdfError('URDF has no <robot> element');

  const links = new Map<string, Link>();
  for (const element of children(robot, 'link')) {
    const name = textOf(element, 'name', 'a link');
    if (links.has(name)) throw new UrdfError(`link ${name} stands twice in the URDF`);
    links.set(name, parseLink(element, name));
  }
  const joints = children(robot, 'joint').map(parseJoint);
  return { name: textOf(robot, 'name', 'robot'), links, ...orderTree(links, joints) };
});

function parseLink(element: Element, name: string): Link {
  const where = `link ${name}`;
  const inertial = child(element, 'inertial');
  return {
    name,
    inertial: inertial === null ? null : parseInertial(inertial, where),
    collisions: children(element, 'collision').map((collision, index) => ({
      origin: parseOrigin(collision, where),
      geometry: parseGeometry(collision, `${where}, collision ${index + 1}`),
    })),
  };
}

function parseInertial(element: Element, where: string): Inertial {
  const mass = child(element, 'mass');
  const inertia = child(element, 'inertia');
  if (mass === null || inertia === null) throw new UrdfError(`${where}: <inertial> needs <mass> and <inertia>`);
  const value = number(mass, 'value', where);
  if (value < 0) throw new UrdfError(`${where}: mass is ${value} kg, it must not be negative`);
  return {
    origin: parseOrigin(element, where),
    mass: value,
    ixx: number(inertia, 'ixx', where),
    iyy: number(inertia, 'iyy', where),
    izz: number(inertia, 'izz', where),
    ixy: number(inertia, 'ixy', where),
    ixz: number(inertia, 'ixz', where),
    iyz: number(inertia, 'iyz', where),
  };
}

function parseGeometry(collision: Element, where: string): Geometry {
  const geometry = child(collision, 'geometry');
  if (geometry === null) throw new UrdfError(`${where}: <geometry> is missing`);
  const box = child(geometry, 'box');
  if (box !== null) return { kind: 'box', size: vector(box, 'size', where, null) };
  for (const kind of ['cylinder', 'capsule'] as const) {
    const round = child(geometry, kind);
    if (round !== null) return { kind, radius: number(round, 'radius', where), length: number(round, 'length', where) };
  }
  const sphere = child(geometry, 'sphere');
  if (sphere !== null) return { kind: 'sphere', radius: number(sphere, 'radius', where) };
  const mesh = child(geometry, 'mesh');
  if (mesh !== null) return { kind: 'mesh', filename: textOf(mesh, 'filename', where) };
  throw new UrdfError(`${where}: <geometry> must be a box, cylinder, capsule, sphere or mesh`);
}

function parseJoint(element: Element): Joint {
  const name = textOf(element, 'name', 'a joint');
  const where = `joint ${name}`;
  const type = textOf(element, 'type', where);
  if (!isJointType(type)) {
    throw new UrdfError(`${where}: type "${type}" is not one of ${[...JOINT_TYPES].join(', ')}`);
  }
  const parent = child(element, 'parent');
  const childLink = child(element, 'child');
  if (parent === null || childLink === null) throw new UrdfError(`${where}: <parent> and <child> are needed`);
  const axisElement = child(element, 'axis');
  const axis = axisElement === null ? { x: 1, y: 0, z: 0 } : vector(axisElement, 'xyz', where, null);
  const length = Math.hypot(axis.x, axis.y, axis.z);
  if (type !== 'fixed' && length < 1e-9) throw new UrdfError(`${where}: the axis has no length`);
  const mimic = child(element, 'mimic');
  return {
    name,
    type,
    parent: textOf(parent, 'link', where),
    child: textOf(childLink, 'link', where),
    origin: parseOrigin(element, where),
    axis: type === 'fixed' ? { x: 0, y: 0, z: 0 } : { x: axis.x / length, y: axis.y / length, z: axis.z / length },
    limit: parseLimit(child(element, 'limit'), type, where),
    mimic:
      mimic === null
        ? null
        : {
            joint: textOf(mimic, 'joint', where),
            multiplier: optionalNumber(mimic, 'multiplier', where, 1),
            offset: optionalNumber(mimic, 'offset', where, 0),
          },
  };
}

function parseLimit(element: Element | null, type: JointType, where: string): JointLimit | null {
  if (type === 'fixed') return null;
  if (element === null) {
    if (type === 'continuous') return null;
    throw new UrdfError(`${where}: a ${type} joint needs <limit lower upper effort velocity>`);
  }
  const endless = type === 'continuous';
  const lower = endless ? Number.NEGATIVE_INFINITY : optionalNumber(element, 'lower', where, 0);
  const upper = endless ? Number.POSITIVE_INFINITY : optionalNumber(element, 'upper', where, 0);
  if (lower >= upper) throw new UrdfError(`${where}: lower limit ${lower} is not below upper limit ${upper}`);
  return { lower, upper, effort: number(element, 'effort', where), velocity: number(element, 'velocity', where) };
}

/** Root of the tree, and the joints sorted parents first. */
function orderTree(links: ReadonlyMap<string, Link>, joints: readonly Joint[]): { root: string; joints: Joint[] } {
  const byParent = new Map<string, Joint[]>();
  const parentOf = new Map<string, string>();
  const names = new Set<string>();
  for (const joint of joints) {
    if (names.has(joint.name)) throw new UrdfError(`joint ${joint.name} stands twice in the URDF`);
    names.add(joint.name);
    for (const link of [joint.parent, joint.child]) {
      if (!links.has(link)) throw new UrdfError(`joint ${joint.name}: link ${link} does not exist`);
    }
    const other = parentOf.get(joint.child);
    if (other !== undefined) {
      throw new UrdfError(`link ${joint.child} hangs on two joints: ${other} and ${joint.name}`);
    }
    parentOf.set(joint.child, joint.name);
    byParent.set(joint.parent, [...(byParent.get(joint.parent) ?? []), joint]);
  }
  for (const joint of joints) {
    if (joint.mimic !== null && !names.has(joint.mimic.joint)) {
      throw new UrdfError(`joint ${joint.name}: mimicked joint ${joint.mimic.joint} does not exist`);
    }
  }
  const roots = [...links.keys()].filter((name) => !parentOf.has(name));
  const root = roots[0];
  if (root === undefined || roots.length > 1) {
    throw new UrdfError(`URDF must have one root link, it has ${roots.length}: ${roots.join(', ')}`);
  }
  const ordered: Joint[] = [];
  const open = [root];
  for (let link = open.shift(); link !== undefined; link = open.shift()) {
    for (const joint of byParent.get(link) ?? []) {
      ordered.push(joint);
      open.push(joint.child);
    }
  }
  if (ordered.length < joints.length) {
    const left = joints.filter((joint) => !ordered.includes(joint)).map((joint) => joint.name);
    throw new UrdfError(`joints ${left.join(', ')} form a loop that does not hang on ${root}`);
  }
  return { root, joints: ordered };
}

function parseOrigin(parent: Element, where: string): Origin {
  const origin = child(parent, 'origin');
  const none = { x: 0, y: 0, z: 0 };
  const position = origin === null ? none : vector(origin, 'xyz', where, none);
  const rpy = origin === null ? none : vector(origin, 'rpy', where, none);
  return { position, rotation: rotationFromRollPitchYaw(rpy.x, rpy.y, rpy.z) };
}

function isJointType(type: string): type is JointType {
  return JOINT_TYPES.has(type);
}

function asElement(value: unknown): Element {
  return typeof value === 'object' && value !== null ? (value as Element) : {};
}

function child(element: Element, name: string): Element | null {
  const value = element[name];
  return value === undefined ? null : asElement(value);
}

function children(element: Element, name: string): Element[] {
  const value = element[name];
  return Array.isArray(value) ? value.map(asElement) : [];
}

function textOf(element: Element, attribute: string, where: string): string {
  const value = element[`@${attribute}`];
  if (typeof value !== 'string' || value === '') throw new UrdfError(`${where}: attribute ${attribute} is missing`);
  return value;
}

function number(element: Element, attribute: string, where: string): number {
  return toNumber(textOf(element, attribute, where), `${where}: ${attribute}`);
}

function optionalNumber(element: Element, attribute: string, where: string, fallback: number): number {
  return element[`@${attribute}`] === undefined ? fallback : number(element, attribute, where);
}

function vector(element: Element, attribute: string, where: string, fallback: Vector3 | null): Vector3 {
  if (fallback !== null && element[`@${attribute}`] === undefined) return fallback;
  const words = textOf(element, attribute, where).trim().split(/\s+/);
  const [x, y, z] = words.map((word) => toNumber(word, `${where}: ${attribute}`));
  if (words.length !== 3) throw new UrdfError(`${where}: ${attribute} needs three numbers, it has ${words.length}`);
  return { x: x!, y: y!, z: z! };
}

function toNumber(word: string, where: string): number {
  const value = Number(word);
  if (word.trim() === '' || !Number.isFinite(value)) throw new UrdfError(`${where} is "${word}", not a number`);
  return value;
}
