import { command } from '../api.ts';
import { h, setText } from '../dom.ts';
import type { PairFrame } from '../protocol.ts';
import type { Store } from '../store.ts';
import { measure, spoken } from '../units.ts';

const PARTS = { arm: 'the arm', gripper: 'the gripper' } as const;
type Part = keyof typeof PARTS;

const LIMP =
  'A leader feels while it floats: press End, switch “Hold the weight of the leaders” on, and start again. The bars show what pushes either way.';
const FLOATING = 'How much of what pushes the follower the leader pushes back with. 0 %: nothing.';

/** What the bars of an arm show: a leader that floats pushes a hand, all others are pushed. */
const told = (name: string, floats: boolean): string =>
  floats ? `What ${name} pushes the hand with` : `What pushes ${name} from outside`;

const isFloating = (store: Store, leader: string): boolean => {
  const info = store.arms.find(({ name }) => name === leader);
  return info !== undefined && store.frames.get(info.id)?.state === 'floating';
};

/** Bars of what pushes the joints of followers, and of what floating leaders push the hand with. */
function bars(store: Store): { readonly element: HTMLElement; show(pairs: readonly PairFrame[]): void } {
  const element = h('div', {});
  let shown = '';
  let rows: {
    readonly id: number;
    readonly joint: number;
    readonly bar: HTMLMeterElement;
    readonly text: HTMLElement;
  }[] = [];
  const build = (followers: readonly string[], leaders: readonly string[]): void => {
    rows = [];
    const lists = store.arms
      .filter(({ name }) => followers.includes(name) || leaders.includes(name))
      .flatMap(({ id, name, joints }) => [
        h('h3', {}, `${told(name, leaders.includes(name))}, Nm`),
        ...joints.map((joint, i) => {
          const label = `${told(name, leaders.includes(name))}: ${spoken(joint.name)}`;
          const bar = h('meter', { min: 0, max: joint.torque_limit / 2, value: 0, 'aria-label': label });
          const text = h('output', {}, '–');
          rows.push({ id, joint: i, bar, text });
          return h(
            'div',
            { class: 'spring-row share' },
            h('span', { 'aria-hidden': 'true' }, spoken(joint.name)),
            bar,
            text,
          );
        }),
      ]);
    element.replaceChildren(...lists);
  };
  return {
    element,
    show(pairs) {
      const followers = pairs.map(({ follower }) => follower);
      const leaders = pairs.flatMap(({ leader }) => (isFloating(store, leader) ? [leader] : []));
      const key = JSON.stringify([followers, leaders, store.arms.map(({ name }) => name)]);
      if (key !== shown) build(followers, leaders);
      shown = key;
      for (const { id, joint, bar, text } of rows) {
        const torque = store.frames.get(id)?.joints.external[joint] ?? null;
        bar.value = Math.abs(torque ?? 0);
        setText(text, measure(torque, 2, ''));
      }
    },
  };
}

interface FeelSlider {
  readonly part: Part;
  readonly input: HTMLInputElement;
  readonly row: HTMLElement;
  /** 0..1 */
  readonly value: () => number;
  readonly show: (value: number) => void;
}

/** A slider for each part of what a leader feels. @param more said at the end of their names */
export function feelSliders(more = ''): readonly FeelSlider[] {
  return (Object.keys(PARTS) as Part[]).map((part) => {
    const shown = h('output', {}, '0 %');
    const label = `Force feedback of ${PARTS[part]}${more}`;
    const input = h('input', { type: 'range', min: 0, max: 100, step: 10, value: 0, 'aria-label': label });
    input.addEventListener('input', () => setText(shown, `${input.value} %`));
    return {
      part,
      input,
      row: h('div', { class: 'spring-row share' }, h('span', { 'aria-hidden': 'true' }, part), input, shown),
      value: () => Number(input.value) / 100,
      show: (value) => {
        const percent = Math.round(100 * value);
        input.value = String(percent);
        setText(shown, `${percent} %`);
      },
    };
  });
}

interface FeelGroup {
  readonly element: HTMLFieldSetElement;
  show(pair: PairFrame): void;
}

/** Sliders of what the leader of one follower feels. @param names of both arms, where there are more pairs; else '' */
function feelGroup(store: Store, follower: string, names: string): FeelGroup {
  const sliders = feelSliders(names === '' ? '' : `, ${names}`);
  const title = names === '' ? [] : [h('legend', {}, names)];
  const element = h('fieldset', {}, ...title, ...sliders.map(({ row }) => row));
  /** Parts whose slider a person moves, and those asked for and not answered yet. */
  const moving = new Set<Part>();
  const asked: Part[] = [];
  let last: PairFrame | null = null;
  const show = ({ part, show: put }: FeelSlider): void => {
    if (last !== null && !moving.has(part) && !asked.includes(part)) put(last.force_feedback[part]);
  };
  const ask = async (slider: FeelSlider): Promise<void> => {
    const { part } = slider;
    asked.push(part);
    const id = store.arms.find(({ name }) => name === follower)?.id;
    const body = { follower_id: id, force_feedback: { [part]: slider.value() } };
    const { ok } = await command({ name: 'Force feedback', path: '/teleop/settings', body });
    asked.splice(asked.indexOf(part), 1);
    if (!ok) show(slider);
  };
  for (const slider of sliders) {
    slider.input.addEventListener('input', () => moving.add(slider.part));
    // A slider that is back where it was changes nothing.
    for (const end of ['pointerup', 'blur', 'change'])
      slider.input.addEventListener(end, () => moving.delete(slider.part));
    slider.input.addEventListener('change', () => void ask(slider));
  }
  return {
    element,
    show(pair) {
      last = pair;
      element.disabled = !isFloating(store, pair.leader);
      for (const slider of sliders) show(slider);
    },
  };
}

/** What leaders are let feel of their followers, while these follow. */
export function feelCard(store: Store): HTMLElement {
  const about = h('p', { class: 'about' });
  const pushes = bars(store);
  const fields = h('div', {});
  const groups = new Map<string, FeelGroup>();
  let shown = '';
  const build = (pairs: readonly PairFrame[]): void => {
    const key = JSON.stringify(pairs.map(({ leader, follower }) => [leader, follower]));
    if (key === shown) return;
    shown = key;
    groups.clear();
    for (const { leader, follower } of pairs)
      groups.set(follower, feelGroup(store, follower, pairs.length > 1 ? `${leader} → ${follower}` : ''));
    fields.replaceChildren(...[...groups.values()].map(({ element }) => element));
  };
  const card = h(
    'section',
    { class: 'card', 'aria-label': 'Force feedback', hidden: true },
    h('h2', {}, 'Force feedback'),
    about,
    fields,
    pushes.element,
  );
  store.on(['pairs', 'frames', 'models'], () => {
    const pairs = store.pairs.filter(({ state }) => state !== 'idle');
    card.hidden = pairs.length === 0;
    if (card.hidden || card.offsetParent === null) return;
    build(pairs);
    setText(about, pairs.some(({ leader }) => isFloating(store, leader)) ? FLOATING : LIMP);
    for (const pair of pairs) groups.get(pair.follower)!.show(pair);
    pushes.show(pairs);
  });
  return card;
}
