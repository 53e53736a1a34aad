import { command } from '../api.ts';
import { block, button, h, isOn, setText, toggle } from '../dom.ts';
import { likelyPair, whyNotChosen } from '../likely-pair.ts';
import { whyNoControl, whyNoMotion, whyTaken } from '../reasons.ts';
import type { Store } from '../store.ts';
import { feelSliders } from './feel.ts';

/** Share of the weight that is held unless somebody says otherwise, percent. */
const GRAVITY = { shoulder: 100, elbow: 50, wrist: 10 } as const;

interface PairRow {
  readonly element: HTMLElement;
  /** Ids of the arms; null: none is chosen. */
  readonly pair: () => { readonly leader_id: number | null; readonly follower_id: number | null };
}

/** Which arms lead which: as many pairs as are wanted. */
class PairList {
  readonly element = h('div', { class: 'pair-list' });
  readonly #store: Store;
  #rows: PairRow[] = [];
  /** A person has chosen: the pairs that have run are put in no more. */
  #chosen = false;

  constructor(store: Store) {
    this.#store = store;
    store.on(['models'], () => this.#reset());
    store.on(['chosen'], () => this.#choose(store.chosen!));
    store.on(['pairs'], () => {
      if (!this.#chosen && store.pairs.length > 0) this.#reset();
    });
  }

  get pairs(): readonly ReturnType<PairRow['pair']>[] {
    return this.#rows.map(({ pair }) => pair());
  }

  /** Adds a pair of arms that have no part yet; where no leader is left, the first one leads another follower. */
  add(): void {
    this.#chosen = true;
    const taken = new Set(this.pairs.flatMap(({ leader_id, follower_id }) => [leader_id, follower_id]));
    const { leader, follower } = likelyPair(
      this.#store.arms.filter(({ id }) => !taken.has(id)),
      nameOf,
    );
    this.#put([...this.#rows, this.#row(leader?.id ?? this.pairs[0]?.leader_id, follower?.id)]);
  }

  #choose(pair: { readonly leader: string; readonly follower: string }): void {
    this.#chosen = true;
    this.#put([this.#rowOf(pair)]);
  }

  /** What a person has chosen, else the pairs that have run or are configured, else what builds and names of the arms tell; of the arms there are now. */
  #reset(): void {
    const { arms, pairs } = this.#store;
    if (arms.length === 0) return;
    const key = JSON.stringify([
      arms.map(({ name, leader }) => [name, leader]),
      pairs.map(({ leader, follower }) => [leader, follower]),
    ]);
    if (this.element.dataset.of === key) return;
    this.element.dataset.of = key;
    const configured = arms.flatMap(({ leader, name }) => (leader === null ? [] : [{ leader, follower: name }]));
    const wanted = this.#chosen
      ? this.pairs.map(({ leader_id, follower_id }) => this.#row(leader_id, follower_id))
      : (pairs.length > 0 ? pairs : configured).map((pair) => this.#rowOf(pair));
    const likely = likelyPair(arms, nameOf);
    this.#put(wanted.length > 0 ? wanted : [this.#row(likely.leader?.id, likely.follower?.id)]);
  }

  #rowOf({ leader, follower }: { readonly leader: string; readonly follower: string }): PairRow {
    const idOf = (name: string): number | undefined => this.#store.arms.find((arm) => arm.name === name)?.id;
    return this.#row(idOf(leader), idOf(follower));
  }

  #row(leaderId: number | null | undefined, followerId: number | null | undefined): PairRow {
    const choose = (label: 'Leader' | 'Follower', id: number | null | undefined): HTMLSelectElement => {
      const options = [
        h('option', { value: '' }, `choose the ${label.toLowerCase()}`),
        ...this.#store.arms.map((arm) => h('option', { value: arm.id, selected: arm.id === id }, arm.name)),
      ];
      const change = (): void => {
        this.#chosen = true;
      };
      return h('select', { 'aria-label': label, onchange: change }, ...options);
    };
    const leader = choose('Leader', leaderId);
    const follower = choose('Follower', followerId);
    const remove = (): void => {
      this.#chosen = true;
      this.#put(this.#rows.filter((each) => each !== row));
    };
    const row: PairRow = {
      element: h(
        'div',
        { class: 'row pair', role: 'group', 'aria-label': 'Pair' },
        leader,
        h('span', { 'aria-hidden': 'true' }, '→'),
        follower,
        button('×', remove, { class: 'remove', 'aria-label': 'Remove this pair' }),
      ),
      pair: () => ({ leader_id: chosenOf(leader), follower_id: chosenOf(follower) }),
    };
    return row;
  }

  #put(rows: PairRow[]): void {
    this.#rows = rows;
    this.element.replaceChildren(...rows.map(({ element }) => element));
    for (const each of this.element.querySelectorAll<HTMLElement>('.remove')) each.hidden = rows.length < 2;
  }
}

const nameOf = ({ name }: { readonly name: string }): string => name;

