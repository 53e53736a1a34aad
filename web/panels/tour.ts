import { command } from '../api.ts';
import { bridge } from '../bridge.ts';
import { block, button, byId, h, setText } from '../dom.ts';
import type { Hands } from '../hand.ts';
import { notice } from '../notices.ts';
import type { ArmInfo } from '../protocol.ts';
import { whyNoControl, whyNoMotion } from '../reasons.ts';
import { type Means, SHOWS } from '../showing.ts';
import type { Store } from '../store.ts';
import { CARDS, type Sight, STEPS, type Step, Tour, type TourState } from '../tour.ts';

/** How often it is asked whether an episode is being recorded, while a step is about that, ms. */
const INTERVAL = 500;
/** Of the newest recordings so many are looked at. */
const NEWEST = 10;
/** What an arm does is waited for so long, s. */
const PATIENCE = 20;
/** With this at the end of its address the page begins the tour by itself: `npm start -- --demo` names it so. */
const HASH = '#tour';
/** What has to be picked up. */
const CUBE = 'cube';

/** The arms that the tour is about. */
interface Pair {
  readonly leader: ArmInfo;
  readonly follower: ArmInfo;
}

/** Arms that have to be drivable for what is shown at a state. */
const NEEDS: Readonly<Partial<Record<TourState, readonly (keyof Pair)[]>>> = {
  init: ['follower'],
  drag: ['follower'],
  pair: ['leader', 'follower'],
  lead: ['leader', 'follower'],
  pick: ['leader', 'follower'],
};

interface Waiting {
  readonly is: () => boolean;
  readonly settle: (is: boolean) => void;
  /** Of the bridge's clock, s. */
  readonly deadline: number;
}

/**
 * The tour: one step at a time, which is ticked when it has really happened. It is about a simulated pair with a cube before
 * its follower, and moves nothing unless somebody presses “Show me”.
 */
