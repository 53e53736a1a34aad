import { BridgeError } from '../clients/typescript/src/errors.ts';
import { bridge } from './bridge.ts';
import { byId, h, setText } from './dom.ts';
import type { Live } from './live.ts';
import type { Store } from './store.ts';

/**
 * The token that the address of a QR code has behind its "#", which browsers send to nobody. It does not stay in the address.
 * @returns null where there is none
 */
function invited(): string | null {
  const token = /^#token=([\w.~%!*'()-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return null;
  history.replaceState(null, '', location.pathname);
  try {
    return decodeURIComponent(token);
  } catch {
    return null;
  }
}

/**
 * Asks for the token where the bridge wants one. It is exchanged for a cookie that no script can read, and kept nowhere
 * else.
 */
export function offerSession(store: Store, live: Live): void {
  const field = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const form = h(
    'form',
    { id: 'session', class: 'card', hidden: true },
    h('h2', {}, 'This bridge wants a token'),
    h('p', {}, 'The bridge says at its start where its tokens are. One lets you look, the other one also move.'),
    h('label', { for: 'token' }, 'Token'),
    field,
    h('button', { type: 'submit', class: 'main' }, 'Go on'),
    fault,
  );
  const hand = async (token: string): Promise<void> => {
    try {
      await bridge.call('post', '/api/v1/session', { body: { token } });
      setText(fault, '');
      live.connect();
    } catch (error) {
      const refused = error instanceof BridgeError && error.status === 401;
      setText(fault, refused ? 'This is not the token.' : 'The bridge does not answer.');
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const token = field.value.trim();
    field.value = '';
    void hand(token);
  });
  byId('panels').before(form);
  let given = invited();
  const show = (): void => {
    const wasHidden = form.hidden;
    form.hidden = store.connection !== 'denied';
    if (wasHidden && !form.hidden) field.focus();
  };
  /** An invitation that is refused, such as yesterday's, leaves the form, which says so. */
  const accept = async (): Promise<void> => {
    if (store.connection !== 'denied' || given === null) {
      show();
      return;
    }
    const token = given;
    given = null;
    await hand(token);
    show();
  };
  store.on(['connection'], () => void accept());
  // A second code that is scanned changes the address of a page that is open already.
  window.addEventListener('hashchange', () => {
    given = invited();
    void accept();
  });
}
