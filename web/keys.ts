import { button, byId, h } from './dom.ts';

/** What keys do, in the order in which people need them. */
const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['Esc', 'stops all arms, wherever you are on the page'],
  ['Space', 'stops too, but presses the control that Tab has led to, and is a letter in a field'],
  ['Tab, Shift Tab', 'to the next control, and back'],
  ['Enter', 'presses a button'],
  ['← → ↑ ↓', 'move a slider; go from tab to tab'],
  ['R', 'begins and ends a recording'],
  ['G, B', 'end it as good, as bad'],
  ['X', 'drops it'],
  ['M', 'puts a mark into it'],
  ['T', 'goes to its task'],
  ['F', 'full screen, and back'],
  ['?', 'shows and hides these keys'],
];

/** Fields in which a letter is written, or chooses. */
const WRITTEN = 'textarea, select, input:not([type="range"], [type="checkbox"], [type="radio"])';

/** Whether a key is a letter of what somebody writes. */
export function isTyped({ target, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const field = target instanceof Element && target.closest(WRITTEN) !== null;
  return field || ctrlKey || altKey || metaKey;
}

/** The map of the keys, on `?`; and the whole screen, on `F`. Nothing of either covers the stop or keeps it from being pressed. */
export function offerKeys(): void {
  const toggle = byId('keys');
  const rows = KEYS.flatMap(([keys, does]) => [h('dt', {}, h('kbd', {}, keys)), h('dd', {}, does)]);
  const close = (): void => show(false);
  const map = h(
    'dialog',
    { id: 'key-map', 'aria-labelledby': 'key-map-title' },
    h('div', { class: 'row' }, h('h2', { id: 'key-map-title' }, 'Keys'), button('Close', close)),
    h('dl', {}, ...rows),
  );
  document.body.append(map);
  const show = (open: boolean): void => {
    if (open) map.show();
    else map.close();
    toggle.setAttribute('aria-expanded', String(open));
  };
  toggle.addEventListener('click', () => show(!map.open));
  window.addEventListener('arm-bridge-stop', close);

  const full = byId('full');
  full.hidden = !document.fullscreenEnabled;
  const turn = (): void => {
    if (document.fullscreenElement === null) {
      void document.documentElement.requestFullscreen();
      return;
    }
    // Escape leaves the full screen without a word to the page, which takes any leaving that it has not asked for as a stop.
    window.dispatchEvent(new Event('arm-bridge-leave'));
    void document.exitFullscreen();
  };
  full.addEventListener('click', turn);
  document.addEventListener('fullscreenchange', () => {
    full.setAttribute('aria-pressed', String(document.fullscreenElement !== null));
  });
  window.addEventListener('keydown', (event) => {
    if (event.repeat || isTyped(event)) return;
    if (event.key === '?') show(!map.open);
    else if (event.key.toLowerCase() === 'f' && !full.hidden) turn();
  });
}
