import {
  BufferGeometry,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  type PerspectiveCamera,
  Plane,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';
import { h, setText } from '../dom.ts';
import type { Hand, Hands } from '../hand.ts';
import { degrees, measure, spoken } from '../units.ts';
import type { ArmView, Grip } from './arm-view.ts';
import { angleTowards } from './grip.ts';

const COLOUR = 0xff8c1a;
const RADIUS = 0.007;
/** Less than this is the drag of the gears, Nm. */
const PUSHES = 0.1;

/** What the scene lends to dragging. */
export interface DragScene {
  readonly camera: PerspectiveCamera;
  readonly canvas: HTMLCanvasElement;
  readonly arms: () => readonly ArmView[];
  readonly redraw: () => void;
  /** True while something else in the scene is under the pointer or dragged. */
  readonly taken: () => boolean;
}

/**
 * Leads simulated arms by their joints with mouse or finger: the link that is grabbed follows the pointer as far as the joint
 * before it lets it. When it is let go, or the page is left, hidden or stopped, the hand holds the arm where it is.
 */
export class JointDrag {
  readonly label = h('output', { class: 'grip', hidden: true });
  /** Marks the place that is, or would be, grabbed. */
  readonly mark = new Mesh(
    new SphereGeometry(RADIUS),
    new MeshBasicMaterial({ color: COLOUR, depthTest: false, transparent: true }),
  );
  /** The spring by which it is dragged: from there to where the pointer wants it. */
  readonly pull = new Line(
    new BufferGeometry(),
    new LineBasicMaterial({ color: COLOUR, depthTest: false, transparent: true }),
  );
  readonly #scene: DragScene;
  readonly #hands: Hands;
  readonly #raycaster = new Raycaster();
  readonly #plane = new Plane();
  readonly #target = new Vector3();
  /** Where the pointer wants what it drags, in the world. */
  readonly #wanted = new Vector3();
  #grip: Grip | null = null;
  /** Of the pointer that drags; null while none does. */
  #pointer: number | null = null;

  /** @param host of the canvas: hears of pointers before it */
  constructor(host: HTMLElement, scene: DragScene, hands: Hands) {
    this.#scene = scene;
    this.#hands = hands;
    this.mark.visible = false;
    this.mark.renderOrder = 1;
    this.pull.visible = false;
    this.pull.renderOrder = 1;
    this.pull.frustumCulled = false;
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
  }

  /** Has the label put where the grip has just been drawn. */
  drawn(pin: (label: HTMLElement, place: Vector3) => void): void {
    if (this.#grip === null) return;
    this.#say(this.#grip);
    pin(this.label, this.#grip.arm.placeOf(this.#grip, this.#target));
  }

  /** The arms have moved: so has what is grabbed. An arm that does not yield any more is let go. */
  follow(): void {
    if (this.#grip === null) return;
    if (this.#hands.of(this.#grip.arm.info)?.yields !== true) this.#end();
    else this.#grip.arm.placeOf(this.#grip, this.mark.position);
    if (this.pull.visible) this.#stretch();
  }

  #down(event: PointerEvent): void {
    if (event.target !== this.#scene.canvas || this.#scene.taken()) return;
    if (this.#pointer !== null) {
      // Another finger, while one leads the arm.
      event.stopPropagation();
      return;
    }
    const found = event.button === 0 ? this.#find(event) : null;
    this.#show(found?.grip ?? null);
    if (found === null) return;
    event.stopPropagation();
    this.#scene.canvas.setPointerCapture(event.pointerId);
    this.#pointer = event.pointerId;
    this.#scene.camera.getWorldDirection(this.#plane.normal);
    this.#plane.setFromNormalAndCoplanarPoint(this.#plane.normal, found.point);
    this.#cursor('grabbing');
  }

  #move(event: PointerEvent): void {
    if (this.#pointer === null) {
      if (event.pointerType !== 'mouse' || event.buttons !== 0) return;
      this.#show(
        event.target === this.#scene.canvas && !this.#scene.taken() ? (this.#find(event)?.grip ?? null) : null,
      );
      return;
    }
    if (event.pointerId !== this.#pointer || this.#grip === null) return;
    event.stopPropagation();
    this.#aim(event);
    if (this.#raycaster.ray.intersectPlane(this.#plane, this.#target) === null) return;
    this.#wanted.copy(this.#target);
    this.pull.visible = true;
    this.#stretch();
    const { arm, index } = this.#grip;
    const hand = this.#hands.of(arm.info);
    const joint = arm.pivotOf(this.#grip);
    const asked = angleTowards(
      joint,
      this.#target,
      this.#plane.normal,
      (hand?.goal(index) ?? joint.angle) - joint.angle,
    );
    const { lower, upper } = arm.info.joints[index]!;
    hand?.lead(index, Math.min(Math.max(asked, lower), upper));
    this.#scene.redraw();
  }

  #up(event: PointerEvent): void {
    if (event.pointerId !== this.#pointer) return;
    event.stopPropagation();
    this.#end();
  }

  #end(): void {
    const hand: Hand | null = this.#grip === null ? null : this.#hands.of(this.#grip.arm.info);
    const dragged = this.#pointer !== null;
    this.#pointer = null;
    this.pull.visible = false;
    this.#show(null);
    if (dragged) hand?.rest();
  }

  #stretch(): void {
    this.pull.geometry.setFromPoints([this.mark.position, this.#wanted]);
  }

  #aim({ clientX, clientY }: PointerEvent): void {
    const { left, top, width, height } = this.#scene.canvas.getBoundingClientRect();
    const at = new Vector2(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2);
    this.#raycaster.setFromCamera(at, this.#scene.camera);
  }

  /** The nearest link under the pointer, where it belongs to an arm that yields to the hand. */
  #find(event: PointerEvent): { readonly grip: Grip; readonly point: Vector3 } | null {
    this.#aim(event);
    let nearest: ReturnType<ArmView['hit']> = null;
    for (const arm of this.#scene.arms()) {
      const hit = arm.hit(this.#raycaster);
      if (hit !== null && (nearest === null || hit.distance < nearest.distance)) nearest = hit;
    }
    if (nearest?.grip == null || this.#hands.of(nearest.grip.arm.info)?.yields !== true) return null;
    return { grip: nearest.grip, point: nearest.point };
  }

  #say({ arm, index }: Grip): void {
    const hand = this.#hands.of(arm.info);
    const goal = this.#pointer === null ? null : (hand?.goal(index) ?? null);
    const name = spoken(arm.info.joints[index]!.name);
    const felt = Math.abs(hand?.felt(index) ?? 0);
    const back = felt < PUSHES ? '' : `, pushes the hand with ${measure(felt, 1, ' Nm')}`;
    const text = goal === null ? `drag: ${arm.info.name}, ${name}` : `${name} ${measure(degrees(goal), 0, '°')}${back}`;
    setText(this.label, text);
  }

  #show(grip: Grip | null): void {
    if (grip === null && this.#grip === null) return;
    this.#grip = grip;
    this.mark.visible = grip !== null;
    this.label.hidden = grip === null;
    if (grip !== null) {
      this.#say(grip);
      grip.arm.placeOf(grip, this.mark.position);
    }
    this.#cursor(grip === null && !this.#scene.taken() ? '' : 'grab');
    this.#scene.redraw();
  }

  #cursor(shape: '' | 'grab' | 'grabbing'): void {
    this.#scene.canvas.style.cursor = shape;
  }
}
