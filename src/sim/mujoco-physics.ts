import type { MainModule, MjData, MjModel, MjSpec } from '@mujoco/mujoco';
import { messageOf } from '../message-of.ts';
import { addObjects, MujocoObjects } from './mujoco-objects.ts';
import {
  checkInitial,
  type Physics,
  type PhysicsJoint,
  type PhysicsOptions,
  type SimPose,
  TIME_STEP,
} from './physics.ts';

/** Radius of the payload sphere, m. The payload has no contacts; the radius only sets its moment of inertia. */
const PAYLOAD_RADIUS = 0.01;

/** Arena bytes of one MjData; MuJoCo's default reserves 13.6 MB per arm. */
const ARENA = 256 * 1024;
/** Arena bytes with objects: a heap of objects has many contacts. */
const ARENA_WITH_OBJECTS = 2 * 1024 * 1024;
/** Steps that MuJoCo takes as one while objects move, because their contacts cost as much as two arms. */
const STEPS_AT_ONCE = 2;
/** Joints that move no faster stand still, rad/s: MuJoCo's friction is soft, and lets a loaded joint creep by 0.0014. */
const STILL_SPEED = 0.0015;
/** An arm that has stood still for so many steps under the same torques is not computed until one of these changes. */
const STILL_STEPS = 1000;
/**
 * The torques of a joint are the same within this part of its friction, which holds it meanwhile: those of an SO arm's servo
 * go to and fro by a step of its encoder, half of that.
 */
const SAME_TORQUE = 0.6;

/** The mechanics of one arm in MuJoCo: fixed base, floor at z = 0, joint limits, contacts between its own shapes. */
export class MujocoPhysics implements Physics {
  readonly positions: Float64Array;
  readonly velocities: Float64Array;
  readonly torques: Float64Array;
  readonly objects: MujocoObjects | null;

  readonly #mj: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;
  readonly #qposAddresses: Int32Array;
  readonly #dofAddresses: Int32Array;
  readonly #toolBody: number;

  // Views into the WASM heap; renewed when heap growth detaches them.
  #qpos: Float64Array;
  #qvel: Float64Array;
  #applied: Float64Array;
  /** Requested steps that MuJoCo has not taken yet; `#applied` holds their torques, each weighted by its share. */
  #waiting = 0;
  /** Steps that MuJoCo takes as one. */
  #atOnce = 1;
  /** Steps for which the arm has stood still under the torques `#held`, up to `STILL_STEPS`: it is then at rest. */
  #still = 0;
  readonly #held: Float64Array;
  /** How far the torques may be from `#held`, Nm. */
  readonly #tolerances: Float64Array;

