import loadMujoco, { type MainModule, type MjData, type MjModel } from '@mujoco/mujoco';

/** A surface at z = 0 as a URDF link, so that MuJoCo sees the same document as the code under test plus this. */
const FLOOR = `<link name="floor"><collision><origin xyz="0 0 -0.5"/><geometry><box size="4 4 1"/></geometry></collision></link>
  <joint name="floor_fixed" type="fixed"><parent link="base_link"/><child link="floor"/></joint>`;

/** MuJoCo's reading of a URDF, as a witness for poses, Jacobians, gravity torques and contacts. */
export class MujocoArm {
  readonly #mj: MainModule;
  readonly #model: MjModel;
  readonly #data: MjData;

  static async load(urdf: string): Promise<MujocoArm> {
    return new MujocoArm(await loadMujoco(), urdf);
  }

  constructor(mj: MainModule, urdf: string) {
    const text = urdf
      .replace(/<robot[^>]*>/, '$&<mujoco><compiler fusestatic="false"/><size memory="2M"/></mujoco>')
      .replace('</robot>', `${FLOOR}</robot>`);
    this.#mj = mj;
    this.#model = mj.MjModel.from_xml_string(text);
    this.#data = new mj.MjData(this.#model);
  }

  dispose(): void {
    this.#data.delete();
    this.#model.delete();
  }

  #set(q: ArrayLike<number>): void {
    const positions = this.#data.qpos as Float64Array;
    positions.set(Array.from(q));
    // Joints that mimic others come last in the arms' files; MuJoCo makes equalities of them.
    const joints = this.#model.jnt_qposadr as Int32Array;
    const followers = this.#model.eq_obj1id as Int32Array;
    const leaders = this.#model.eq_obj2id as Int32Array;
    const coefficients = this.#model.eq_data as Float64Array;
    for (let i = 0; i < this.#model.neq; i++) {
      const [offset, slope] = coefficients.slice((i * coefficients.length) / this.#model.neq);
      positions[joints[followers[i]!]!] = offset! + slope! * positions[joints[leaders[i]!]!]!;
    }
    (this.#data.qvel as Float64Array).fill(0);
    this.#mj.mj_forward(this.#model, this.#data);
  }

  #body(name: string): number {
    const id = this.#mj.mj_name2id(this.#model, this.#mj.mjtObj.mjOBJ_BODY.value, name);
    if (id < 0) throw new Error(`no body ${name}`);
    return id;
  }

  /** Position (3) and rotation matrix (9) of a link. */
  pose(q: ArrayLike<number>, link: string): number[] {
    this.#set(q);
    const body = this.#body(link);
    const position = (this.#data.xpos as Float64Array).slice(3 * body, 3 * body + 3);
    const rotation = (this.#data.xmat as Float64Array).slice(9 * body, 9 * body + 9);
    return [...position, ...rotation];
  }

  /** Quaternion x y z w of a link. */
  quaternion(q: ArrayLike<number>, link: string): number[] {
    this.#set(q);
    const body = this.#body(link);
    const [w, x, y, z] = (this.#data.xquat as Float64Array).slice(4 * body, 4 * body + 4);
    return [x!, y!, z!, w!];
  }

  /** 6 x dof, linear rows first, of the origin of a link. */
  jacobian(q: ArrayLike<number>, link: string): number[] {
    this.#set(q);
    const n = q.length;
    const body = this.#body(link);
    const linear = new this.#mj.DoubleBuffer(3 * n);
    const angular = new this.#mj.DoubleBuffer(3 * n);
    const at = (this.#data.xpos as Float64Array).slice(3 * body, 3 * body + 3);
    this.#mj.mj_jac(this.#model, this.#data, linear, angular, [...at], body);
    const result = [...(linear.GetView() as Float64Array), ...(angular.GetView() as Float64Array)];
    linear.delete();
    angular.delete();
    return result;
  }

  /** Torques that hold the arm against gravity. */
  gravityTorques(q: ArrayLike<number>): number[] {
    this.#set(q);
    return [...(this.#data.qfrc_bias as Float64Array)];
  }

  /** Contacts between links and with the floor, the deepest first. */
  contacts(q: ArrayLike<number>): { a: string; b: string; distance: number }[] {
    this.#set(q);
    const contacts = this.#data.contact;
    const bodies = this.#model.geom_bodyid as Int32Array;
    const found: { a: string; b: string; distance: number }[] = [];
    for (let i = 0; i < contacts.size(); i++) {
      const contact = contacts.get(i)!;
      const [a, b] = Array.from(contact.geom as Int32Array, (geom) =>
        this.#mj.mj_id2name(this.#model, this.#mj.mjtObj.mjOBJ_BODY.value, bodies[geom]!),
      );
      found.push({ a: a!, b: b!, distance: contact.dist });
      contact.delete();
    }
    contacts.delete();
    return found.sort((first, second) => first.distance - second.distance);
  }

  /** Lets the limp arm fall from `q` for some seconds; joints have an armature (kg m²). Returns where it lies. */
  fall(q: ArrayLike<number>, seconds: number, armature: number): number[] {
    (this.#model.dof_armature as Float64Array).fill(armature);
    this.#set(q);
    const steps = Math.ceil(seconds / this.#model.opt.timestep);
    for (let i = 0; i < steps; i++) this.#mj.mj_step(this.#model, this.#data);
    const end = [...(this.#data.qpos as Float64Array).slice(0, q.length)];
    this.#mj.mj_resetData(this.#model, this.#data);
    (this.#model.dof_armature as Float64Array).fill(0);
    return end;
  }
}
