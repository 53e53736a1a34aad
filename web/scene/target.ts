import {
  Euler,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  type PerspectiveCamera,
  Quaternion,
  SphereGeometry,
  Vector3,
} from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import { command, request } from '../api.ts';
import { h, setText } from '../dom.ts';
import { forget, notice } from '../notices.ts';
import type { ArmFrame } from '../protocol.ts';
import type { Store } from '../store.ts';
import { degrees } from '../units.ts';
import type { ArmView } from './arm-view.ts';

/** What the bridge says of a target. */
interface Forecast {
  readonly reachable: boolean;
  readonly message: string | null;
  readonly joints: readonly number[] | null;
}

type Body = Readonly<Record<string, number>>;

const COLOURS = { idle: 0x3f8cff, yes: 0x2fb866, no: 0xe0303f } as const;
const RADIUS = 0.012;
const CENTIMETRES = 100;
/** What is said of a target counts until the next one of its arm. */
const aboutTarget = ({ info }: ArmView): string => `target of ${info.name}`;
/** Decimals that are sent: a hundredth of a millimetre and of a degree. */
const round = (value: number): number => Math.round(value * 100) / 100;

/**
 * A target that is dragged in the scene. While it is dragged the bridge is asked whether the arm can get there, and the
 * ghost shows how; when it is let go within reach, the arm goes there.
 */
