import type { Schemas } from '../clients/typescript/src/bridge.ts';
import { BridgeError } from '../clients/typescript/src/errors.ts';
import { bridge } from './bridge.ts';
import { forget, notice } from './notices.ts';
import type { Store } from './store.ts';

export type Ask = Schemas['ArmAsk'];

/** What a person at this page asks others for, and others ask of him: messages alone, nothing moves but by his *Give it*. */
export class Asks {
  readonly #store: Store;
  /** Ids of those that this page has put, and that are open. */
  readonly #put = new Set<string>();
  /** Ids of those that a person at this page has been shown. */
  readonly #shown = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
    store.on(['asks', 'hello'], () => this.#look());
    // From where a refusal is told, by the id of the arm.
    window.addEventListener('arm-bridge-ask', (event) => {
      const arm = store.arms.find(({ id }) => id === (event as CustomEvent<number>).detail);
      if (arm !== undefined) void this.put(arm.name);
    });
  }

  /** Asks who has an arm for it. @param arm its name */
  async put(arm: string): Promise<void> {
    const told = await tryTo(() => bridge.arm(arm).ask(), aboutPut(arm));
    if (told === null) return;
    const { ask, message } = told;
    if (ask?.state === 'open') this.#put.add(ask.id);
    notice(ask?.state === 'refused' ? 'fault' : 'done', message, { about: aboutPut(arm) });
    // It may have been answered before this answer came.
    this.#look();
  }

  #look(): void {
    const me = this.#store.hello?.client;
    for (const ask of this.#store.asks) {
      if (ask.state === 'open') {
        if (ask.owner === me && !this.#shown.has(ask.id)) this.#show(ask);
      } else if (this.#put.delete(ask.id)) {
        // An answer may come when its asker looks elsewhere: it stays.
        notice(ask.state === 'given' ? 'ask' : 'fault', ask.message, { about: aboutPut(ask.arm) });
      }
    }
  }

  #show({ id, arm, asker }: Ask): void {
    this.#shown.add(id);
    const answer = (give: boolean) => (): void => {
      void tryTo(() => bridge.arm(arm).answer(id, give), `answer ${id}`);
    };
    notice('ask', `${asker} asks for ${arm}.`, {
      ways: [
        { label: 'Give it', run: answer(true) },
        { label: 'Not now', run: answer(false) },
      ],
      gone: ({ asks }) => !asks.some((ask) => ask.id === id && ask.state === 'open'),
    });
  }
}

const aboutPut = (arm: string): string => `ask for ${arm}`;

/** @returns null for what the bridge refuses, which is told */
async function tryTo<T>(act: () => Promise<T>, about: string): Promise<T | null> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    forget(about);
    notice('fault', error.detail, { about });
    return null;
  }
}
