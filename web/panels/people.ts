import { NAME } from '../../clients/typescript/src/bridge.ts';
import { BridgeError } from '../../clients/typescript/src/errors.ts';
import { bridge } from '../bridge.ts';
import { h, setText } from '../dom.ts';
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
    const fits = name === '' || NAME.test(name);
    const why = fits ? '' : 'Letters a to z, digits, blanks and _.:@/+- only; a letter or digit first.';
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

/** Who is at this page. */
export function peopleCard(store: Store): HTMLElement {
  return h('details', { class: 'card', id: 'people' }, h('summary', {}, 'People'), nameForm(store));
}