export class Target {
  readonly label = h('output', { class: 'target', hidden: true });
  readonly #controls: TransformControls;
  readonly #ball = new Mesh(
    new SphereGeometry(RADIUS),
    new MeshBasicMaterial({ color: COLOURS.idle, depthTest: false }),
  );
  readonly #redraw: () => void;
  readonly #place = new Vector3();
  #arm: ArmView | null = null;
  /** Where the tool of its arm is. */
  #tool: ArmFrame['tool'] = null;
  #turned = false;
  #dragging = false;
  #moving = false;
  #releases = 0;
  /** The drag has been ended by a stop: its release moves nothing. */
  #cancelled = false;
  #asking: Promise<Forecast | null> | null = null;
  #newer = false;

  constructor(
    scene: Object3D,
    camera: PerspectiveCamera,
    canvas: HTMLElement,
    store: Store,
    { redraw, dragged }: { redraw: () => void; dragged: (on: boolean) => void },
  ) {
    this.#redraw = redraw;
    this.#controls = new TransformControls(camera, canvas);
    this.#controls.setSize(0.7);
    scene.add(this.#controls.getHelper());
    this.#controls.addEventListener('change', redraw);
    this.#controls.addEventListener('axis-changed', ({ value }) => {
      canvas.style.cursor = value === null ? '' : 'grab';
    });
    this.#controls.addEventListener('objectChange', () => this.#changed());
    this.#controls.addEventListener('dragging-changed', ({ value }) => {
      dragged(value === true);
      if (value === true) this.#begin();
      else void this.#release();
    });
    window.addEventListener('arm-bridge-stop', () => {
      this.#cancelled = true;
    });
    store.on(['connection'], () => {
      if (!store.mayControl) this.attach(null);
    });
  }

  /** Whether the pointer is on the target or drags it. */
  get hot(): boolean {
    return this.#dragging || this.#controls.axis !== null;
  }

  /** Puts the target at the tool of an arm; null: takes it away. */
  attach(arm: ArmView | null): void {
    this.#controls.detach();
    this.#ball.removeFromParent();
    this.#arm?.foresee(null);
    this.#arm = arm;
    this.#tool = null;
    // Until it has been drawn nobody knows where on the page it is.
    this.label.hidden = true;
    if (arm !== null) {
      arm.group.add(this.#ball);
      this.#controls.attach(this.#ball);
      this.#say('idle', 'drag me');
    }
    this.#redraw();
  }

  /** Whether dragging turns the target instead of shifting it. */
  turn(on: boolean): void {
    this.#controls.setMode(on ? 'rotate' : 'translate');
    this.#controls.setSpace(on ? 'local' : 'world');
    this.#redraw();
  }

  /** Follows the tool while nobody drags. */
  follow(id: number, { tool }: ArmFrame): void {
    if (this.#arm?.info.id !== id || tool === null) return;
    this.#tool = tool;
    if (!this.#dragging && !this.#moving) this.#putAtTool();
  }

  #putAtTool(): void {
    if (this.#tool === null) return;
    this.#ball.position.set(...this.#tool.position);
    this.#ball.quaternion.set(...this.#tool.orientation);
  }

  /** Has the label put where the target has just been drawn. */
  drawn(pin: (label: HTMLElement, place: Vector3) => void): void {
    if (this.#arm === null) return;
    this.label.hidden = false;
    pin(this.label, this.#ball.getWorldPosition(this.#place));
  }

  #begin(): void {
    this.#dragging = true;
    this.#cancelled = false;
    this.#turned = this.#controls.mode === 'rotate';
    if (this.#arm !== null) forget(aboutTarget(this.#arm));
  }

  #changed(): void {
    if (this.#cancelled) return;
    this.#newer = true;
    this.#asking ??= this.#ask();
  }

  /** Asks for the newest place of the target, again until it is the newest. */
  async #ask(): Promise<Forecast | null> {
    let forecast: Forecast | null = null;
    while (this.#newer && !this.#cancelled && this.#arm !== null) {
      this.#newer = false;
      const path = `/api/v1/arms/${encodeURIComponent(this.#arm.info.name)}/reachable`;
      const { ok, answer, message } = await request({ path, body: this.#body(this.#arm) });
      forecast = ok ? (answer as Forecast) : { reachable: false, message, joints: null };
      this.#arm?.foresee(forecast.joints);
      this.#say(forecast.reachable ? 'yes' : 'no', forecast.reachable ? 'within reach' : 'not within reach');
      this.#redraw();
    }
    this.#asking = null;
    return forecast;
  }

  async #release(): Promise<void> {
    const arm = this.#arm;
    const number = ++this.#releases;
    this.#moving = true;
    this.#dragging = false;
    this.#newer = !this.#cancelled;
    const body = arm === null ? {} : this.#body(arm);
    const forecast = await (this.#asking ?? this.#ask());
    // A stop may have come meanwhile, too.
    if (arm !== null && forecast !== null && !this.#cancelled) {
      if (forecast.reachable) {
        this.#say('yes', 'on the way');
        await command({ path: '/move/absolute', query: { robot_id: arm.info.id }, body }, `${arm.info.name} is there.`);
      } else {
        const message = forecast.message ?? `${arm.info.name} cannot get there.`;
        notice('fault', message, { about: aboutTarget(arm) });
      }
    }
    // It has been taken again meanwhile.
    if (this.#dragging || number !== this.#releases) return;
    arm?.foresee(null);
    this.#moving = false;
    // Whoever takes it again takes it where the tool is, not where it has been let go.
    this.#putAtTool();
    this.label.hidden = true;
    this.#say('idle', 'drag me');
    this.#redraw();
  }

  /** The target in the absolute frame: axes of the base, zero where the tool is at init; cm and degrees. */
  #body(arm: ArmView): Body {
    const zero = arm.toolAtInit();
    const shift = this.#ball.position
      .clone()
      .sub(new Vector3().setFromMatrixPosition(zero))
      .multiplyScalar(CENTIMETRES);
    const place = { x: round(shift.x), y: round(shift.y), z: round(shift.z) };
    if (!this.#turned) return place;
    const start = new Quaternion().setFromRotationMatrix(zero).invert();
    const {
      x: roll,
      y,
      z: yaw,
    } = new Euler().setFromRotationMatrix(
      new Matrix4().makeRotationFromQuaternion(this.#ball.quaternion.clone().multiply(start)),
      'ZYX',
    );
    return { ...place, rx: round(degrees(-y)), ry: round(degrees(yaw)), rz: round(degrees(roll)) };
  }

  #say(state: keyof typeof COLOURS, text: string): void {
    this.#ball.material.color.setHex(COLOURS[state]);
    this.label.dataset.reach = state;
    setText(this.label, text);
  }
}
