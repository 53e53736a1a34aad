import { command } from './api.ts';
import { button, byId, h, setText } from './dom.ts';
import type { Store } from './store.ts';

const CONNECTION = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
  denied: 'Token needed',
} as const;

/** Header and banner: whether what is shown is true, who may act, and which arms are stopped. */
export function showShell(store: Store): void {
  const status = byId('connection');
  const banner = byId('banner');
  let shown = '';

  const show = (): void => {
    const stopped = store.arms.filter(({ id }) => store.frames.get(id)?.state === 'stopped');
    const readOnly = store.connection === 'live' && !store.mayControl;
    document.body.dataset.connection = store.connection;
    document.body.dataset.access = store.mayControl ? 'control' : 'read';
    document.body.dataset.arms = stopped.length > 0 ? 'stopped' : 'free';
    setText(status, readOnly ? 'Live, read only' : CONNECTION[store.connection]);

    const text =
      store.connection === 'lost'
        ? 'The connection to the bridge is lost. What you see is old. Arms that were jogged from here hold by themselves.'
        : stopped.length > 0
          ? `Stopped: ${stopped.map(({ name }) => name).join(', ')}. ${store.frames.get(stopped[0]!.id)?.reason ?? ''}`
          : readOnly
            ? 'Read only: this token may look, not move. Stop works all the same.'
            : '';
    // An alert is read aloud with each change: it changes only when it says something else.
    const key = `${store.connection} ${text}`;
    if (key === shown) return;
    shown = key;
    banner.hidden = text === '';
    banner.replaceChildren(h('p', {}, text));
    if (stopped.length > 0 && store.mayControl) {
      const reset = async (): Promise<void> => {
        const { ok } = await command({ path: '/stop/reset' }, 'Reset: the arms hold, and nothing moves by itself.');
        if (ok) window.dispatchEvent(new Event('arm-bridge-reset'));
      };
      banner.append(button('Reset', () => void reset(), { id: 'reset' }));
    }
  };
  store.on(['connection', 'hello', 'arms'], show);
}

/** Light or dark: as the system says until the button is pressed, then as the button says, also next time. */
export function offerTheme(): void {
  const key = 'arm-bridge-theme';
  const root = document.documentElement;
  const apply = (theme: string | null): void => {
    root.style.colorScheme = theme ?? 'light dark';
  };
  apply(localStorage.getItem(key));
  byId('theme').addEventListener('click', () => {
    const dark = root.style.colorScheme.includes(' ')
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : root.style.colorScheme === 'dark';
    const theme = dark ? 'light' : 'dark';
    localStorage.setItem(key, theme);
    apply(theme);
    window.dispatchEvent(new Event('arm-bridge-theme'));
  });
}
