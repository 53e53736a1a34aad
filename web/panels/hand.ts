import { button, h, setText } from '../dom.ts';
import type { Hand, Hands } from '../hand.ts';
import { whyNoControl } from '../reasons.ts';
import type { Store } from '../store.ts';
import { spoken } from '../units.ts';

const STEPS = 400;
const HOW = 'Or drag its links in the picture. The hand holds what it has led until it lets go.';
const WHY_NOT = 'This arm holds itself. It can be led while it is limp or floats.';

/** Sliders by which the hand leads the joints of an arm. */
export function handSliders(hand: Hand, store: Store): { readonly element: HTMLElement; show(): void } {
  const { info } = hand;
  const inputs = info.joints.map(({ name, lower, upper }, i) => {
    const step = (upper - lower) / STEPS;
    const attributes = { type: 'range', min: lower, max: upper, step, 'aria-label': `Lead ${spoken(name)} by hand` };
    const input = h('input', attributes);
    input.addEventListener('input', () => hand.lead(i, Math.min(Math.max(Number(input.value), lower), upper)));
    return input;
  });
  const rows = info.joints.map(({ name }, i) =>
    h('div', { class: 'spring-row' }, h('span', { 'aria-hidden': 'true' }, spoken(name)), inputs[i]!),
  );
  const about = h('p', { class: 'about' });
  const fields = h(
    'fieldset',
    {},
    ...rows,
    h(
      'div',
      { class: 'row' },
      button('Let go', () => hand.letGo()),
    ),
  );
  return {
    element: h('div', {}, about, fields),
    show() {
      const none = whyNoControl(store);
      fields.disabled = none !== '' || !hand.yields;
      setText(about, none || (hand.yields ? HOW : WHY_NOT));
      const position = store.frames.get(info.id)?.joints.position;
      for (const [i, input] of inputs.entries()) {
        const angle = hand.goal(i) ?? position?.[i];
        if (typeof angle === 'number' && document.activeElement !== input) input.value = String(angle);
      }
    },
  };
}

/** A hand on simulated arms, one at a time: what a person does to a real leader. Empty where no arm is simulated. */
export function handPanel(store: Store, hands: Hands): HTMLElement {
  const choice = h('select', { 'aria-label': 'Arm that is led' });
  const body = h('div', {});
  const card = h(
    'section',
    { class: 'card', 'aria-label': 'Hand', hidden: true },
    h('div', { class: 'row' }, h('h2', {}, 'Hand on', h('small', {}, 'in simulation')), choice),
    body,
  );
  let shown: ReturnType<typeof handSliders> | null = null;
  const simulated = (): readonly Hand[] => store.arms.flatMap((arm) => hands.of(arm) ?? []);
  const choose = (): void => {
    const hand = simulated()[choice.selectedIndex];
    shown = hand === undefined ? null : handSliders(hand, store);
    body.replaceChildren(...(shown === null ? [] : [shown.element]));
    shown?.show();
  };
  choice.addEventListener('change', choose);
  store.on(['models'], () => {
    choice.replaceChildren(...simulated().map(({ info }) => h('option', {}, info.name)));
    card.hidden = choice.options.length === 0;
    choose();
  });
  store.on(['arms', 'connection', 'hello'], () => {
    if (card.offsetParent !== null) shown?.show();
  });
  return card;
}
