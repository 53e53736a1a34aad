import type { MainModule, MjData, MjModel, MjSpec, MjsBody } from '@mujoco/mujoco';
import { type PhysicsObjects, TIME_STEP } from './physics.ts';
import type { SimObject, SimObjectState, SimPart, SimTouch } from './sim-object.ts';

/** Numbers per pose: position (m) and unit quaternion, w first as in MuJoCo. */
const POSE = 7;
/** Numbers per velocity or force: linear along the world axes, angular about the object's axes. */
const DOFS = 6;
/** Collision bits. Objects have their own bit, so that they do not collide with the arm's infinite floor. */
const ARM = 1;
const OBJECT = 2;
/** Height of the ground for objects that fall off the table, m. */
const GROUND = -0.4;
/** Ratio of friction to normal stiffness (MuJoCo impratio); with elliptic cones, lower values let grips slip. */
const FRICTION_STIFFNESS = 10;
/** Torsional friction, m, and rolling friction, m: a ball comes to rest on a table. */
const TWIST = 0.005;
const ROLL = 0.0005;

/** The hand that moves an object: force beyond the object's weight, N; stiffness, N/m; largest speed, m/s. */
const HAND_FORCE = 3;
const HAND_STIFFNESS = 200;
const HAND_SPEED = 0.5;
/** Rotational damping by the hand for an object of 1 kg, Nm s/rad. */
const SPIN_DAMPING = 0.005;
/** Speed that wakes an object, m/s. */
const WAKING = 1e-6;

/** A hand on an object. */
interface Grasp {
  readonly object: number;
  /** Goal of the object, and present position of the hand on the way there, m. */
  readonly goal: Float64Array;
  readonly place: Float64Array;
  /** Steps until the hand lets go. */
  left: number;
}

const bodyName = (object: string): string => `object:${object}`;

/**
 * Adds objects to a model, and a ground below the table for objects that fall off.
 * @param moving links whose parent is fixed: they stay awake while objects sleep
 */
export function addObjects(
  mj: MainModule,
  spec: MjSpec,
  objects: readonly SimObject[],
  moving: readonly string[],
): void {
  const { option } = spec;
  option.cone = mj.mjtCone.mjCONE_ELLIPTIC.value;
  option.impratio = FRICTION_STIFFNESS;
  // Objects at rest sleep and cost nothing until an awake body touches them.
  option.enableflags |= mj.mjtEnableBit.mjENBL_SLEEP.value;
  for (const link of moving) mj.mjs_findBody(spec, link)!.sleep = mj.mjtSleepPolicy.mjSLEEP_NEVER;
  const world = mj.mjs_findBody(spec, 'world')!;
  for (let geom = mj.mjs_firstChild(world, mj.mjtObj.mjOBJ_GEOM, 1); geom; geom = mj.mjs_nextChild(world, geom, 1)) {
    const shape = mj.mjs_asGeom(geom)!;
    // Excludes the arm's infinite floor, and the payload, which has no contacts.
    const ofArm = shape.type.value !== mj.mjtGeom.mjGEOM_PLANE.value && shape.contype === ARM;
    if (ofArm) shape.conaffinity |= OBJECT;
  }
  const ground = mj.mjs_addGeom(world, mj.mjs_getSpecDefault(spec)!)!;
  ground.type = mj.mjtGeom.mjGEOM_PLANE;
  (ground.size as Float64Array)[2] = 0.01;
  (ground.pos as Float64Array)[2] = GROUND;
  ground.contype = 0;
  ground.conaffinity = OBJECT;
  for (const object of objects) addObject(mj, spec, world, object);
}

function addObject(mj: MainModule, spec: MjSpec, world: MjsBody, object: SimObject): void {
  const body = mj.mjs_addBody(world, mj.mjs_getSpecDefault(spec)!)!;
  mj.mjs_setName(body.element, bodyName(object.name));
  (body.pos as Float64Array).set(object.at);
  (body.quat as Float64Array).set(aboutZ(object.yaw));
  if (object.mass !== null) mj.mjs_addFreeJoint(body);
  const volume = object.parts.reduce((sum, part) => sum + volumeOf(part), 0);
  for (const part of object.parts) {
    const geom = mj.mjs_addGeom(body, mj.mjs_getSpecDefault(spec)!)!;
    geom.type = mj.mjtGeom[GEOMS[part.kind]];
    (geom.size as Float64Array).set(halfSize(part));
    (geom.pos as Float64Array).set(part.at);
    geom.mass = ((object.mass ?? 0) * volumeOf(part)) / volume;
    geom.contype = isBelow(object, part) ? 0 : OBJECT;
    geom.conaffinity = OBJECT;
    (geom.friction as Float64Array).set([object.friction, TWIST, ROLL]);
    // A box face has several contact points, which together resist twisting and rolling. A round surface has one
    // contact point, which needs torsional and rolling friction.
    geom.condim = part.kind === 'box' ? 3 : 6;
    (geom.solref as Float64Array)[0] = object.softness;
  }
}

