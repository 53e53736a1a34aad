import {
  BoxGeometry,
  type BufferGeometry,
  CylinderGeometry,
  Group,
  Mesh,
  MeshLambertMaterial,
  Plane,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';
import { request } from '../api.ts';
import { bridge } from '../bridge.ts';
import { h, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import type { SimObject } from '../protocol.ts';
import type { Store } from '../store.ts';
import { spoken } from '../units.ts';
import type { ArmView } from './arm-view.ts';
import type { DragScene } from './drag.ts';

/** Time for which the bridge's hand holds an object, s, and after which it is asked for again while the pointer rests, ms. */
const HOLD = 0.5;
const AGAIN = 200;
/** Nobody leads an object below the table, nor farther from the arm than the bridge allows, m. */
const FARTHEST = 2;
const GLOW = 0x333333;

/** An object in the frame of the arm that it stands before. */
interface ObjectView {
  readonly arm: ArmView;
  readonly name: string;
  readonly movable: boolean;
  readonly group: Group;
  readonly material: MeshLambertMaterial;
}

/** What stands before simulated arms, and a hand that leads it: with the mouse or a finger, as the arms' own links. */
export class ObjectDrag {
  readonly label = h('output', { class: 'grip', hidden: true });
  readonly #scene: DragScene;
  readonly #store: Store;
  readonly #raycaster = new Raycaster();
  readonly #plane = new Plane();
  readonly #goal = new Vector3();
  readonly #offset = new Vector3();
  #objects: ObjectView[] = [];
  /** Under the pointer, or dragged by it. */
  #grip: ObjectView | null = null;
  /** Of the pointer that drags; null while none does. */
  #pointer: number | null = null;
  #busy = false;
  #newer = false;
  #again = 0;

  /** @param host of the canvas: hears of pointers before it */
  constructor(host: HTMLElement, scene: DragScene, store: Store) {
    this.#scene = scene;
    this.#store = store;
    host.addEventListener('pointerdown', (event) => this.#down(event), true);
    host.addEventListener('pointermove', (event) => this.#move(event), true);
    for (const name of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      host.addEventListener(name, (event) => this.#up(event), true);
    }
    host.addEventListener('pointerleave', () => {
      if (this.#pointer === null) this.#show(null);
    });
    for (const name of ['blur', 'pagehide', 'arm-bridge-stop']) window.addEventListener(name, () => this.#end());
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#end();
    });
    store.on(['objects'], () => this.#place());
  }

  /** Whether the pointer is on an object or drags it. */
  get hot(): boolean {
    return this.#grip !== null;
  }

  /** Whether anything stands before any arm. */
  get any(): boolean {
    return this.#objects.length > 0;
  }

  /** Puts what stands before these arms into the scene, in place of all else. */
  async load(arms: readonly ArmView[]): Promise<void> {
    const simulated = arms.filter(({ info }) => info.simulated);
    const loaded = await Promise.all(
      simulated.map(async (arm) => {
        try {
          const { objects } = await bridge.call('get', '/sim/objects', { query: { robot_id: arm.info.id } });
          return objects.map((object) => view(arm, object));
        } catch (error) {
          // The picture of the arms does not need them.
          reportError(error);
          return [];
        }
      }),
    );
    this.#end();
    for (const { group } of this.#objects) group.removeFromParent();
    this.#objects = loaded.flat();
    for (const { arm, group } of this.#objects) arm.group.add(group);
    this.#place();
  }

  /** Has the label put where the object has just been drawn. */
  drawn(pin: (label: HTMLElement, place: Vector3) => void): void {
    if (this.#grip !== null) pin(this.label, this.#grip.group.getWorldPosition(new Vector3()));
  }

  async reset(): Promise<void> {
    const { ok, message } = await request({ path: '/sim/objects/reset', body: {} });
    if (!ok) notice('fault', message);
  }

  /** Puts the objects where they were seen last. */
  #place(): void {
    let changed = false;
    for (const { robot_id, name, position, orientation } of this.#store.objects) {
      const object = this.#objects.find((other) => other.name === name && other.arm.info.id === robot_id);
      if (object === undefined) continue;
      object.group.position.fromArray(position);
      object.group.quaternion.fromArray(orientation);
      changed = true;
    }
    if (changed) this.#scene.redraw();
  }

  #down(event: PointerEvent): void {
    if (event.target !== this.#scene.canvas || this.#pointer !== null) return;
    const found = event.button === 0 ? this.#find(event) : null;
    this.#show(found?.object ?? null);
    if (found === null) return;
    const { object, point } = found;
    event.stopPropagation();
    this.#scene.canvas.setPointerCapture(event.pointerId);
    this.#pointer = event.pointerId;
    this.#scene.camera.getWorldDirection(this.#plane.normal);
    this.#plane.setFromNormalAndCoplanarPoint(this.#plane.normal, point);
    this.#goal.copy(object.group.position);
    this.#offset.copy(object.group.position).sub(object.arm.group.worldToLocal(point.clone()));
    this.#scene.canvas.style.cursor = 'grabbing';
    this.#again = window.setInterval(() => void this.#tell(HOLD), AGAIN);
    void this.#tell(HOLD);
  }

  #move(event: PointerEvent): void {
    if (this.#pointer === null) {
      if (event.pointerType !== 'mouse' || event.buttons !== 0) return;
      this.#show(event.target === this.#scene.canvas ? (this.#find(event)?.object ?? null) : null);
      return;
    }
    if (event.pointerId !== this.#pointer || this.#grip === null) return;
    event.stopPropagation();
    this.#aim(event);
    const point = new Vector3();
    if (this.#raycaster.ray.intersectPlane(this.#plane, point) === null) return;
    this.#grip.arm.group.worldToLocal(point).add(this.#offset);
    this.#goal.set(bounded(point.x, -FARTHEST), bounded(point.y, -FARTHEST), bounded(point.z, 0));
    void this.#tell(HOLD);
  }

  #up(event: PointerEvent): void {
    if (event.pointerId !== this.#pointer) return;
    event.stopPropagation();
    this.#end();
  }

  /** Lets go. */
  #end(): void {
    if (this.#pointer !== null) {
      this.#pointer = null;
      window.clearInterval(this.#again);
      void this.#tell(0);
    }
    this.#show(null);
  }

  #aim({ clientX, clientY }: PointerEvent): void {
    const { left, top, width, height } = this.#scene.canvas.getBoundingClientRect();
    const at = new Vector2(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    this.#raycaster.setFromCamera(at, this.#scene.camera);
  }

  /** The object under the pointer, where nothing is before it. */
  #find(event: PointerEvent): { readonly object: ObjectView; readonly point: Vector3 } | null {
    if (!this.any || !this.#store.mayControl || this.#scene.taken()) return null;
    this.#aim(event);
    const [first] = this.#raycaster.intersectObjects(this.#objects.map(({ group }) => group));
    if (first === undefined) return null;
    const object = this.#objects.find(({ group }) => group === first.object.parent);
    if (object?.movable !== true) return null;
    const hidden = this.#scene.arms().some((arm) => (arm.hit(this.#raycaster)?.distance ?? Infinity) < first.distance);
    return hidden ? null : { object, point: first.point };
  }

  /** Tells the newest wish; one request at a time. @param duration for which the hand holds the object, s */
  async #tell(duration: number): Promise<void> {
    const object = this.#grip;
    if (object === null) return;
    this.#newer = true;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#newer) {
      this.#newer = false;
      const { x, y, z } = this.#goal;
      const held = this.#pointer === null ? 0 : duration;
      const body = { robot_id: object.arm.info.id, name: object.name, position: { x, y, z }, duration: held };
      const { ok, message } = await request({ path: '/sim/objects/move', body });
      if (ok) continue;
      this.#newer = false;
      notice('fault', message);
    }
    this.#busy = false;
  }

  #show(object: ObjectView | null): void {
    if (object === this.#grip) return;
    this.#grip?.material.emissive.setHex(0);
    this.#grip = object;
    this.label.hidden = object === null;
    if (object !== null) {
      object.material.emissive.setHex(GLOW);
      setText(this.label, `drag: ${spoken(object.name)}`);
    }
    this.#scene.canvas.style.cursor = object === null ? '' : 'grab';
    this.#scene.redraw();
  }
}

const bounded = (value: number, least: number): number => Math.min(Math.max(value, least), FARTHEST);

function view(arm: ArmView, { name, colour, mass, parts, position, orientation }: SimObject): ObjectView {
  const material = new MeshLambertMaterial({ color: colour });
  const group = new Group();
  for (const part of parts) {
    const mesh = new Mesh(geometryOf(part), material);
    mesh.position.fromArray(part.at);
    mesh.castShadow = mass !== null;
    mesh.receiveShadow = true;
    group.add(mesh);
  }
  group.position.set(position.x, position.y, position.z);
  group.quaternion.set(orientation.x, orientation.y, orientation.z, orientation.w);
  return { arm, name, movable: mass !== null, group, material };
}

function geometryOf({ kind, size = [0, 0, 0], radius = 0, length = 0 }: SimObject['parts'][number]): BufferGeometry {
  if (kind === 'box') return new BoxGeometry(...size);
  // The cylinders of three stand along y.
  return kind === 'sphere'
    ? new SphereGeometry(radius)
    : new CylinderGeometry(radius, radius, length).rotateX(Math.PI / 2);
}
