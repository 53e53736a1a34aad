import type { Chart } from '../chart.ts';
import { h, setText } from '../dom.ts';
import type { Store } from '../store.ts';
import { degrees, measure } from '../units.ts';

/** A joint of leader and follower over time. @param spoken names of joints for people */
export function curves(store: Store, spoken: (name: string) => string): HTMLElement {
  const host = h('div', { class: 'chart', role: 'img', 'aria-label': 'Angle of the joint over the last seconds' });
  const joint = h('select', { 'aria-label': 'Joint' });
  const pairChoice = h('select', { 'aria-label': 'Pair', hidden: true });
  const apart = h('span', { class: 'quiet' });
  let chart: Chart | null = null;
  import('../chart.ts')
    .then(({ Chart }) => {
      chart = new Chart(host, [
        { name: 'leader', colour: 'var(--accent)' },
        { name: 'follower', colour: 'var(--goal)' },
      ]);
    })
    .catch(() => setText(host, 'The curves could not be loaded.'));
  for (const choice of [joint, pairChoice]) choice.addEventListener('change', () => chart?.clear());
  store.on(['pairs'], () => {
    const names = store.pairs.map(({ leader, follower }) => `${leader} → ${follower}`);
    if (names.join() === [...pairChoice.options].map(({ text }) => text).join()) return;
    pairChoice.replaceChildren(...names.map((name) => h('option', {}, name)));
    pairChoice.hidden = names.length < 2;
  });
  store.on(['models'], () => {
    const names = [...new Set(store.arms.flatMap((arm) => arm.joints.map(({ name }) => name)))];
    joint.replaceChildren(...names.map((name) => h('option', { value: name }, spoken(name))));
  });
  /** Angle of the chosen joint, degrees. */
  const angleOf = (name: string | undefined): number | null => {
    const info = store.arms.find((arm) => arm.name === name);
    const index = info?.joints.findIndex((each) => each.name === joint.value) ?? -1;
    const angle = info === undefined ? null : store.frames.get(info.id)?.joints.position[index];
    return typeof angle === 'number' ? degrees(angle) : null;
  };
  store.on(['arms'], () => {
    const pair = store.pairs[Math.max(pairChoice.selectedIndex, 0)];
    const angles = [angleOf(pair?.leader ?? store.arms[0]?.name), angleOf(pair?.follower ?? store.arms[1]?.name)];
    chart?.add(store.time, angles);
    const [leader = null, follower = null] = angles;
    setText(apart, leader === null || follower === null ? '' : `apart ${measure(follower - leader, 1, '°')}`);
  });
  const key = (name: string): HTMLElement => h('span', { class: `key ${name}` }, name);
  return h(
    'section',
    { class: 'card', 'aria-label': 'Curves' },
    h('div', { class: 'row' }, h('h2', {}, 'Curves'), pairChoice, joint),
    h('div', { class: 'row legend' }, key('leader'), key('follower'), apart),
    host,
  );
}
