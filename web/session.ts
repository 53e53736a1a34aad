import { BridgeError } from '../clients/typescript/src/errors.ts';
import { bridge } from './bridge.ts';
import { byId, h, setText } from './dom.ts';
import type { Live } from './live.ts';
import type { Store } from './store.ts';

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
  const hand = async (): Promise<void> => {
    const token = field.value.trim();
    field.value = '';
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
    void hand();
  });
  byId('panels').before(form);
  store.on(['connection'], () => {
    const wasHidden = form.hidden;
    form.hidden = store.connection !== 'denied';
    if (wasHidden && !form.hidden) field.focus();
  });
}
