import { button, byId, h } from './dom.ts';

/** Time that a message stays, ms; faults and questions stay until they are closed. */
const STAYS = 6000;
const MOST = 4;

/** Tells what became of a command, or asks something. @param act what can be done about it, as a label and an action */
export function notice(
  kind: 'done' | 'fault' | 'ask',
  text: string,
  act?: { readonly label: string; readonly run: () => void },
): void {
  const list = byId('notices');
  const item = h('div', { class: `notice ${kind}` }, h('p', {}, text));
  const close = (): void => item.remove();
  if (act !== undefined) {
    const run = (): void => {
      close();
      act.run();
    };
    item.append(button(act.label, run));
  }
  item.append(button('×', close, { class: 'close', 'aria-label': 'Close this message' }));
  for (const same of [...list.children]) if (same.querySelector('p')?.textContent === text) same.remove();
  list.append(item);
  while (list.children.length > MOST) list.firstElementChild?.remove();
  if (kind === 'done') setTimeout(close, STAYS);
}