const chosenOf = ({ value }: HTMLSelectElement): number | null => (value === '' ? null : Number(value));

/** Weight that floating leaders hold, by group of joints. */
function shareRows(): { readonly element: HTMLElement; readonly values: () => Record<string, number> } {
  const shares = Object.entries(GRAVITY).map(([name, value]) => {
    const shown = h('output', {}, `${value} %`);
    const label = `Weight held at the ${name}`;
    const input = h('input', { type: 'range', name, min: 0, max: 100, step: 5, value, 'aria-label': label });
    input.addEventListener('input', () => setText(shown, `${input.value} %`));
    const title = h('span', { 'aria-hidden': 'true' }, name);
    return { input, row: h('div', { class: 'spring-row share' }, title, input, shown) };
  });
  return {
    element: h('div', {}, ...shares.map(({ row }) => row)),
    values: () => Object.fromEntries(shares.map(({ input }) => [input.name, Number(input.value)])),
  };
}

/** Start and end of leader-follower control. */
export function pairingCard(store: Store): HTMLElement {
  const list = new PairList(store);
  const gravity = toggle('Hold the weight of the leaders');
  const invert = toggle('Mirror left and right');
  const align = h(
    'select',
    { 'aria-label': 'Who goes to whom first' },
    h('option', { value: '' }, 'as configured'),
    h('option', { value: 'follower' }, 'the follower'),
    h('option', { value: 'leader' }, 'the leader, by itself'),
  );
  const shares = shareRows();
  const showShares = (): void => {
    shares.element.hidden = !isOn(gravity);
  };
  gravity.addEventListener('click', showShares);
  showShares();
  const felt = feelSliders(' from the start');
  /** Somebody has said what leaders are to feel; otherwise it is as configured. */
  let saysFelt = false;
  for (const { input, value } of felt) {
    input.addEventListener('input', () => {
      saysFelt = true;
      // A limp leader feels nothing.
      if (value() > 0 && !isOn(gravity)) gravity.click();
    });
  }
  gravity.addEventListener('click', () => {
    if (!isOn(gravity)) for (const { show } of felt) show(0);
  });
  const start = (): void => {
    const body = {
      robot_pairs: list.pairs,
      enable_gravity_compensation: isOn(gravity),
      gravity_compensation_values: shares.values(),
      invert_controls: isOn(invert),
      ...(saysFelt && isOn(gravity)
        ? { force_feedback: Object.fromEntries(felt.map(({ part, value }) => [part, value()])) }
        : {}),
      ...(align.value === '' ? {} : { align: align.value }),
    };
    const done = list.pairs.length > 1 ? 'The followers go to their leaders,' : 'The follower goes to its leader,';
    void command(
      { name: 'The start', path: '/move/leader/start', body },
      `${done} then ${list.pairs.length > 1 ? 'follow' : 'follows'}.`,
    );
  };
  const end = (): void => void command({ name: 'The end', path: '/move/leader/stop' }, 'The followers hold.');
  const starting = button('Start', start);
  const ending = button('End', end);
  const whyNotStart = (): string => {
    const ids = new Set(list.pairs.flatMap(({ leader_id, follower_id }) => [leader_id, follower_id]));
    const arms = store.arms.filter(({ id }) => ids.has(id));
    const whys = arms.map((arm) => whyNoMotion(store, arm));
    const none = whys.find((why) => why !== '') ?? whyNoControl(store);
    if (none !== '') return none;
    const missing = list.pairs
      .map(({ leader_id, follower_id }) => whyNotChosen(leader_id !== null, follower_id !== null))
      .find((why) => why !== '');
    if (missing !== undefined) return missing;
    if (list.pairs.some(({ leader_id, follower_id }) => leader_id === follower_id))
      return 'No arm leads itself: choose another one.';
    const running = store.pairs.find(
      ({ leader, follower, state }) =>
        state !== 'idle' && arms.some(({ name }) => name === leader || name === follower),
    );
    return running === undefined ? '' : whyTaken(running);
  };
  const allow = (): void => block(starting, whyNotStart());
  list.element.addEventListener('change', allow);
  store.on(['pairs', 'connection', 'arms'], () => {
    allow();
    block(ending, store.mirroring ? '' : 'No pair runs: press Start first.');
    // What a person most likely wants next stands out.
    starting.classList.toggle('main', !store.mirroring);
    ending.classList.toggle('main', store.mirroring);
  });
  return h(
    'section',
    { class: 'card', 'aria-label': 'Leader and follower' },
    h('h2', {}, 'Leader and follower'),
    list.element,
    h(
      'div',
      { class: 'row' },
      button('Add a pair', () => list.add(), { class: 'plain' }),
    ),
    gravity,
    shares.element,
    h('p', { class: 'about' }, 'How much of what pushes the follower the leader feels; it needs its weight held:'),
    ...felt.map(({ row }) => row),
    invert,
    h('div', { class: 'row' }, h('span', {}, 'First goes'), align),
    h('div', { class: 'row' }, starting, ending),
  );
}
