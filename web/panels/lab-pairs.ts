import type { Schemas } from '../../clients/typescript/src/bridge.ts';
import { command } from '../api.ts';
import { block, button, h, isOn, setText, showRows, toggle } from '../dom.ts';
import { type LabArm, type LabPair, labArms, labPairs, pairOf } from '../lab.ts';
import { whyNoControl, whyTaken } from '../reasons.ts';
import type { Store } from '../store.ts';

const keyOf = ({ bridge, arm }: LabArm): string => JSON.stringify([bridge, arm]);

/** A choice of one of the arms; what is chosen stays so while arms come and go. */
class ArmChoice {
  readonly element: HTMLSelectElement;
  #keys = '';

  constructor(label: string) {
    this.element = h('select', { 'aria-label': label });
  }

  /** @param first place of the arm that is chosen until a person chooses */
  show(arms: readonly LabArm[], first: number): void {
    const { element } = this;
    const keys = JSON.stringify(arms.map(keyOf));
    if (keys !== this.#keys) {
      const chosen = element.value;
      this.#keys = keys;
      element.replaceChildren(...arms.map((arm) => h('option', { value: keyOf(arm) }, arm.text)));
      const kept = arms.find((arm) => keyOf(arm) === chosen) ?? arms[first] ?? arms.at(-1);
      if (kept !== undefined) element.value = keyOf(kept);
    }
    for (const [i, arm] of arms.entries()) setText(element.options[i]!, arm.text);
  }

  /** As requests name it. */
  get arm(): { readonly bridge: string | null; readonly arm: string } {
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
  const leader = new ArmChoice('Leader in the laboratory');
  const follower = new ArmChoice('Follower in the laboratory');
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
    // Nothing can be chosen before the bridges have been heard.
    const running = leader.element.value === '' ? undefined : pairOf(shown, [leader.arm, follower.arm]);
    block(starting, whyNoControl(store) || (running === undefined ? '' : whyTaken(running)));
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
      leader.show(arms, 0);
      follower.show(arms, 1);
      shown = labPairs(answer);
      showRows(pairs, shown, pairRow);
      allow();
    },
  };
}
