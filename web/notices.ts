import { button, byId, h } from './dom.ts';
import type { Store } from './store.ts';
import { withoutRoutes } from './words.ts';

/** Time that a message stays, ms; faults and questions stay until they are closed, or their cause is gone. */
const STAYS = 6000;
const MOST = 4;
export interface Way {
  readonly label: string;
  readonly run: () => void;
}

export interface About {
  /** What can be done about it, the best first. */
  readonly ways?: readonly Way[];
  /** What it is about: a newer word about the same takes its place. */
  readonly about?: string;
  /** Whether its cause is gone. */
  readonly gone?: ((store: Store) => boolean) | undefined;
}

const shown = new Map<Element, About>();

/** Tells what became of a command, or asks whether one is meant. */
export function notice(kind: 'done' | 'fault' | 'ask', text: string, about: About = {}): void {
  const said = withoutRoutes(text);
  const list = byId('notices');
  const item = h('div', { class: `notice ${kind}` }, h('p', {}, said));
  const close = (): void => remove(item);
  for (const [i, way] of (about.ways ?? []).entries()) {
    const run = (): void => {
      close();
      way.run();
    };
    item.append(button(way.label, run, { class: i === 0 ? 'main' : '' }));
  }
  item.append(button('×', close, { class: 'close', 'aria-label': 'Close this message' }));
  for (const same of [...list.children]) if (same.querySelector('p')?.textContent === said) remove(same);
  if (about.about !== undefined) forget(about.about);
  list.append(item);
  shown.set(item, about);
  while (list.children.length > MOST) remove(list.firstElementChild!);
  if (kind === 'done') setTimeout(close, STAYS);
}

/** What was said about something counts no more. */
export function forget(about: string): void {
  for (const [item, { about: its }] of shown) if (its === about) remove(item);
}

/** Takes away the messages whose cause is gone. */
export function clearNotices(store: Store): void {
  for (const [item, { gone }] of shown) if (gone?.(store) === true) remove(item);
}

function remove(item: Element): void {
  shown.delete(item);
  item.remove();
}
