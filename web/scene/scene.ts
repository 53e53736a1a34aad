import {
  AmbientLight,
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  Mesh,
  Object3D,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { bridge } from '../bridge.ts';
import { block, button, h, isOn, setText } from '../dom.ts';
import type { Hands } from '../hand.ts';
import type { ArmInfo } from '../protocol.ts';
import { whyNoControl } from '../reasons.ts';
import type { Store } from '../store.ts';
import { ArmView } from './arm-view.ts';
import { JointDrag } from './drag.ts';
import { DrawPace } from './draw-pace.ts';
import { ObjectDrag } from './objects.ts';
import { Target } from './target.ts';

/** Directions from which the camera looks, in the world: x forward, z up. */
const VIEWS = {
  Overview: new Vector3(0.9, -0.55, 0.6),
  Front: new Vector3(1, 0, 0.12),
  Side: new Vector3(0, -1, 0.12),
  Top: new Vector3(-0.001, 0, 1),
} as const;
/** Reach of an arm beyond its base, m: what a view has to show. */
const REACH = 0.18;
/** Shadows are drawn with so many pixels in a square of 2 m: a pixel is 2 mm. */
const SHADOW_PIXELS = 1024;

Object3D.DEFAULT_UP.set(0, 0, 1);

/** Whether the processor draws, for want of anything else, as on a server or in a virtual machine. */
function drawsByProcessor(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  const names = context?.getExtension('WEBGL_debug_renderer_info');
  const name = names == null ? '' : String(context?.getParameter(names.UNMASKED_RENDERER_WEBGL));
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

function makeSun(): DirectionalLight {
  const sun = new DirectionalLight(0xffffff, 2.4);
  sun.position.set(0.5, -0.6, 1.5);
  sun.shadow.mapSize.set(SHADOW_PIXELS, SHADOW_PIXELS);
  sun.shadow.radius = 4;
  sun.shadow.normalBias = 0.004;
  Object.assign(sun.shadow.camera, { left: -1, right: 1, bottom: -1, top: 1, near: 0.1, far: 4 });
  return sun;
}

/** The ground on which shadows fall; the rest of it is the grid. */
function makeShadow(): Mesh {
  const shadow = new Mesh(new PlaneGeometry(2, 2), new ShadowMaterial({ opacity: 0.22 }));
  shadow.receiveShadow = true;
  shadow.position.z = -0.002;
  return shadow;
}

/** The arms in three dimensions. Draws when something has changed, no finer and no more often than the computer can. */
export class ArmScene {
  readonly #host: HTMLElement;
  readonly #store: Store;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(38, 1, 0.02, 20);
  readonly #renderer: WebGLRenderer;
  readonly #controls: OrbitControls;
  readonly #labels = h('div', { class: 'labels', 'aria-hidden': 'true' });
  readonly #sun = makeSun();
  readonly #shadow = makeShadow();
  readonly #target: Target;
  readonly #drag: JointDrag;
  readonly #objects: ObjectDrag;
  readonly #resetObjects = button('Reset objects', () => void this.#objects.reset(), { class: 'view', hidden: true });
  readonly #choice = h('select', { class: 'view', 'aria-label': 'Arm with a target to drag' });
  readonly #turn = this.#toggle('Turn', (on) => this.#target.turn(on));
  #grid: GridHelper | null = null;
  #views: { readonly arm: ArmView; readonly label: HTMLElement; readonly state: HTMLElement }[] = [];
  /** Edges are smoothed, and light is reckoned as it falls on real surfaces. */
  readonly #fine: boolean;
  readonly #pace: DrawPace;
  /** Whether a drawing is under way to the display's next frame, or to the time from which one is bearable. */
  #drawing = false;
  /** When the scene was drawn last, ms. */
  #drawn = Number.NEGATIVE_INFINITY;
  /** Draws the picture that stays, after those of a motion. */
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** Time that this page works for a frame, ms: mean over the newest ones. */
  #work = 0;

  /** @throws when this browser has no WebGL */
  constructor(host: HTMLElement, store: Store, hands: Hands) {
    this.#host = host;
    this.#store = store;
    const software = drawsByProcessor();
    this.#fine = !software;
    this.#pace = new DrawPace(software, devicePixelRatio);
    this.#renderer = new WebGLRenderer({ antialias: this.#fine, alpha: true, powerPreference: 'low-power' });
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#takeLevel();
    const canvas = this.#renderer.domElement;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', 'The arms as they stand; their joints are listed under Arms');
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener('change', () => this.invalidate());
    this.#target = new Target(this.#scene, this.#camera, canvas, store, {
      redraw: () => this.invalidate(),
      dragged: (on) => {
        this.#controls.enabled = !on;
      },
    });
    const lent = {
      camera: this.#camera,
      canvas,
      arms: () => this.#views.map(({ arm }) => arm),
      redraw: () => this.invalidate(),
      taken: () => this.#target.hot,
    };
    // It hears of pointers first: what stands before a link is taken in its place.
    this.#objects = new ObjectDrag(host, lent, store);
    this.#drag = new JointDrag(host, { ...lent, taken: () => lent.taken() || this.#objects.hot }, hands);
    this.#scene.add(this.#drag.mark, this.#drag.pull);
    this.#scene.add(new HemisphereLight(0xffffff, 0x8a8f98, 1.4), new AmbientLight(0xffffff, 0.3));
    this.#scene.add(this.#sun, this.#shadow);
    host.replaceChildren(
      canvas,
      this.#labels,
      this.#target.label,
      this.#drag.label,
      this.#objects.label,
      this.#toolbar(),
    );
    store.on(['connection', 'hello'], () => this.#offerTarget());
    new ResizeObserver(() => this.#resize()).observe(host);
    const repaint = (): void => this.#drawGround();
    window.addEventListener('arm-bridge-theme', repaint);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
    this.#drawGround();
    store.on(['arms'], () => this.#show());
    store.on(['foreseen'], () => this.#foresee());
  }

  /** Puts these arms into the scene in place of all others. */
  async load(arms: readonly ArmInfo[]): Promise<void> {
    const loaded = await Promise.all(
      arms.map(async (info) => {
        const urdf = await bridge.arm(info.name).urdf();
        return new ArmView(info, urdf, this.#fine);
      }),
    );
    for (const { arm } of this.#views) this.#scene.remove(arm.group);
    this.#views = loaded.map((arm) => {
      const state = h('small', {});
      return { arm, state, label: h('span', {}, `${arm.info.name} `, state) };
    });
    this.#labels.replaceChildren(...this.#views.map(({ label }) => label));
    for (const { arm } of this.#views) this.#scene.add(arm.group);
    await this.#objects.load(loaded);
    this.#resetObjects.hidden = !this.#objects.any;
    this.#offerTarget();
    this.#look('Overview');
    this.#foresee();
  }

  /** Has the scene drawn with the display's next frame, or as soon as the computer can bear it. */
  invalidate(): void {
    if (this.#drawing) return;
    this.#drawing = true;
    const wait = this.#drawn + this.#pace.interval - performance.now();
    const draw = (): number => requestAnimationFrame(() => this.#draw());
    if (wait > 0) setTimeout(draw, wait);
    else draw();
  }

  /** Draws as finely as the computer can, and has figures shown as often as the scene. */
  #takeLevel(): void {
    const { level, pixels, interval } = this.#pace;
    // A canvas that is given a size, even its own, is cleared and made anew.
    if (this.#renderer.getPixelRatio() !== pixels) this.#renderer.setPixelRatio(pixels);
    this.#renderer.shadowMap.enabled = level.shadows;
    this.#sun.castShadow = level.shadows;
    this.#shadow.visible = level.shadows;
    this.#store.telling.interval = interval;
  }

  #show(): void {
    const began = performance.now();
    let changed = false;
    for (const { arm, label, state } of this.#views) {
      const frame = this.#store.frames.get(arm.info.id);
      if (frame === undefined) continue;
      label.dataset.state = frame.state;
      setText(state, frame.state === 'connected' ? 'limp' : frame.state);
      changed = arm.show(frame) || changed;
      this.#target.follow(arm.info.id, frame);
    }
    this.#drag.follow();
    if (changed) this.invalidate();
    this.#worked(began);
  }

  /** Ghosts stand as somebody wants them, or where their arms are asked to be. */
  #foresee(): void {
    for (const { arm } of this.#views) arm.foresee(this.#store.foreseen.get(arm.info.name) ?? null);
    this.#show();
    this.invalidate();
  }

  #draw(): void {
    this.#drawing = false;
    const began = performance.now();
    this.#drawn = began;
    const measures = this.#pace.begin(began);
    this.#takeLevel();
    clearTimeout(this.#settling);
    const { settling } = this.#pace;
    if (settling !== null) this.#settling = setTimeout(() => this.invalidate(), settling);
    this.#renderer.render(this.#scene, this.#camera);
    const at = new Vector3();
    for (const { arm, label } of this.#views) this.#pin(label, arm.labelAt(at));
    this.#target.drawn((label, place) => this.#pin(label, place));
    this.#drag.drawn((label, place) => this.#pin(label, place));
    this.#objects.drawn((label, place) => this.#pin(label, place));
    this.#worked(began);
    if (measures) this.#measure(began);
  }

  /** Waits until the picture is drawn, which the browser otherwise leaves to other threads, and takes its time. */
  #measure(began: number): void {
    const context = this.#renderer.getContext();
    context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
    if (this.#pace.measured(performance.now() - began)) this.invalidate();
    this.#store.telling.interval = this.#pace.interval;
  }

  /** Puts an element of the page where a place of the world is drawn. */
  #pin(element: HTMLElement, place: Vector3): void {
    const { clientWidth, clientHeight } = this.#host;
    place.project(this.#camera);
    const x = ((place.x + 1) / 2) * clientWidth;
    const y = ((1 - place.y) / 2) * clientHeight;
    element.style.transform = `translate(-50%, 0) translate(${x}px, ${y}px)`;
  }

  /** Offers a target for each arm to whom may move arms. */
  #offerTarget(): void {
    const why = whyNoControl(this.#store);
    const arms = why === '' ? this.#views.map(({ arm }) => `Target: ${arm.info.name}`) : [];
    this.#choice.replaceChildren(...['No target', ...arms].map((text) => h('option', {}, text)));
    block(this.#choice, why);
    this.#attach(null);
  }

  #attach(arm: ArmView | null): void {
    this.#target.attach(arm);
    block(this.#turn, arm === null ? 'Choose the arm of the target first.' : '');
  }

  #worked(began: number): void {
    this.#work += (performance.now() - began - this.#work) / 60;
    this.#host.dataset.work = this.#work.toFixed(2);
  }

  #look(view: keyof typeof VIEWS): void {
    const places = this.#views.map(({ arm }) => arm.group.position);
    const middle = places.reduce((sum, place) => sum.add(place), new Vector3()).divideScalar(places.length || 1);
    const spread = Math.max(0, ...places.map((place) => place.distanceTo(middle)));
    middle.add(new Vector3(0.12, 0, 0.12));
    const { clientWidth, clientHeight } = this.#host;
    const aspect = Math.min(clientWidth / (clientHeight || 1), 1) || 1;
    const distance = (spread + REACH) / Math.sin((this.#camera.fov / 360) * Math.PI) / aspect;
    this.#camera.position.copy(VIEWS[view]).normalize().multiplyScalar(distance).add(middle);
    this.#controls.target.copy(middle);
    this.#controls.update();
    this.invalidate();
  }

  #toggle(label: string, switched: (on: boolean) => void): HTMLButtonElement {
    const act = (): void => {
      const on = !isOn(element);
      element.setAttribute('aria-pressed', String(on));
      switched(on);
      this.invalidate();
    };
    const element = button(label, act, { class: 'view', 'aria-pressed': 'false' });
    return element;
  }

  #toolbar(): HTMLElement {
    const trails = this.#toggle('Trail', (on) => {
      for (const { arm } of this.#views) {
        arm.trail.clear();
        arm.trail.line.visible = on;
      }
    });
    trails.setAttribute('aria-pressed', 'true');
    const frames = this.#toggle('Frames', (on) => {
      for (const { arm } of this.#views) arm.showFrames(on);
    });
    this.#choice.addEventListener('change', () => {
      this.#attach(this.#views[this.#choice.selectedIndex - 1]?.arm ?? null);
      this.#show();
    });
    const views = (Object.keys(VIEWS) as (keyof typeof VIEWS)[]).map((name) =>
      button(name, () => this.#look(name), { class: 'view' }),
    );
    const group = (...tools: readonly HTMLElement[]): HTMLElement => h('div', { class: 'tools' }, ...tools);
    return h(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'View' },
      group(...views),
      group(frames, trails),
      group(this.#choice, this.#turn),
      group(this.#resetObjects),
    );
  }

  #drawGround(): void {
    if (this.#grid !== null) {
      this.#scene.remove(this.#grid);
      this.#grid.dispose();
    }
    // The page's own colours, as they are in the present theme.
    const probe = h('span', { class: 'grid-colour' });
    this.#host.append(probe);
    const { color, backgroundColor } = getComputedStyle(probe);
    this.#grid = new GridHelper(2, 20, new Color(color), new Color(backgroundColor));
    probe.remove();
    this.#grid.rotation.x = Math.PI / 2;
    this.#grid.position.z = -0.001;
    this.#scene.add(this.#grid);
    this.invalidate();
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#host;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#camera.aspect = clientWidth / clientHeight;
    this.#camera.updateProjectionMatrix();
    this.#renderer.setSize(clientWidth, clientHeight);
    this.invalidate();
  }
}
