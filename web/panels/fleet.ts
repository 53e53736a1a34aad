import type { Schemas } from '../../clients/typescript/src/bridge.ts';
import { BridgeError } from '../../clients/typescript/src/errors.ts';
import { bridge } from '../bridge.ts';
import { button, h, showRows } from '../dom.ts';
import { armText } from '../lab.ts';
import { notice } from '../notices.ts';
import { allowControl } from '../reasons.ts';
import type { Store } from '../store.ts';
import { labPairing } from './lab-pairs.ts';

/** How often the other bridges are asked for, ms, while the card can be seen, and while there is none. */
const INTERVAL = 2000;
const LOOKING = 10_000;

type Other = Schemas['BridgesAnswer']['others'][number];

function row({ url, state, reason, bridge: told }: Other): HTMLElement {
  const { arms = [], trouble = '', version = '' } = told ?? {};
  const faulty = state !== 'answers' || trouble !== '' || arms.some((arm) => arm.reason !== '');
  const said = state === 'answers' ? trouble : `${state}: ${reason}`;
  const name = told?.name ?? url;
  const link = h('a', { href: url, target: '_blank', rel: 'noopener', 'aria-label': `Page of ${name}` }, name);
  return h(
    'tr',
    { class: faulty ? 'fault' : '' },
    h('th', { scope: 'row' }, link),
    h('td', {}, ...(said === '' ? [] : [h('p', {}, said)]), ...arms.map((arm) => h('p', {}, armText(arm)))),
    h('td', {}, version),
  );
}

/** The other bridges of the laboratory with their arms, pairs of these, and one stop for all; not seen where there is none. */
export function fleetCard(store: Store): HTMLElement {
  const rows = h('tbody', {});
  const titles = ['Bridge', 'arms', 'version'];
  const stop = button('Stop all bridges', () => void stopAll());
  const pairing = labPairing(store);
  const controls = h('fieldset', { class: 'panel', disabled: true }, pairing.element);
  const card = h(
    'section',
    { class: 'card', 'aria-label': 'All bridges', hidden: true },
    h('h2', {}, 'All bridges'),
    h('table', {}, h('thead', {}, h('tr', {}, ...titles.map((title) => h('th', { scope: 'col' }, title)))), rows),
    stop,
    controls,
  );
  store.on(['connection', 'hello'], () => allowControl(controls, store));
  let asked = 0;
  const ask = async (): Promise<void> => {
    const due = card.hidden ? LOOKING : INTERVAL;
    if (document.hidden || store.connection !== 'live' || performance.now() - asked < due) return;
    asked = performance.now();
    try {
      const answer = await bridge.bridges();
      const { others } = answer;
      card.hidden = others.length === 0;
      showRows(rows, others, row);
      pairing.show(answer);
    } catch {
      // The header says that there is no connection.
    }
  };
  setInterval(() => void ask(), INTERVAL);
  store.on(['hello'], () => void ask());
  return card;
}

async function stopAll(): Promise<void> {
  try {
    const { message } = await bridge.stopAll();
    notice('done', message ?? 'Stopped.');
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    notice('fault', `${error.message} Use the power switches of those.`);
  }
}
