import { resetStop } from './api.ts';
import { button, byId, h, setText } from './dom.ts';
import type { ArmFrame, ArmInfo } from './protocol.ts';
import type { Store } from './store.ts';
import { sentence, withoutRoutes } from './words.ts';

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
  const busy = byId('busy');
  const said = h('p', {});
  const reset = button('Reset', () => void resetStop(), { id: 'reset', hidden: true });
  banner.replaceChildren(said, reset);
  let shown = '';

  const show = (): void => {
    const stopped = store.arms.filter(({ id }) => store.frames.get(id)?.state === 'stopped');
    const readOnly = store.connection === 'live' && !store.mayControl;
    document.body.dataset.connection = store.connection;
    document.body.dataset.access = store.mayControl ? 'control' : 'read';
    document.body.dataset.arms = stopped.length > 0 ? 'stopped' : 'free';
    const trouble = store.connection === 'live' ? (store.loop?.trouble ?? '') : '';
    document.body.dataset.computer = trouble === '' ? 'free' : 'busy';
    setText(busy, trouble === '' ? '' : 'Computer too busy');
    busy.title = trouble === '' ? '' : `${trouble[0]!.toUpperCase()}${trouble.slice(1)}. End other programs on it.`;
    setText(status, readOnly ? 'Live, read only' : CONNECTION[store.connection]);

    const text =
      store.connection === 'lost'
        ? 'The connection to the bridge is lost. What you see is old. Arms that were jogged from here hold by themselves.'
        : stopped.length > 0
          ? `Stopped: ${stopped.map(({ name }) => name).join(', ')}. ${sentence(withoutRoutes(store.frames.get(stopped[0]!.id)?.reason ?? ''))}`
          : readOnly
            ? 'Read only: this token may look, not move. Stop works all the same.'
            : '';
    // The button stays the same one: somebody may be about to press it.
    reset.hidden = stopped.length === 0 || !store.mayControl;
    // An alert is read aloud with each change: it changes only when it says something else.
    const key = `${store.connection} ${text}`;
    if (key === shown) return;
    shown = key;
    banner.hidden = text === '';
    setText(said, text);
  };
  store.on(['connection', 'hello', 'arms', 'loop'], show);
}

/** Frames in a row without a stopped arm before a reset counts: after a stop some that are older may still come. */
const RELEASED = 15;

/** Tells the stop that what was stopped has been let go, by whomever. */
export function tellReset(store: Store): void {
  let [stopped, free] = [false, 0];
  window.addEventListener('arm-bridge-stop', () => {
    [stopped, free] = [false, 0];
  });
  store.on(['frames'], () => {
    const states = [...store.frames.values()].map(({ state }) => state);
    if (states.includes('stopped')) [stopped, free] = [true, 0];
    else if (stopped && states.some((state) => state !== 'disconnected')) free += 1;
    if (free < RELEASED) return;
    [stopped, free] = [false, 0];
    window.dispatchEvent(new Event('arm-bridge-reset'));
  });
}

/** Name, state, torque and owner of an arm, in a line of the header. */
function armMark(info: ArmInfo): { readonly element: HTMLElement; show(frame: ArmFrame, client: string): void } {
  const torque = h('span', { class: 'torque' });
  const owner = h('small', {});
  const element = h('li', { 'data-mark': info.name }, h('strong', {}, info.name), torque, owner);
  return {
    element,
    show({ state, torque: holds, owner: has }, client) {
      element.dataset.state = state;
      // Where a state says more than that it holds, it is said too.
      const said = state === 'connected' || state === 'ready' ? '' : `, ${state}`;
      setText(torque, state === 'disconnected' ? state : `${holds ? 'holds' : 'limp'}${said}`);
      setText(owner, has === null ? 'free' : has === client ? 'yours' : has);
      element.title = `${info.name}: torque ${holds ? 'on' : 'off'}, ${state}; ${has === null ? 'nobody drives it' : `driven by ${has}`}`;
    },
  };
}

/** Which arms hold themselves and who drives them, whatever is shown below. */
export function showMarks(store: Store): void {
  const list = byId('marks');
  let marks: { readonly id: number; readonly mark: ReturnType<typeof armMark> }[] = [];
  store.on(['models'], () => {
    marks = store.arms.map((info) => ({ id: info.id, mark: armMark(info) }));
    list.replaceChildren(...marks.map(({ mark }) => mark.element));
  });
  store.on(['arms'], () => {
    for (const { id, mark } of marks) {
      const frame = store.frames.get(id);
      if (frame !== undefined) mark.show(frame, store.hello?.client ?? '');
    }
  });
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
