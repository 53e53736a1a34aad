import { command } from '../api.ts';
import { button, h, setText } from '../dom.ts';
import type { PairFrame } from '../protocol.ts';
import type { Store } from '../store.ts';
import { measure, milliseconds, spoken } from '../units.ts';
import { curves } from './curves.ts';
import { hand } from './hand.ts';

/** Share of the weight that is held unless somebody says otherwise, percent. */
const GRAVITY = { shoulder: 100, elbow: 50, wrist: 10 } as const;

function toggle(label: string): HTMLButtonElement {
  const element = button(
    label,
    () => {
      element.setAttribute('aria-pressed', String(element.getAttribute('aria-pressed') !== 'true'));
    },
    { 'aria-pressed': 'false' },
  );
  return element;
}

const isOn = (element: HTMLElement): boolean => element.getAttribute('aria-pressed') === 'true';

function pairRow(pair: PairFrame): HTMLElement {
  return h(
    'tr',
    { 'data-pair': `${pair.leader} ${pair.follower}`, 'data-state': pair.state },
    h('th', { scope: 'row' }, `${pair.leader} → ${pair.follower}`),
    h('td', {}, pair.state),
    h('td', {}, measure(pair.rate, 0, ' Hz')),
    h('td', {}, milliseconds(pair.latency)),
  );
}

/** Live state of the pairs. */
function pairsCard(store: Store): HTMLElement {
  const rows = h('tbody', {});
  const reason = h('p', { class: 'about' });
  store.on(['pairs'], () => {
    rows.replaceChildren(...store.pairs.map(pairRow));
    const faults = store.pairs.map((pair) => pair.reason).filter((text) => text !== '');
    setText(reason, [...new Set([...faults, store.mirrorReason])].filter((text) => text !== '').join(' '));
  });
  const head = ['Pair', 'State', 'Rate', 'Latency'].map((title) => h('th', { scope: 'col' }, title));
  return h(
    'section',
    { class: 'card', 'aria-label': 'Pairs' },
    h('h2', {}, 'Pairs'),
    h('table', {}, h('thead', {}, h('tr', {}, ...head)), rows),
    reason,
  );
}

/** Start and stop of leader-follower control. */
function startCard(store: Store): HTMLElement {
  const choose = (label: string) => h('select', { 'aria-label': label });
  const leader = choose('Leader');
  const follower = choose('Follower');
  const gravity = toggle('Hold the weight of the leader');
  const invert = toggle('Mirror left and right');
  const align = h(
    'select',
    { 'aria-label': 'Who goes to whom first' },
    h('option', { value: '' }, 'as configured'),
    h('option', { value: 'follower' }, 'the follower'),
    h('option', { value: 'leader' }, 'the leader, by itself'),
  );
  const shares = Object.entries(GRAVITY).map(([name, value]) => {
    const shown = h('output', {}, `${value} %`);
    const input = h('input', {
      type: 'range',
      name,
      min: 0,
      max: 100,
      step: 5,
      value,
      'aria-label': `Weight held at the ${name}`,
    });
    input.addEventListener('input', () => setText(shown, `${input.value} %`));
    return {
      input,
      row: h('div', { class: 'spring-row share' }, h('span', { 'aria-hidden': 'true' }, name), input, shown),
    };
  });
  store.on(['models'], () => {
    const options = () => store.arms.map(({ id, name }) => h('option', { value: id }, name));
    leader.replaceChildren(...options());
    follower.replaceChildren(...options());
    follower.selectedIndex = Math.min(1, store.arms.length - 1);
  });
  let preset = false;
  store.on(['pairs'], () => {
    const pair = store.pairs[0];
    if (preset || pair === undefined) return;
    preset = true;
    const idOf = (name: string): string => String(store.arms.find((arm) => arm.name === name)?.id ?? '');
    leader.value = idOf(pair.leader);
    follower.value = idOf(pair.follower);
  });
  const start = (): void => {
    const body = {
      robot_pairs: [{ leader_id: Number(leader.value), follower_id: Number(follower.value) }],
      enable_gravity_compensation: isOn(gravity),
      gravity_compensation_values: Object.fromEntries(shares.map(({ input }) => [input.name, Number(input.value)])),
      invert_controls: isOn(invert),
      ...(align.value === '' ? {} : { align: align.value }),
    };
    void command({ path: '/move/leader/start', body }, 'The follower goes to its leader, then follows.');
  };
  const end = (): void => void command({ path: '/move/leader/stop' }, 'The follower holds.');
  return h(
    'section',
    { class: 'card', 'aria-label': 'Leader and follower' },
    h('h2', {}, 'Leader and follower'),
    h('div', { class: 'row' }, leader, h('span', { 'aria-hidden': 'true' }, '→'), follower),
    h('div', { class: 'row' }, gravity, invert),
    ...shares.map(({ row }) => row),
    h('div', { class: 'row' }, h('span', {}, 'First goes'), align),
    h('div', { class: 'row' }, button('Start', start, { class: 'main' }), button('End', end)),
  );
}

/** Teleoperation: pairs, their start and end, curves of a joint, and the hand on a simulated leader. */
export function teleoperationPanel(store: Store): HTMLElement {
  const fieldset = h('fieldset', { class: 'panel', disabled: true }, startCard(store));
  const hands = h('fieldset', { class: 'panel', disabled: true });
  store.on(['models'], () => {
    const simulated = store.arms.filter((arm) => arm.simulated);
    hands.replaceChildren(...simulated.slice(0, 1).map((arm) => hand(arm, store)));
  });
  store.on(['connection', 'hello'], () => {
    fieldset.disabled = !store.mayControl;
    hands.disabled = !store.mayControl;
  });
  return h('div', { class: 'panel' }, fieldset, pairsCard(store), curves(store, spoken), hands);
}
