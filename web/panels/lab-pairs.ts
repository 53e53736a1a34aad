import type { Schemas } from '../../clients/typescript/src/bridge.ts';
import { command } from '../api.ts';
import { block, button, h, isOn, setText, showRows, toggle } from '../dom.ts';
import { type LabArm, type LabPair, labArms, labPairs, likelyLabPair, pairOf } from '../lab.ts';
import { whyNotChosen } from '../likely-pair.ts';
import { whyNoControl, whyTaken } from '../reasons.ts';
import type { Store } from '../store.ts';

const keyOf = ({ bridge, arm }: LabArm): string => JSON.stringify([bridge, arm]);

/** A choice of one of the arms; what is chosen stays so while arms come and go. */
class ArmChoice {
  readonly element: HTMLSelectElement;
  readonly #none: string;
  #keys = '';

  /** @param part of the arm in the pair */
  constructor(part: 'leader' | 'follower') {
    this.#none = `choose the ${part}`;
    this.element = h('select', { 'aria-label': `${part === 'leader' ? 'Leader' : 'Follower'} in the laboratory` });
  }

  /** @param likely is chosen until a person chooses; undefined: nothing is */
  show(arms: readonly LabArm[], likely: LabArm | undefined): void {
    const { element } = this;
    const keys = JSON.stringify(arms.map(keyOf));
    if (keys !== this.#keys) {
      const chosen = element.value === '' ? likely && keyOf(likely) : element.value;
      this.#keys = keys;
      element.replaceChildren(
        h('option', { value: '' }, this.#none),
        ...arms.map((arm) => h('option', { value: keyOf(arm), selected: keyOf(arm) === chosen }, arm.text)),
      );
    }
    for (const [i, arm] of arms.entries()) setText(element.options[i + 1]!, arm.text);
  }

  /** As requests name it; null: nothing is chosen. */
  get arm(): { readonly bridge: string | null; readonly arm: string } | null {
    if (this.element.value === '') return null;
    const [bridge, arm] = JSON.parse(this.element.value) as [string | null, string];
    return { bridge, arm };
  }
}

function pairRow({ bridge, follower, text, runs }: LabPair): HTMLElement {
  const end = (): void =>
    void command(
      { name: 'The end', path: '/api/v1/bridges/pairs/end', body: { bridge, follower } },
      'The follower holds.',
    );
  return h(
    'div',
    { class: 'row' },
    h('span', {}, text),
    ...(runs ? [button('End', end, { 'aria-label': `End the pair of ${follower}` })] : []),
  );
}

/** Pairs of any two arms of the laboratory: those that there are, and a new one. */
export function labPairing(store: Store): {
  readonly element: HTMLElement;
  show(answer: Schemas['BridgesAnswer']): void;
} {
  const leader = new ArmChoice('leader');
  const follower = new ArmChoice('follower');
  const gravity = toggle('Hold the weight of the leader');
  const pairs = h('div', {});
  const start = (): void =>
    void command(
      {
        name: 'The start',
        path: '/api/v1/bridges/pairs/start',
        body: { leader: leader.arm, follower: follower.arm, enable_gravity_compensation: isOn(gravity) },
      },
      'The follower goes slowly to its leader, then follows.',
    );
  const starting = button('Start the pair', start);
  let shown: readonly LabPair[] = [];
  const allow = (): void => {
    const missing = whyNotChosen(leader.arm !== null, follower.arm !== null);
    const running = pairOf(
      shown,
      [leader.arm, follower.arm].filter((arm) => arm !== null),
    );
    block(starting, whyNoControl(store) || missing || (running === undefined ? '' : whyTaken(running)));
  };
  store.on(['connection', 'hello'], allow);
  return {
    element: h(
      'div',
      { role: 'group', 'aria-label': 'Pairs of all bridges', onchange: allow },
      pairs,
      h('div', { class: 'row pair' }, leader.element, h('span', { 'aria-hidden': 'true' }, '→'), follower.element),
      gravity,
      h('div', { class: 'row' }, starting),
    ),
    show(answer) {
      const arms = labArms(answer);
      shown = labPairs(answer);
      const likely = likelyLabPair(arms, shown);
      leader.show(arms, likely.leader);
      follower.show(arms, likely.follower);
      showRows(pairs, shown, pairRow);
      allow();
    },
  };
}
