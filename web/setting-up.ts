import { request } from './api.ts';
import { bridge } from './bridge.ts';
import type { SetupSession, SetupState, SetupStep } from './protocol.ts';

/** How often it is asked what can be set up, and how far a set-up is, ms. */
const INTERVAL = 2000;
const ANSWER_LIMIT = 5000;

/** The set-up of arms on the routes of the bridge. */
export class SettingUp {
  /** Null before the bridge has answered. */
  state: SetupState | null = null;
  /** The set-up under way, as last heard: here, or by somebody else. */
  session: SetupSession | null = null;
  /** A call of this page is under way. */
  busy = false;
  /** Why the last call was refused; empty when it was not. */
  fault = '';
  /** What the last set-up has come to. */
  outcome = '';
  readonly #changed: () => void;
  /** Counts calls: an answer that an earlier one has left behind is not the newest word. */
  #calls = 0;

  /**
   * @param changed called when something here is another
   * @param near whether somebody looks at it: else it is asked half as often, and an arm that is plugged in is still seen soon
   */
  constructor(changed: () => void, near: () => boolean) {
    this.#changed = changed;
    let ticks = 0;
    setInterval(() => {
      ticks += 1;
      if (near() || this.session !== null || ticks % 2 === 0) void this.ask();
    }, INTERVAL);
  }

  /** Asks how things are; never throws. */
  async ask(): Promise<void> {
    if (this.busy || document.hidden) return;
    const call = this.#calls;
    try {
      const state = await bridge.call('get', '/api/v1/setup', { signal: AbortSignal.timeout(ANSWER_LIMIT) });
      if (call !== this.#calls) return;
      this.state = state;
      this.session = state.session;
      this.#changed();
    } catch {
      // The header says that there is no connection.
    }
  }

  /** Begins; never throws. @returns whether it has begun */
  async begin(body: {
    readonly bus: string | null;
    readonly model: string;
    readonly role: string | null;
    readonly name: string;
  }): Promise<boolean> {
    return this.#session('/api/v1/setup', body);
  }

  /** Does what is to be done at the present step; never throws. @returns whether the bridge has tried to */
  async act(action: SetupStep['action'], counterpart: string | null = null): Promise<boolean> {
    return this.#session('/api/v1/setup/next', { action, counterpart });
  }

  /** Ends it; what is written stays. Never throws. */
  async end(): Promise<void> {
    const { ok, message } = await this.#call(() => request({ method: 'DELETE', path: '/api/v1/setup' }));
    if (ok) {
      this.session = null;
      this.outcome = 'Ended. What is set up stays: begin again to go on.';
    } else {
      this.fault = message;
    }
    this.#changed();
  }

  /** Plugs cables of a kit in; never throws. @param what servo, or all */
  async plug(arm: string, what: string): Promise<void> {
    if (this.busy) return;
    const { ok, message } = await this.#call(() =>
      request({ path: '/api/v1/setup/hand', body: { arm, action: 'plug', what } }),
    );
    if (ok) this.outcome = message;
    else this.fault = message;
    this.#changed();
  }

  /** Says whether a new pair goes the right way; never throws. */
  async verdict(follower: string, verdict: 'right' | 'swapped'): Promise<void> {
    const { ok, message } = await this.#call(() =>
      request({ path: '/api/v1/setup/verdict', body: { follower, verdict } }),
    );
    if (ok) this.outcome = `${message}.`;
    else this.fault = message;
    await this.ask();
    this.#changed();
  }

  /** What was said of the last call counts no more. */
  forget(): void {
    this.fault = '';
    this.outcome = '';
  }

  async #session(path: string, body: object): Promise<boolean> {
    if (this.busy) return false;
    const { ok, message, answer } = await this.#call(() => request({ path, body }));
    if (ok) {
      const session = answer as SetupSession;
      this.session = session.step === 'done' ? null : session;
      if (session.step === 'done') this.outcome = session.said;
      if (session.step === 'done') await this.ask();
    } else {
      this.fault = message;
    }
    this.#changed();
    return ok;
  }

  async #call<T>(task: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.busy = true;
    this.forget();
    this.#changed();
    try {
      return await task();
    } finally {
      this.busy = false;
    }
  }
}