  /** @throws {Error} if MuJoCo refuses the URDF, or a joint or the tool link is missing from it */
  constructor(mj: MainModule, options: PhysicsOptions) {
    const count = options.joints.length;
    checkInitial(options);
    this.#mj = mj;
    this.#model = compile(mj, options);
    this.#data = new mj.MjData(this.#model);
    this.positions = Float64Array.from(options.initial);
    this.velocities = new Float64Array(count);
    this.torques = new Float64Array(count);
    this.#held = new Float64Array(count);
    this.#tolerances = Float64Array.from(options.joints, ({ frictionLoss }) => SAME_TORQUE * frictionLoss);
    this.#qposAddresses = new Int32Array(count);
    this.#dofAddresses = new Int32Array(count);
    const qposAddresses = this.#model.jnt_qposadr as Int32Array;
    const dofAddresses = this.#model.jnt_dofadr as Int32Array;
    options.joints.forEach((joint, i) => {
      const id = mj.mj_name2id(this.#model, mj.mjtObj.mjOBJ_JOINT.value, joint.name);
      this.#qposAddresses[i] = qposAddresses[id]!;
      this.#dofAddresses[i] = dofAddresses[id]!;
    });
    this.#toolBody = mj.mj_name2id(this.#model, mj.mjtObj.mjOBJ_BODY.value, options.toolLink);
    if (this.#toolBody < 0) {
      throw new Error(`simulated arm "${options.name}": its URDF has no link "${options.toolLink}" for the tool frame`);
    }
    this.#qpos = this.#data.qpos as Float64Array;
    this.#qvel = this.#data.qvel as Float64Array;
    this.#applied = this.#data.qfrc_applied as Float64Array;
    const { objects = [] } = options;
    this.objects = objects.length === 0 ? null : new MujocoObjects(mj, this.#model, this.#data, objects);
    this.#restore();
  }

  step(): boolean {
    if (this.#rests()) return true;
    if (this.#qpos.length === 0) this.#renewViews();
    if (this.#waiting === 0) this.#choose();
    const share = 1 / this.#atOnce;
    for (let i = 0; i < this.torques.length; i++) {
      const torque = this.torques[i]!;
      if (!Number.isFinite(torque)) return this.#restore();
      const at = this.#dofAddresses[i]!;
      this.#applied[at] = (this.#waiting === 0 ? 0 : this.#applied[at]!) + share * torque;
    }
    this.objects?.beforeStep(this.#qpos, this.#qvel, this.#applied);
    this.#waiting += 1;
    if (this.#waiting < this.#atOnce) {
      // Until MuJoCo takes its step, the joints move on at constant speed.
      for (let i = 0; i < this.positions.length; i++) this.positions[i]! += TIME_STEP * this.velocities[i]!;
      return true;
    }
    this.#waiting = 0;
    this.#mj.mj_step(this.#model, this.#data);
    if (this.#qpos.length === 0) this.#renewViews();
    for (let i = 0; i < this.positions.length; i++) {
      if (!Number.isFinite(this.#qpos[this.#qposAddresses[i]!]! + this.#qvel[this.#dofAddresses[i]!]!)) {
        return this.#restore();
      }
    }
    if (this.objects?.areFinite(this.#qpos) === false) return this.#restore();
    for (let i = 0; i < this.positions.length; i++) {
      this.positions[i] = this.#qpos[this.#qposAddresses[i]!]!;
      this.velocities[i] = this.#qvel[this.#dofAddresses[i]!]!;
      if (Math.abs(this.velocities[i]!) > STILL_SPEED) this.#still = 0;
    }
    this.#still += 1;
    if (this.#still === STILL_STEPS) {
      this.#qvel.fill(0);
      this.velocities.fill(0);
    }
    return true;
  }

  /** Whether the arm is at rest, and nothing is there that would move it. */
  #rests(): boolean {
    let same = this.objects?.awake !== true;
    for (let i = 0; i < this.torques.length; i++) {
      if (Math.abs(this.#held[i]! - this.torques[i]!) <= this.#tolerances[i]!) continue;
      this.#held[i] = this.torques[i]!;
      same = false;
    }
    if (!same) this.#still = 0;
    return this.#still >= STILL_STEPS;
  }

  /** Selects MuJoCo's time step: longer while objects move, otherwise one servo step. */
  #choose(): void {
    const atOnce = this.objects?.awake === true ? STEPS_AT_ONCE : 1;
    if (atOnce === this.#atOnce) return;
    this.#atOnce = atOnce;
    this.#model.opt.timestep = atOnce * TIME_STEP;
  }

  toolPose(): SimPose {
    this.#mj.mj_kinematics(this.#model, this.#data);
    const p = (this.#data.xpos as Float64Array).subarray(3 * this.#toolBody);
    const q = (this.#data.xquat as Float64Array).subarray(4 * this.#toolBody);
    return {
      position: { x: p[0]!, y: p[1]!, z: p[2]! },
      orientation: { x: q[1]!, y: q[2]!, z: q[3]!, w: q[0]! },
    };
  }

  holdingTorques(): Float64Array {
    this.#mj.mj_forward(this.#model, this.#data);
    const bias = this.#data.qfrc_bias as Float64Array;
    return Float64Array.from(this.#dofAddresses, (address) => bias[address]!);
  }

  contacts(): string[] {
    this.#mj.mj_forward(this.#model, this.#data);
    const contacts = this.#data.contact;
    const bodies = this.#model.geom_bodyid as Int32Array;
    const pairs: string[] = [];
    for (let i = 0; i < contacts.size(); i++) {
      const contact = contacts.get(i)!;
      const geoms = contact.geom as Int32Array;
      const names = Array.from(geoms, (geom) =>
        this.#mj.mj_id2name(this.#model, this.#mj.mjtObj.mjOBJ_BODY.value, bodies[geom]!),
      );
      pairs.push(names.join(' - '));
      contact.delete();
    }
    contacts.delete();
    return pairs;
  }

  /** Frees the WASM memory. */
  dispose(): void {
    this.#data.delete();
    this.#model.delete();
  }

  /** Puts the arm at rest at `positions`, the last finite ones, and clears all other simulation state. */
  #restore(): false {
    this.#mj.mj_resetData(this.#model, this.#data);
    this.#waiting = 0;
    this.#still = 0;
    this.#renewViews();
    for (let i = 0; i < this.positions.length; i++) {
      this.#qpos[this.#qposAddresses[i]!] = this.positions[i]!;
      this.velocities[i] = 0;
      this.torques[i] = 0;
    }
    this.#placeFollowers();
    return false;
  }

  /** Moves mimic joints to the positions that their leaders imply; from elsewhere they might get stuck on the way. */
  #placeFollowers(): void {
    const { neq } = this.#model;
    const addresses = this.#model.jnt_qposadr as Int32Array;
    const followers = this.#model.eq_obj1id as Int32Array;
    const leaders = this.#model.eq_obj2id as Int32Array;
    const coefficients = this.#model.eq_data as Float64Array;
    for (let i = 0; i < neq; i++) {
      const at = (i * coefficients.length) / neq;
      const position = this.#qpos[addresses[leaders[i]!]!]!;
      this.#qpos[addresses[followers[i]!]!] = coefficients[at]! + coefficients[at + 1]! * position;
    }
  }

  #renewViews(): void {
    this.#qpos = this.#data.qpos as Float64Array;
    this.#qvel = this.#data.qvel as Float64Array;
    this.#applied = this.#data.qfrc_applied as Float64Array;
  }
}

function compile(mj: MainModule, options: PhysicsOptions): MjModel {
  // Visual meshes have no mass, but MuJoCo would look for their files.
  const text = options.urdf.replace(/<visual\b[^>]*\/>|<visual\b[\s\S]*?<\/visual\s*>/g, '');
  let spec: MjSpec;
  try {
    spec = mj.parseXMLString(text);
  } catch (error) {
    throw new Error(`simulated arm "${options.name}": MuJoCo cannot read its URDF: ${messageOf(error)}`);
  }
  try {
    // Fusing static links would remove their frames, and the tool frame is one of them.
    spec.compiler.fusestatic = false;
    spec.memory = ARENA;
    spec.option.timestep = TIME_STEP;
    spec.option.integrator = mj.mjtIntegrator.mjINT_IMPLICITFAST.value;
    // Divergence must be detected, not silently reset to the zero pose.
    spec.option.disableflags |= mj.mjtDisableBit.mjDSBL_AUTORESET.value;
    // Links have few shapes, so testing all pairs is cheaper than a search tree.
    spec.option.disableflags |= mj.mjtDisableBit.mjDSBL_MIDPHASE.value;
    for (const joint of options.joints) setJoint(mj, spec, joint, options.name);
    if (options.payload) addPayload(mj, spec, options.toolLink, options.payload);
    addFloor(mj, spec);
    const first = mj.mj_compile(spec);
    const { fixed, moving } = roots(mj, first);
    const { objects = [] } = options;
    if (fixed.length === 0 && objects.length === 0) return first;
    first.delete();
    // MuJoCo ignores contacts between a link and its parent, except if the parent is welded to the world. But shapes of
    // neighbouring links overlap at their joint.
    for (const one of fixed) {
      for (const other of moving) {
        const exclude = mj.mjs_addExclude(spec)!;
        exclude.bodyname1 = one;
        exclude.bodyname2 = other;
      }
    }
    if (objects.length > 0) {
      spec.memory = ARENA_WITH_OBJECTS;
      addObjects(mj, spec, objects, moving);
    }
    return mj.mj_compile(spec);
  } catch (error) {
    throw new Error(`simulated arm "${options.name}": MuJoCo cannot build its model: ${messageOf(error)}`);
  } finally {
    spec.delete();
  }
}

function setJoint(mj: MainModule, spec: MjSpec, joint: PhysicsJoint, arm: string): void {
  const element = mj.mjs_findElement(spec, mj.mjtObj.mjOBJ_JOINT, joint.name);
  const row = element && mj.mjs_asJoint(element);
  if (!row) throw new Error(`the URDF of "${arm}" has no moving joint "${joint.name}"; joint names must agree`);
  (row.damping as Float64Array)[0] = joint.damping;
  row.frictionloss = joint.frictionLoss;
  row.armature = joint.armature;
}

/** Adds the mass in the gripper as a small sphere at the tool frame. */
function addPayload(mj: MainModule, spec: MjSpec, toolLink: string, mass: number): void {
  const tool = mj.mjs_findBody(spec, toolLink);
  if (!tool) return; // The constructor reports the missing tool link.
  const load = mj.mjs_addGeom(tool, mj.mjs_getSpecDefault(spec)!)!;
  load.type = mj.mjtGeom.mjGEOM_SPHERE;
  (load.size as Float64Array)[0] = PAYLOAD_RADIUS;
  load.mass = mass;
  load.contype = 0;
  load.conaffinity = 0;
}

function addFloor(mj: MainModule, spec: MjSpec): void {
  const floor = mj.mjs_addGeom(mj.mjs_findBody(spec, 'world')!, mj.mjs_getSpecDefault(spec)!)!;
  floor.type = mj.mjtGeom.mjGEOM_PLANE;
  // A plane is infinite in x and y; the third size is a viewer's grid spacing, which must not be zero.
  (floor.size as Float64Array)[2] = 0.01;
}

/** Fixed links, and the moving links whose parent is fixed. */
function roots(mj: MainModule, model: MjModel): { fixed: string[]; moving: string[] } {
  const parents = model.body_parentid as Int32Array;
  const welds = model.body_weldid as Int32Array;
  const name = (body: number): string => mj.mj_id2name(model, mj.mjtObj.mjOBJ_BODY.value, body);
  const fixed: string[] = [];
  const moving: string[] = [];
  for (let body = 1; body < model.nbody; body++) {
    if (welds[body] === 0) fixed.push(name(body));
    else if (welds[body] === body && welds[parents[body]!] === 0) moving.push(name(body));
  }
  return { fixed, moving };
}
