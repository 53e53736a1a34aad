import {
  AxesHelper,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  type Color,
  Group,
  Line,
  LineBasicMaterial,
  type Material,
  type Matrix4,
  Mesh,
  MeshLambertMaterial,
  MeshStandardMaterial,
  type Object3D,
  type Raycaster,
  Vector3,
} from 'three';
import { RoundedBoxGeometry } from 'three/addons/geometries/RoundedBoxGeometry.js';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import URDFLoader, { type URDFJoint, type URDFRobot } from 'urdf-loader';
import type { ArmFrame, ArmInfo, Vector } from '../protocol.ts';
import { VISIBLE } from '../telling.ts';
import { ForceArrow } from './force-arrow.ts';
import type { Pivot } from './grip.ts';

/** Points of a trail, and how far the tool goes from one to the next, m. */
const TRAIL_POINTS = 600;
const TRAIL_STEP = 0.002;
/** From this difference on the goal is shown beside the measured arm, rad. */
const APART = 0.02;
const AXES = 0.07;
/** Radius of the edges of boxes, m. */
const ROUNDING = 0.003;

/** Euler angles of a URDF turn about fixed axes x, y, z in this order. */
function place(object: Object3D, { xyz, rpy }: { xyz: Vector; rpy: Vector }): void {
  object.position.set(...xyz);
  object.rotation.set(...rpy, 'ZYX');
}

/** A place on an arm by which it can be taken hold of. */
export interface Grip {
  readonly arm: ArmView;
  /** Of the joint that moves the place, in the order of the arm's joints. */
  readonly index: number;
  readonly joint: URDFJoint;
  /** In the frame of the joint. */
  readonly place: Vector3;
}

/** A primitive as it is drawn, in the frame of its mesh; a box of an arm is moulded or printed, and has no sharp edges. */
function shapeOf({ geometry, scale }: Mesh, fine: boolean): BufferGeometry {
  if (geometry instanceof BoxGeometry && fine) {
    const radius = Math.min(ROUNDING, 0.3 * Math.min(scale.x, scale.y, scale.z));
    return new RoundedBoxGeometry(scale.x, scale.y, scale.z, 2, radius);
  }
  const shape = geometry.toNonIndexed();
  return shape.scale(scale.x, scale.y, scale.z);
}

/**
 * Makes one mesh of all primitives of a link that have the same material: what is drawn at once costs little. Meshes of files
 * come later, and stay as they are.
 * @param make the material for a colour; primitives that get the same one are one mesh
 * @param fine whether edges are rounded
 */
function paint(robot: URDFRobot, make: (colour: MeshStandardMaterial) => Material, fine: boolean): void {
  for (const link of Object.values(robot.links)) {
    const shapes = new Map<Material, BufferGeometry[]>();
    for (const visual of [...link.children]) {
      const [mesh] = visual.children;
      if (!('isURDFVisual' in visual) || !(mesh instanceof Mesh)) continue;
      const shape = shapeOf(mesh, fine);
      mesh.scale.set(1, 1, 1);
      mesh.updateMatrix();
      visual.updateMatrix();
      shape.applyMatrix4(mesh.matrix).applyMatrix4(visual.matrix);
      const material = make(mesh.material as MeshStandardMaterial);
      shapes.set(material, [...(shapes.get(material) ?? []), shape]);
      link.remove(visual);
    }
    for (const [material, parts] of shapes) link.add(new Mesh(mergeGeometries(parts), material));
  }
}

/** One material for each colour. */
function byColour(make: (colour: Color) => Material): (given: MeshStandardMaterial) => Material {
  const made = new Map<string, Material>();
  return ({ color }) => {
    const key = color.getHexString();
    const material = made.get(key) ?? make(color);
    made.set(key, material);
    return material;
  };
}

/** Puts a joint where it is, rad or m, where anybody could see that it has been elsewhere. @returns whether it has */
function turn(robot: URDFRobot, name: string, value: number): boolean {
  const shown = Number(robot.joints[name]?.angle ?? Number.NaN);
  return Math.abs(value - shown) > VISIBLE && robot.setJointValue(name, value);
}

/** Way of the tool in the frame of the arm's base. */
class Trail {
  readonly line: Line;
  readonly #points = new Float32Array(3 * TRAIL_POINTS);
  readonly #attribute = new BufferAttribute(this.#points, 3);
  #count = 0;