class TourCard {
  readonly element: HTMLElement;
  /** Begins it. Not to be seen where there is nothing to be shown. */
  readonly offer = button('Take the tour', () => this.#begin(), { class: 'plain', hidden: true });
  readonly #store: Store;
  readonly #hands: Hands;
  readonly #select: (panel: string) => void;
  readonly #tour = new Tour();
  readonly #marks = Object.entries(STEPS).map(([step, name]) => ({ step: step as Step, name, mark: h('li', {}) }));
  readonly #said = h('p', { role: 'status' });
  readonly #showMe = button('Show me', () => void this.#show());
  readonly #next = button('Skip', () => this.#go('next'));
  readonly #end = button('End the tour', () => this.#close());
  #pair: Pair | null = null;
  #episode: string | null = null;
  #recordings: readonly string[] = [];
  /** Ends what is being shown. */
  #showing: AbortController | null = null;
  #waiting: Waiting | null = null;

  constructor(store: Store, hands: Hands, select: (panel: string) => void) {
    this.#store = store;
    this.#hands = hands;
    this.#select = select;
    this.element = h(
      'section',
      { id: 'tour', class: 'card', 'aria-label': 'Tour', hidden: true },
      h('ol', { class: 'steps', 'aria-label': 'Steps' }, ...this.#marks.map(({ mark }) => mark)),
      this.#said,
      h('div', { class: 'row' }, this.#showMe, this.#next, this.#end),
    );
    store.on(['hello'], () => void this.#look());
    store.on(['frames'], () => this.#see());
    store.on(['arms', 'connection', 'hello'], () => this.#draw());
    store.on(['connection'], () => {
      if (store.connection !== 'live') this.#showing?.abort();
    });
    for (const event of ['blur', 'pagehide', 'arm-bridge-stop'])
      window.addEventListener(event, () => this.#showing?.abort());
    window.addEventListener('hashchange', () => this.#beginByAddress());
    setInterval(() => void this.#ask(), INTERVAL);
  }

  /** Looks which arms a tour can be about; one that is taken stays with its own. */
  async #look(): Promise<void> {
    const simulated = this.#store.arms.filter((arm) => arm.simulated);
    const cubes = await Promise.all(simulated.map((arm) => cubeBefore(arm)));
    const follower = simulated.find((_, i) => cubes[i] !== null);
    const leader = simulated.find((arm, i) => cubes[i] === null && arm.model === follower?.model);
    if (this.#tour.state !== 'closed') return;
    this.#pair = follower === undefined || leader === undefined ? null : { leader, follower };
    this.#beginByAddress();
    this.#draw();
  }

  #beginByAddress(): void {
    if (location.hash === HASH && this.#pair !== null) this.#go('begin');
  }

  #begin(): void {
    this.#go('begin');
    this.#showMe.focus();
  }

  #close(): void {
    if (this.element.contains(document.activeElement))
      document.querySelector<HTMLElement>('#tabs [aria-selected=true]')?.focus();
    if (location.hash === HASH) history.replaceState(null, '', location.pathname);
    this.#go('end');
    void this.#look();
  }

  /** What a person wants ends what is being shown. */
  #go(input: 'begin' | 'next' | 'end'): void {
    this.#showing?.abort();
    if (this.#tour.put(input)) this.#changed();
  }

  #see(): void {
    const seen = this.#sight();
    if (this.#tour.state !== 'closed' && seen !== null && this.#tour.see(seen)) this.#changed();
    if (this.#waiting === null) return;
    const { is, settle, deadline } = this.#waiting;
    if (is()) {
      settle(true);
    } else if (this.#store.time > deadline) {
      settle(false);
      notice('fault', 'The arms have not come to where the hand led them: press “Show me” again.');
    }
  }

  #sight(): Sight | null {
    const { frames, pairs, objects } = this.#store;
    if (this.#pair === null) return null;
    const { leader, follower } = this.#pair;
    const both = [frames.get(leader.id), frames.get(follower.id)] as const;
    if (both[0] === undefined || both[1] === undefined) return null;
    const pair = pairs.find((other) => other.leader === leader.name && other.follower === follower.name);
    const cube = objects.find(({ robot_id, name }) => robot_id === follower.id && name === CUBE);
    return {
      leader: both[0],
      follower: both[1],
      mirroring: pair?.state === 'mirroring',
      cube: cube?.position ?? null,
      episode: this.#episode,
      recordings: this.#recordings,
    };
  }

  /** Asks for what the live stream does not tell. */
  async #ask(): Promise<void> {
    const { state } = this.#tour;
    if ((state !== 'record' && state !== 'recording') || this.#store.connection !== 'live') return;
    try {
      const signal = AbortSignal.timeout(4 * INTERVAL);
      const { episode } = await bridge.call('get', '/api/v1/episode', { signal });
      if (episode === null) {
        const { recordings } = await bridge.call('get', '/api/v1/recordings', { query: { limit: NEWEST }, signal });
        this.#recordings = recordings.map(({ name }) => name);
      }
      this.#episode = episode?.name ?? null;
    } catch {
      // The header says that there is no connection.
    }
  }

  #changed(): void {
    const { state } = this.#tour;
    const panel = state === 'closed' ? undefined : CARDS[state].panel;
    if (panel !== undefined) this.#select(panel);
    if (state === 'record') this.#episode = null;
    this.#draw();
  }

  #draw(): void {
    const { state, ticked } = this.#tour;
    const closed = state === 'closed' || this.#store.connection === 'denied';
    this.offer.hidden = state !== 'closed' || this.#pair === null;
    block(this.offer, whyNoControl(this.#store));
    this.element.hidden = closed;
    if (state === 'closed') return;
    this.element.dataset.at = state;
    const { step: present, says, done } = CARDS[state];
    for (const { step, name, mark } of this.#marks) {
      setText(mark, ticked.has(step) ? `✓ ${name}` : name);
      mark.toggleAttribute('data-done', ticked.has(step));
      if (step === present) mark.setAttribute('aria-current', 'step');
      else mark.removeAttribute('aria-current');
    }
    setText(this.#said, says);
    const finished = state === 'finished';
    if (finished && this.element.contains(document.activeElement)) this.#end.focus();
    this.#showMe.hidden = finished;
    this.#next.hidden = finished;
    setText(this.#next, done === true ? 'Next' : 'Skip');
    this.#next.classList.toggle('main', done === true);
    setText(this.#end, finished ? 'Close' : 'End the tour');
    block(this.#showMe, this.#whyNotShown(state));
  }

  #whyNotShown(state: TourState): string {
    if (this.#showing !== null) return 'It is being shown.';
    if (SHOWS[state] === undefined) return 'It is done: press “Next”.';
    // A stop needs nothing.
    if (state === 'stop') return '';
    const whys = (NEEDS[state] ?? []).map((role) => whyNoMotion(this.#store, this.#pair![role]));
    return [whyNoControl(this.#store), ...whys].find((why) => why !== '') ?? '';
  }

  async #show(): Promise<void> {
    const pair = this.#pair;
    if (pair === null) return;
    const ending = new AbortController();
    this.#showing = ending;
    this.#draw();
    try {
      await SHOWS[this.#tour.state]?.(this.#means(pair, ending.signal));
    } finally {
      this.#showing = null;
      void this.#ask();
      this.#draw();
    }
  }

  #means({ leader, follower }: Pair, signal: AbortSignal): Means {
    return {
      leader,
      follower,
      now: () => this.#sight(),
      ask: async (asked) => {
        if (signal.aborted) return null;
        const { ok, answer } = await command(asked);
        return ok ? answer : null;
      },
      cube: () => cubeBefore(follower),
      lead: async (angles, duration) => {
        const hand = this.#hands.of(leader);
        if (signal.aborted || hand === null) return false;
        signal.addEventListener('abort', () => hand.rest(), { once: true });
        return hand.leadAll(angles, duration);
      },
      until: (is) =>
        new Promise((resolve) => {
          const settle = (is: boolean): void => {
            this.#waiting = null;
            resolve(is);
          };
          if (signal.aborted) return resolve(false);
          this.#waiting = { is, settle, deadline: this.#store.time + PATIENCE };
          signal.addEventListener('abort', () => settle(false), { once: true });
        }),
      press: (id) => byId(id).click(),
      tell: (text) => notice('fault', text),
    };
  }
}

/** Where the cube before an arm is; null where there is none, or the bridge does not answer. */
async function cubeBefore({ id }: ArmInfo): ReturnType<Means['cube']> {
  try {
    const { objects } = await bridge.call('get', '/sim/objects', { query: { robot_id: id } });
    return objects.find(({ name }) => name === CUBE)?.position ?? null;
  } catch {
    return null;
  }
}

/** Puts the tour above the panels. @returns the button that offers it */
export function offerTour(store: Store, hands: Hands, select: (panel: string) => void): HTMLElement {
  const card = new TourCard(store, hands, select);
  byId('panels').before(card.element);
  return card.offer;
}
