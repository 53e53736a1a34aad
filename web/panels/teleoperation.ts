import { h, setText, showRows } from '../dom.ts';
import type { Hands } from '../hand.ts';
import type { PairFrame } from '../protocol.ts';
import { allowControl } from '../reasons.ts';
import type { Store } from '../store.ts';
import { measure, milliseconds, spoken } from '../units.ts';
import { withoutRoutes } from '../words.ts';
import { curves } from './curves.ts';
import { feelCard } from './feel.ts';
import { handPanel } from './hand.ts';
import { histogram } from './histogram.ts';
import { pairingCard } from './pairing.ts';

function pairRow(pair: PairFrame): HTMLElement {
  return h(
    'tr',
    { 'data-pair': `${pair.leader} ${pair.follower}`, 'data-state': pair.state },
    h('th', { scope: 'row' }, `${pair.leader} → ${pair.follower}`),
    h('td', { class: 'pair-state' }, pair.state),
    h('td', {}, measure(pair.rate, 0, ' Hz')),
    h('td', {}, milliseconds(pair.latency)),
  );
}

/** Live state of the pairs. */
function pairsCard(store: Store): HTMLElement {
  const rows = h('tbody', {});
  const reason = h('p', { class: 'about' });
  const none = h('p', { class: 'about' }, 'None yet: choose arms above and press Start.');
  const head = ['Pair', 'State', 'Rate', 'Latency'].map((title) => h('th', { scope: 'col' }, title));
  const table = h('table', { hidden: true }, h('thead', {}, h('tr', {}, ...head)), rows);
  store.on(['pairs'], () => {
    showRows(rows, store.pairs, pairRow);
    table.hidden = store.pairs.length === 0;
    none.hidden = !table.hidden;
    const faults = [...store.pairs.map((pair) => pair.reason), store.mirrorReason].map(withoutRoutes);
    setText(reason, [...new Set(faults)].filter((text) => text !== '').join(' '));
  });
  return h('section', { class: 'card', 'aria-label': 'Pairs' }, h('h2', {}, 'Pairs'), table, none, reason);
}

/** Teleoperation: pairs, their start and end, curves of a joint, the loop's periods, and the hand on simulated arms. */
export function teleoperationPanel(store: Store, hands: Hands): HTMLElement {
  const fieldset = h('fieldset', { class: 'panel', disabled: true }, pairingCard(store), feelCard(store));
  store.on(['connection', 'hello'], () => allowControl(fieldset, store));
  const parts = [pairsCard(store), curves(store, spoken), handPanel(store, hands), histogram(store)];
  return h('div', { class: 'panel' }, fieldset, ...parts);
}