  constructor() {
    const geometry = new BufferGeometry().setAttribute('position', this.#attribute);
    geometry.setDrawRange(0, 0);
    this.line = new Line(geometry, new LineBasicMaterial({ color: 0xd9730f }));
    this.line.frustumCulled = false;
  }

  add(point: Vector): void {
    const last = 3 * (this.#count - 1);
    const points = this.#points;
    const way = this.#count === 0 ? TRAIL_STEP : Math.hypot(...point.map((value, i) => value - points[last + i]!));
    if (way < TRAIL_STEP) return;
    if (this.#count === TRAIL_POINTS) {
      points.copyWithin(0, 3);
      this.#count -= 1;
    }
    points.set(point, 3 * this.#count);
    this.#count += 1;
    this.#attribute.needsUpdate = true;
    this.line.geometry.setDrawRange(0, this.#count);
  }

  clear(): void {
    this.#count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }
}

/** One arm in the scene: measured solid, goal as a ghost, way of the tool, what pushes it, frames of base and tool. */
export class ArmView {
  readonly info: ArmInfo;
  /** The base frame of the arm, in the world. */
  readonly group = new Group();
  readonly trail = new Trail();
  readonly #measured: URDFRobot;
  readonly #goal: URDFRobot;
  readonly #axes: AxesHelper[];
  readonly #force = new ForceArrow();
  readonly #urdf: string;
  #init: Matrix4 | null = null;
  #foreseen: readonly number[] | null = null;

  /**
   * @param urdf its text
   * @param fine whether light is reckoned as it falls on real surfaces
   */
  constructor(info: ArmInfo, urdf: string, fine: boolean) {
    this.info = info;
    this.#urdf = urdf;
    const loader = new URDFLoader();
    this.#measured = loader.parse(urdf);
    this.#goal = loader.parse(urdf);
    const painted = byColour((given) => {
      // The loader takes the colours of a URDF for linear ones; they are those of a screen.
      const color = given.clone().convertSRGBToLinear();
      return fine
        ? new MeshStandardMaterial({ color, roughness: 0.55, metalness: 0.05 })
        : new MeshLambertMaterial({ color });
    });
    paint(this.#measured, painted, fine);
    this.#measured.traverse((part) => {
      part.castShadow = true;
      part.receiveShadow = true;
    });
    const ghost = new MeshLambertMaterial({ color: 0xff8c1a, transparent: true, opacity: 0.32, depthWrite: false });
    paint(this.#goal, () => ghost, fine);
    this.#goal.visible = false;
    place(this.group, info.mount);
    this.#axes = [new AxesHelper(AXES), new AxesHelper(AXES)];
    this.group.add(this.#measured, this.#goal, this.trail.line, this.#force.arrow, this.#axes[0]!);
    this.#measured.links[info.tool_link]?.add(this.#axes[1]!);
    this.showFrames(false);
  }

  showFrames(visible: boolean): void {
    for (const axes of this.#axes) axes.visible = visible;
  }

  /** @returns whether anything looks different now */
  show(frame: ArmFrame): boolean {
    const { position, goal } = frame.joints;
    let changed = false;
    let apart = false;
    for (const [i, { name }] of this.info.joints.entries()) {
      const measured = position[i];
      const wanted = goal[i];
      if (typeof measured === 'number') changed = turn(this.#measured, name, measured) || changed;
      if (this.#foreseen !== null || typeof measured !== 'number' || typeof wanted !== 'number') continue;
      // Nobody sees where a ghost that is hidden goes.
      changed = (turn(this.#goal, name, wanted) && this.#goal.visible) || changed;
      apart ||= Math.abs(wanted - measured) > APART;
    }
    apart ||= this.#foreseen !== null;
    changed ||= apart !== this.#goal.visible;
    this.#goal.visible = apart;
    if (frame.tool !== null) this.trail.add(frame.tool.position);
    return this.#force.show(frame) || changed;
  }

  /** Shows with the ghost where the joints would go, rad; null: where they are asked to be, as always. */
  foresee(joints: readonly number[] | null): void {
    this.#foreseen = joints;
    if (joints === null) return;
    for (const [i, { name }] of this.info.joints.entries()) this.#goal.setJointValue(name, joints[i]!);
    this.#goal.visible = true;
  }

  /** Pose of the tool in the arm's base frame at the named pose init: the zero of the absolute frame. */
  toolAtInit(): Matrix4 {
    if (this.#init === null) {
      const robot = new URDFLoader().parse(this.#urdf);
      for (const [i, { name }] of this.info.joints.entries()) robot.setJointValue(name, this.info.poses.init![i]!);
      robot.updateMatrixWorld(true);
      this.#init = robot.links[this.info.tool_link]!.matrixWorld.clone();
    }
    return this.#init;
  }

  /** The nearest part of the measured arm on a ray, m; its grip is null where no joint moves the part. */
  hit(raycaster: Raycaster): { readonly distance: number; readonly point: Vector3; readonly grip: Grip | null } | null {
    const [first] = raycaster.intersectObject(this.#measured, true).filter(({ object }) => object instanceof Mesh);
    if (first === undefined) return null;
    const { distance, point } = first;
    for (let part: Object3D | null = first.object; part !== null && part !== this.#measured; part = part.parent) {
      const index = this.info.joints.findIndex(({ name }) => this.#measured.joints[name] === part);
      if (index < 0) continue;
      const grip = { arm: this, index, joint: part as URDFJoint, place: part.worldToLocal(point.clone()) };
      return { distance, point, grip };
    }
    return { distance, point, grip: null };
  }

  /** Where a grip is now, in the world. */
  placeOf({ joint, place }: Grip, target: Vector3): Vector3 {
    joint.updateWorldMatrix(true, false);
    return joint.localToWorld(target.copy(place));
  }

  /** The joint of a grip as it stands, in the world. */
  pivotOf(grip: Grip): Pivot {
    const { joint } = grip;
    const arm = this.placeOf(grip, new Vector3());
    const origin = new Vector3().setFromMatrixPosition(joint.matrixWorld);
    return {
      angle: Number(joint.angle),
      axis: joint.axis.clone().transformDirection(joint.matrixWorld),
      arm: arm.sub(origin),
      origin,
      shifts: joint.jointType === 'prismatic',
    };
  }

  /** Where the name of the arm stands, in the world. */
  labelAt(target: Vector3): Vector3 {
    return this.group.localToWorld(target.set(-0.04, 0, 0));
  }
}
