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
/** Two views: what of a place in the world goes to the right, and what goes up. */
const VIEWS = {
  'From the side': { right: ({ x }: Vector3) => x, up: ({ z }: Vector3) => z, least: -0.05 },
  'From above': { right: ({ y }: Vector3) => -y, up: ({ x }: Vector3) => x, least: -REACH },
} as const;
type View = keyof typeof VIEWS;

function svg(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** An arm as a line through its joints, where it is and where it is asked to be. */
class FlatArm {
  readonly info: ArmInfo;
  readonly #robot: URDFRobot;
  readonly #root = new Object3D();
  /** From the base to the tool. */
  readonly #chain: readonly Object3D[];

  constructor(info: ArmInfo, urdf: string) {
    this.info = info;
    this.#robot = new URDFLoader().parse(urdf);
    const { xyz, rpy } = info.mount;
    this.#root.position.set(...xyz);
    this.#root.rotation.set(...rpy, 'ZYX');
    this.#root.add(this.#robot);
    const chain: Object3D[] = [];
    for (let part: Object3D | null = this.#robot.links[info.tool_link] ?? null; part !== null; part = part.parent)
      if ('isURDFLink' in part || part === this.#root) chain.unshift(part);
    this.#chain = chain;
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
    const arms = await Promise.all(infos.map(async (info) => new FlatArm(info, await bridge.arm(info.name).urdf())));
    const drawn: Drawn[] = [];
    const figures = (Object.keys(VIEWS) as View[]).map((view) => {
      const picture = this.#frame(view, arms);
      for (const arm of arms) {
        const goal = svg('polyline', { class: 'flat-goal' });
        const measured = svg('polyline', { class: 'flat-arm' });
        const { right, up } = VIEWS[view];
        const name = svg('text', { x: right(arm.base), y: 0.055 - up(arm.base), 'text-anchor': 'middle' });
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
    const { right, up, least } = VIEWS[view];
    const xs = arms.map(({ base }) => right(base));
    const ys = arms.map(({ base }) => up(base));
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
      const { right, up } = VIEWS[view];
      const line = (joints: readonly (number | null)[]): string =>
        arm
          .places(joints)
          .map((place) => `${right(place).toFixed(3)},${(-up(place)).toFixed(3)}`)
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