/** Whether a part of a fixed object lies below z = 0. There, links collide with the arm's infinite floor only. */
function isBelow({ mass, at }: SimObject, part: SimPart): boolean {
  const half = part.kind === 'box' ? part.size[2] / 2 : part.kind === 'cylinder' ? part.length / 2 : part.radius;
  return mass === null && at[2] + part.at[2] + half <= 0;
}

const GEOMS = { box: 'mjGEOM_BOX', cylinder: 'mjGEOM_CYLINDER', sphere: 'mjGEOM_SPHERE' } as const;

function halfSize(part: SimPart): number[] {
  if (part.kind === 'box') return part.size.map((edge) => edge / 2);
  return part.kind === 'cylinder' ? [part.radius, part.length / 2, 0] : [part.radius, 0, 0];
}

function volumeOf(part: SimPart): number {
  if (part.kind === 'box') return part.size[0] * part.size[1] * part.size[2];
  const { radius } = part;
  return Math.PI * radius ** 2 * (part.kind === 'cylinder' ? part.length : (4 / 3) * radius);
}

function aboutZ(yaw: number): number[] {
  return [Math.cos(yaw / 2), 0, 0, Math.sin(yaw / 2)];
}

/** The scene objects of one arm in a running simulation. */
export class MujocoObjects implements PhysicsObjects {
  readonly #mj: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #objects: readonly SimObject[];
  readonly #bodies: readonly number[];
  /** Addresses in qpos and qvel; -1 for a fixed object. */
  readonly #qpos: readonly number[];
  readonly #qvel: readonly number[];
  readonly #weights: readonly number[];
  /** Number of kinematic trees of the arm, which do not sleep as MuJoCo's objects do. */
  readonly #armTrees: number;
  #grasp: Grasp | null = null;
  /** The objects have been put back, and no step has been taken since. */
  #replaced = false;

  constructor(mj: MainModule, model: MjModel, data: MjData, objects: readonly SimObject[]) {
    this.#mj = mj;
    this.#model = model;
    this.#data = data;
    this.#objects = objects;
    this.#bodies = objects.map(({ name }) => mj.mj_name2id(model, mj.mjtObj.mjOBJ_BODY.value, bodyName(name)));
    const joints = model.body_jntadr as Int32Array;
    const free = (body: number, addresses: Int32Array): number => (joints[body]! < 0 ? -1 : addresses[joints[body]!]!);
    this.#qpos = this.#bodies.map((body) => free(body, model.jnt_qposadr as Int32Array));
    this.#qvel = this.#bodies.map((body) => free(body, model.jnt_dofadr as Int32Array));
    const gravity = Math.abs((model.opt.gravity as Float64Array)[2]!);
    this.#weights = objects.map(({ mass }) => (mass ?? 0) * gravity);
    this.#armTrees = model.ntree - objects.filter(({ mass }) => mass !== null).length;
  }

  get awake(): boolean {
    return this.#grasp !== null || this.#replaced || this.#data.ntree_awake > this.#armTrees;
  }

  /** Applies the hand's force for the next step. */
  beforeStep(qpos: Float64Array, qvel: Float64Array, applied: Float64Array): void {
    this.#replaced = false;
    const grasp = this.#grasp;
    if (grasp === null) return;
    const { object, goal, place } = grasp;
    const at = this.#qpos[object]!;
    const velocityAt = this.#qvel[object]!;
    grasp.left -= 1;
    if (grasp.left < 0) {
      applied.fill(0, velocityAt, velocityAt + DOFS);
      this.#grasp = null;
      return;
    }
    const way = Math.hypot(goal[0]! - place[0]!, goal[1]! - place[1]!, goal[2]! - place[2]!);
    const part = Math.min(1, (HAND_SPEED * TIME_STEP) / Math.max(way, 1e-9));
    const { mass } = this.#objects[object]!;
    // Critical damping, so that the object does not oscillate.
    const damping = 2 * Math.sqrt(HAND_STIFFNESS * mass!);
    let pull = 0;
    for (let i = 0; i < 3; i++) {
      place[i]! += part * (goal[i]! - place[i]!);
      const force = HAND_STIFFNESS * (place[i]! - qpos[at + i]!) - damping * qvel[velocityAt + i]!;
      applied[velocityAt + i] = force;
      pull += force * force;
      // Damps the spin of the object, which dangles from the fingers.
      applied[velocityAt + 3 + i] = -SPIN_DAMPING * mass! * qvel[velocityAt + 3 + i]!;
    }
    const scale = Math.min(1, HAND_FORCE / Math.max(Math.sqrt(pull), 1e-9));
    for (let i = 0; i < 3; i++) applied[velocityAt + i]! *= scale;
    applied[velocityAt + 2]! += this.#weights[object]!;
  }

