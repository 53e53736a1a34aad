import { BridgeError } from '../../clients/typescript/src/errors.ts';
import { PERSON } from '../../src/http/person.ts';
import { bridge } from '../bridge.ts';
import { block, button, h, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import { qrCode } from '../qr.ts';
import { whyNoControl } from '../reasons.ts';
import { svg } from '../setup-pictures.ts';
import type { Store } from '../store.ts';

/** Characters of a person's name that the bridge takes. */
const LONGEST_NAME = 32;
/** A cookie, not localStorage: it goes along with WebSockets, and is the same for all bridges of a computer. */
const COOKIE = 'arm_bridge_person';
const AGE = 400 * 24 * 3600;

/** Empty: none. */
function nameNow(): string {
  const value = new RegExp(`(?:^|; )${COOKIE}=([\\w.~%-]*)`).exec(document.cookie)?.[1] ?? '';
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}

/** Says it with every request from now on. @param name empty: none */
async function say(name: string): Promise<void> {
  const age = name === '' ? 0 : AGE;
  // biome-ignore lint/suspicious/noDocumentCookie: what would replace it is not there without encryption
  document.cookie = `${COOKIE}=${encodeURIComponent(name)}; Path=/; SameSite=Strict; Max-Age=${age}`;
  // The bridge takes it up with the next request, and greets this page anew by the live stream.
  await bridge.status();
}

/** What the person at this page is called. */
function nameForm(store: Store): HTMLElement {
  const field = h('input', { name: 'person', maxlength: LONGEST_NAME, autocomplete: 'nickname', value: nameNow() });
  const known = h('p', { class: 'about' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const take = async (): Promise<void> => {
    const name = field.value.trim();
    const fits = name === '' || PERSON.test(name);
    const why = fits ? '' : 'Letters, digits, blanks and _.:@/+- only; a letter or digit first.';
    setText(fault, why);
    if (!fits) return;
    try {
      await say(name);
    } catch (error) {
      if (!(error instanceof BridgeError)) throw error;
      setText(fault, error.message);
    }
  };
  const form = h(
    'form',
    { class: 'row' },
    h('label', { class: 'row' }, 'Your name', field),
    h('button', { type: 'submit' }, 'Say it'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void take();
  });
  store.on(['hello'], () => setText(known, `Others read: ${store.hello?.client ?? ''}`));
  return h('div', {}, form, fault, known);
}

/** What is missing so that others can look on. */
function whatToSet(missing: readonly string[]): string {
  return `Set ${missing.join(' and ')} in the configuration and start the bridge again: then others can look on, and only look.`;
}

/** An address for the cameras of telephones, black on white whatever the colours of the page are. */
function qrPicture(url: string): Element {
  const { size, path } = qrCode(url);
  return svg(
    'svg',
    { viewBox: `0 0 ${size} ${size}`, class: 'qr-code', role: 'img', 'aria-label': 'QR code of the address below' },
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: path, fill: '#000' }),
  );
}

/** Shows a class the address of this page, with the token that only looks and stops, as a code for the cameras of telephones. */
async function showToClass(view: HTMLDialogElement, content: HTMLElement): Promise<void> {
  try {
    const { origin, token } = await bridge.invitation();
    const here = /^(localhost|127\..*|\[::1\])$/.test(location.hostname) ? origin : location.origin;
    if (here === null || token === null) {
      const missing = [...(here === null ? ['http.host'] : []), ...(token === null ? ['http.read_token_file'] : [])];
      content.replaceChildren(h('p', {}, whatToSet(missing)));
    } else {
      const url = `${here}/#token=${encodeURIComponent(token)}`;
      content.replaceChildren(
        qrPicture(url),
        h('p', {}, h('code', {}, here), ': look on, and stop. Nobody moves an arm with it.'),
      );
    }
    view.show();
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    notice('fault', error.detail);
  }
}

/** Who is at this page, and how others come to look on. */
export function peopleCard(store: Store): HTMLElement {
  const content = h('div', {});
  const close = (): void => view.close();
  const view = h(
    'dialog',
    { id: 'class-view', 'aria-labelledby': 'class-view-title' },
    h('div', { class: 'row between' }, h('h2', { id: 'class-view-title' }, 'To look on'), button('Close', close)),
    content,
  );
  document.body.append(view);
  window.addEventListener('arm-bridge-stop', close);
  const show = button('Show to a class', () => void showToClass(view, content));
  store.on(['connection', 'hello'], () => block(show, whyNoControl(store)));
  return h(
    'details',
    { class: 'card', id: 'people' },
    h('summary', {}, 'People'),
    nameForm(store),
    h('div', { class: 'row' }, show),
  );
}
