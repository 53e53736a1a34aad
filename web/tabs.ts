import { byId, h } from './dom.ts';

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly panel: HTMLElement;
}

/** Shows one panel at a time; arrow keys go from tab to tab. @returns what takes the keyboard to a panel by its id */
export function showTabs(tabs: readonly Tab[]): (id: string) => void {
  const list = byId('tabs');
  const buttons = tabs.map(({ id, title, panel }) => {
    panel.id = `panel-${id}`;
    panel.setAttribute('role', 'tabpanel');
    panel.tabIndex = 0;
    panel.setAttribute('aria-labelledby', `tab-${id}`);
    const tab = h('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': panel.id }, title);
    tab.addEventListener('click', () => select(id));
    return tab;
  });
  const select = (id: string): void => {
    for (const [index, tab] of tabs.entries()) {
      const chosen = tab.id === id;
      tab.panel.hidden = !chosen;
      buttons[index]!.setAttribute('aria-selected', String(chosen));
      buttons[index]!.tabIndex = chosen ? 0 : -1;
    }
    byId('panels').scrollTop = 0;
    window.dispatchEvent(new Event('resize'));
  };
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (buttons.indexOf(event.target as HTMLButtonElement) + step + tabs.length) % tabs.length;
    select(tabs[next]!.id);
    buttons[next]!.focus();
  });
  list.replaceChildren(...buttons);
  byId('panels').replaceChildren(...tabs.map(({ panel }) => panel));
  select(tabs[0]!.id);
  return (id) => {
    select(id);
    byId(`tab-${id}`).focus();
  };
}
