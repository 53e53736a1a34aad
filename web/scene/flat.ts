import { Object3D, Vector3 } from 'three';
import URDFLoader, { type URDFRobot } from 'urdf-loader';
import { bridge } from '../bridge.ts';
import { h, setText } from '../dom.ts';
import type { ArmFrame, ArmInfo } from '../protocol.ts';
import type { Store } from '../store.ts';

Object3D.DEFAULT_UP.set(0, 0, 1);

const SVG = 'http://www.w3.org/2000/svg';
/** Room around the arms, m. */
const MARGIN = 0.1;
/** Reach that is shown of each arm, m. */
const REACH = 0.45;
/** From one arm to the next where they are seen from the side, m. */
const BESIDE = 0.7;

interface Projection {
  /** How far to the right and up a place in the world is, m. */
  at(arm: FlatArm, place: Vector3): readonly [right: number, up: number];
  /** The lowest that is shown, against the base of an arm, m. */
  readonly least: number;
}

const VIEWS = {
  // Each arm by itself: those that stand side by side would cover one another.
  'From the side': {
    at: (arm, place) => {
      const { x, z } = arm.inBase(place);
      return [x + BESIDE * arm.place, z];
    },
    least: -0.05,
  },
  'From above': { at: (_, { x, y }) => [-y, x], least: -REACH },
} as const satisfies Readonly<Record<string, Projection>>;
type View = keyof typeof VIEWS;

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** An arm as a line through its joints, where it is and where it is asked to be. */
class FlatArm {
  readonly info: ArmInfo;
  /** Among the arms, from 0 on. */
  readonly place: number;
  readonly #robot: URDFRobot;
  readonly #root = new Object3D();
  /** From the base to the tool. */
  readonly #chain: readonly Object3D[];

  constructor(info: ArmInfo, place: number, urdf: string) {
    this.info = info;
    this.place = place;
    this.#robot = new URDFLoader().parse(urdf);
    const { xyz, rpy } = info.mount;
    this.#root.position.set(...xyz);
    this.#root.rotation.set(...rpy, 'ZYX');
    this.#root.add(this.#robot);
    const chain: Object3D[] = [];
    for (let part: Object3D | null = this.#robot.links[info.tool_link] ?? null; part !== null; part = part.parent)
      if ('isURDFLink' in part || part === this.#root) chain.unshift(part);
    this.#chain = chain;
    this.#root.updateMatrixWorld(true);
  }

  /** Places of the joints in the world, m. */
  places(joints: readonly (number | null)[]): Vector3[] {
    for (const [i, { name }] of this.info.joints.entries()) this.#robot.setJointValue(name, joints[i] ?? 0);
    this.#root.updateMatrixWorld(true);
    return this.#chain.map((part) => new Vector3().setFromMatrixPosition(part.matrixWorld));
  }

  get base(): Vector3 {
    return this.#root.position;
  }

  /** A place in the world as the arm's base sees it, m. */
  inBase(place: Vector3): Vector3 {
    return this.#root.worldToLocal(place.clone());
  }
}

interface Drawn {
  readonly view: View;
  readonly arm: FlatArm;
  readonly measured: SVGElement;
  readonly goal: SVGElement;
}

/** The arms from the side and from above, where a browser has no WebGL. */
export class FlatScene {
  readonly #host: HTMLElement;
  readonly #store: Store;
  #drawn: readonly Drawn[] = [];

  constructor(host: HTMLElement, store: Store) {
    this.#host = host;
    this.#store = store;
    store.on(['arms', 'foreseen'], () => this.#show());
  }

  async load(infos: readonly ArmInfo[]): Promise<void> {
    const arms = await Promise.all(
      infos.map(async (info, place) => new FlatArm(info, place, await bridge.arm(info.name).urdf())),
    );
    const drawn: Drawn[] = [];
    const figures = (Object.keys(VIEWS) as View[]).map((view) => {
      const picture = this.#frame(view, arms);
      for (const arm of arms) {
        const goal = svg('polyline', { class: 'flat-goal' });
        const measured = svg('polyline', { class: 'flat-arm' });
        const [right, up] = VIEWS[view].at(arm, arm.base);
        const name = svg('text', { x: right, y: 0.055 - up, 'text-anchor': 'middle' });
        setText(name, arm.info.name);
        picture.append(goal, measured, name);
        drawn.push({ view, arm, measured, goal });
      }
      return h('figure', {}, h('figcaption', {}, view), picture);
    });
    this.#drawn = drawn;
    const why = 'This browser draws no three dimensions (WebGL is off or missing): the arms are shown flat.';
    this.#host.replaceChildren(h('div', { class: 'flat' }, h('p', {}, why), ...figures));
    this.#show();
  }

  #frame(view: View, arms: readonly FlatArm[]): SVGElement {
    const { at, least } = VIEWS[view];
    const bases = arms.map((arm) => at(arm, arm.base));
    const xs = bases.map(([right]) => right);
    const ys = bases.map(([, up]) => up);
    const [left, bottom] = [Math.min(...xs) - REACH - MARGIN, Math.min(...ys) + least - MARGIN];
    const [width, height] = [Math.max(...xs) + REACH + MARGIN - left, Math.max(...ys) + REACH + MARGIN - bottom];
    const picture = svg('svg', { viewBox: `${left} ${-bottom - height} ${width} ${height}`, role: 'img' });
    picture.setAttribute('aria-label', `The arms ${view.toLowerCase()}; their joints are listed under Arms`);
    if (view === 'From the side') picture.append(svg('line', { x1: left, y1: 0, x2: left + width, y2: 0 }));
    return picture;
  }

  #show(): void {
    for (const { view, arm, measured, goal } of this.#drawn) {
      const frame = this.#store.frames.get(arm.info.id);
      if (frame === undefined) continue;
      const line = (joints: readonly (number | null)[]): string =>
        arm
          .places(joints)
          .map((place) => VIEWS[view].at(arm, place))
          .map(([right, up]) => `${right.toFixed(3)},${(-up).toFixed(3)}`)
          .join(' ');
      measured.setAttribute('points', line(frame.joints.position));
      measured.setAttribute('data-state', frame.state);
      const wanted = this.#wanted(arm, frame);
      goal.setAttribute('points', wanted === null ? '' : line(wanted));
    }
  }

  /** Where the arm is asked to be, or somebody wants to see it. */
  #wanted({ info }: FlatArm, { joints }: ArmFrame): readonly (number | null)[] | null {
    const foreseen = this.#store.foreseen.get(info.name);
    if (foreseen !== undefined) return foreseen;
    return joints.goal.some((angle) => angle === null) ? null : joints.goal;
  }
}
