import { button, h } from '../dom.ts';
import type { Jogger } from '../jog.ts';
import type { ArmInfo } from '../protocol.ts';
import { type Spring, spring } from '../spring.ts';
import { spoken } from '../units.ts';

/** Speed of the tool at the end of a slider, m/s and rad/s: brisk, and slow enough to let go in time. */
const LINEAR = 0.1;
const ANGULAR = 0.8;
/** Part of a joint's speed limit at the end of its slider. */
const SHARE = 0.5;
const AXES = ['x forward', 'y left', 'z up', 'turn about x', 'turn about y', 'turn about z'];

export interface JogCard {
  readonly element: HTMLElement;
  /** All its sliders have been let go. */
  rest(): void;
}

/** Sliders that move joints of an arm while they are held. */
export function jointJog(info: ArmInfo, jogger: Jogger): JogCard {
  const speeds = new Map<string, number>();
  const springs = info.joints.map(({ name, velocity }) =>
    spring(spoken(name), (value) => {
      if (value === 0) speeds.delete(name);
      else speeds.set(name, value * velocity * SHARE);
      if (speeds.size === 0) jogger.release();
      else jogger.hold(info.id, { kind: 'joints', joints: new Map(speeds) });
    }),
  );
  return cardOf('Joints, while held', springs, () => speeds.clear());
}

/** Sliders that move the tool of an arm along and about the axes of a frame while they are held. */
export function toolJog(info: ArmInfo, jogger: Jogger): JogCard {
  const twist = AXES.map(() => 0);
  let frame: 'base' | 'tool' = 'base';
  const springs = AXES.map((axis, i) =>
    spring(axis, (value) => {
      twist[i] = value * (i < 3 ? LINEAR : ANGULAR);
      if (twist.every((speed) => speed === 0)) jogger.release();
      else jogger.hold(info.id, { kind: 'twist', twist: [...twist], frame });
    }),
  );
  const frames = (['base', 'tool'] as const).map((name) =>
    button(name, () => {
      jogger.release();
      frame = name;
      for (const other of frames) other.setAttribute('aria-pressed', String(other.textContent === name));
    }),
  );
  frames[0]!.setAttribute('aria-pressed', 'true');
  frames[1]!.setAttribute('aria-pressed', 'false');
  const axes = h('div', { class: 'row', role: 'group', 'aria-label': 'Axes of' }, h('span', {}, 'axes of'), ...frames);
  return cardOf('Tool, while held', springs, () => twist.fill(0), axes);
}

function cardOf(
  title: string,
  springs: readonly Spring[],
  forget: () => void,
  ...options: readonly HTMLElement[]
): JogCard {
  return {
    element: h(
      'section',
      { class: 'card', 'aria-label': title },
      h('div', { class: 'row between' }, h('h2', {}, title), ...options),
      h('div', { class: 'springs' }, ...springs.map(({ element }) => element)),
    ),
    rest() {
      forget();
      for (const each of springs) each.rest();
    },
  };
}