  /** Whether all object positions are finite. */
  areFinite(qpos: Float64Array): boolean {
    for (const at of this.#qpos) {
      if (at >= 0 && !Number.isFinite(qpos[at]! + qpos[at + 1]! + qpos[at + 2]!)) return false;
    }
    return true;
  }

  lead(name: string, goal: readonly [number, number, number], duration: number): void {
    const object = this.#objects.findIndex((other) => other.name === name);
    const at = this.#qpos[object] ?? -1;
    if (at < 0) {
      const movable = this.#objects.filter(({ mass }) => mass !== null).map((other) => other.name);
      throw new Error(`no hand can move "${name}"; the objects that move are ${movable.join(', ')}`);
    }
    const old = this.#grasp;
    if (old !== null && old.object !== object) this.#letGo(old);
    const place = old?.object === object ? old.place : (this.#data.qpos as Float64Array).slice(at, at + 3);
    this.#grasp = { object, goal: Float64Array.from(goal), place, left: Math.round(duration / TIME_STEP) };
  }

  reset(): void {
    if (this.#grasp !== null) this.#letGo(this.#grasp);
    this.#grasp = null;
    this.#replaced = true;
    const qpos = this.#data.qpos as Float64Array;
    const qvel = this.#data.qvel as Float64Array;
    this.#objects.forEach(({ at: place, yaw }, i) => {
      const at = this.#qpos[i]!;
      if (at < 0) return;
      qpos.set(place, at);
      qpos.set(aboutZ(yaw), at + 3);
      qvel.fill(0, this.#qvel[i]!, this.#qvel[i]! + 6);
      // MuJoCo skips sleeping bodies until they have a velocity.
      qvel[this.#qvel[i]! + 2] = -WAKING;
    });
  }

  poses(): Float64Array {
    const positions = this.#data.xpos as Float64Array;
    const orientations = this.#data.xquat as Float64Array;
    const poses = new Float64Array(POSE * this.#bodies.length);
    this.#bodies.forEach((body, i) => {
      poses.set(positions.subarray(3 * body, 3 * body + 3), POSE * i);
      const q = 4 * body;
      poses.set([orientations[q + 1]!, orientations[q + 2]!, orientations[q + 3]!, orientations[q]!], POSE * i + 3);
    });
    return poses;
  }

  state(): SimObjectState[] {
    const poses = this.poses();
    const touches = this.#touches();
    return this.#objects.map(({ name }, i) => {
      const [x, y, z, qx, qy, qz, qw] = poses.subarray(POSE * i, POSE * i + POSE) as unknown as number[];
      return {
        name,
        position: { x: x!, y: y!, z: z! },
        orientation: { x: qx!, y: qy!, z: qz!, w: qw! },
        touches: touches[i]!,
      };
    });
  }

  /** Normal forces on each object, by touching body. */
  #touches(): SimTouch[][] {
    const found = this.#objects.map((): SimTouch[] => []);
    const geomBodies = this.#model.geom_bodyid as Int32Array;
    const contacts = this.#data.contact;
    const force = new this.#mj.DoubleBuffer(6);
    const add = (body: number, other: number, normal: number): void => {
      const touches = found[this.#bodies.indexOf(body)];
      if (touches === undefined) return;
      const name = this.#nameOf(other);
      const known = touches.find((touch) => touch.by === name);
      if (known === undefined) touches.push({ by: name, force: normal });
      else known.force += normal;
    };
    for (let i = 0; i < contacts.size(); i++) {
      const contact = contacts.get(i)!;
      const [first, second] = [geomBodies[contact.geom1]!, geomBodies[contact.geom2]!];
      contact.delete();
      this.#mj.mj_contactForce(this.#model, this.#data, i, force);
      const normal = (force.GetView() as Float64Array)[0]!;
      add(first, second, normal);
      add(second, first, normal);
    }
    force.delete();
    contacts.delete();
    return found;
  }

  #letGo({ object }: Grasp): void {
    const at = this.#qvel[object]!;
    (this.#data.qfrc_applied as Float64Array).fill(0, at, at + DOFS);
  }

  #nameOf(body: number): string {
    const object = this.#bodies.indexOf(body);
    if (object >= 0) return this.#objects[object]!.name;
    return body === 0 ? 'floor' : this.#mj.mj_id2name(this.#model, this.#mj.mjtObj.mjOBJ_BODY.value, body);
  }
}
