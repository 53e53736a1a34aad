import { h, setText } from '../dom.ts';
import type { Store } from '../store.ts';
import { milliseconds } from '../units.ts';

/**
 * Periods of the control loop over the last 10 s. Heights are logarithmic: one late cycle among two thousand is what a person
 * looks for.
 */
export function histogram(store: Store): HTMLElement {
  const bars = h('div', { class: 'bars', role: 'img', 'aria-label': 'Periods of the control loop' });
  const middle = h('span', {});
  const end = h('span', {});
  const summary = h('p', { class: 'about' });
  const card = h(
    'section',
    { class: 'card', 'aria-label': 'Periods' },
    h('h2', {}, 'Periods of the loop', h('small', {}, 'last 10 s')),
    bars,
    h('div', { class: 'scale', 'aria-hidden': 'true' }, h('span', {}, '0'), middle, end),
    summary,
  );
  store.on(['loop'], () => {
    const frame = store.loop;
    if (frame === null || card.offsetParent === null) return;
    const { counts, width } = frame.period_histogram;
    while (bars.children.length < counts.length) bars.append(h('i', {}));
    const most = Math.log1p(Math.max(1, ...counts));
    const late = Math.ceil((1.5 * counts.length) / 2);
    for (const [i, count] of counts.entries()) {
      const bar = bars.children[i] as HTMLElement;
      bar.style.height = `${(100 * Math.log1p(count)) / most}%`;
      bar.classList.toggle('late', i >= late);
    }
    const { p50, p99, longest } = frame.periods.recent;
    setText(middle, milliseconds((counts.length / 2) * width));
    setText(end, `${milliseconds(counts.length * width)} and more`);
    const text = `median ${milliseconds(p50)} · 99 % ${milliseconds(p99)} · longest ${milliseconds(longest)}`;
    setText(summary, text);
    bars.setAttribute('aria-label', `Periods of the control loop: ${text}`);
  });
  return card;
}
