import { command, type Outcome, request } from '../api.ts';
import { bridge } from '../bridge.ts';
import { block, button, byId, h, setText, showRows } from '../dom.ts';
import { isTyped } from '../keys.ts';
import { notice } from '../notices.ts';
import type { Episode, EpisodeAnswer, Recording, RecordingList } from '../protocol.ts';
import { allowControl, whyNoControl } from '../reasons.ts';
import type { Store } from '../store.ts';
import { measure } from '../units.ts';
import { LookCard } from './look.ts';

/** How often it is asked whether an episode is being recorded, ms: another page or a program may have begun it. */
const INTERVAL = 1000;
/** How long a key waits for the answer, ms. */
const PATIENCE = 5000;
/** Recordings that are shown at once. */
const SHOWN = 10;
/** Keys, which a foot pedal may press. */
const KEYS = { r: 'record', m: 'mark', g: 'good', b: 'bad', x: 'drop', t: 'task' } as const;
type Act = (typeof KEYS)[keyof typeof KEYS];
const EVERY = 'All datasets';

/** What an episode that was begun does. @param episode null: none was, or it was ended */
function stateOf(episode: Episode | null): string {
  if (episode === null) return 'Nothing is being recorded.';
  const { name, arms, duration, problem, silent_cameras: silent } = episode;
  const so = `${name}: ${arms.join(', ')}, ${measure(duration, 0, ' s')}`;
  if (problem !== null) return `${so}. It ended early: ${problem}. End it to keep what there is.`;
  return silent.length === 0 ? so : `${so}. Nothing comes of ${silent.join(', ')}: see whether that camera runs.`;
}

const megabytes = (bytes: number): string => measure(bytes / 1e6, bytes < 1e7 ? 1 : 0, ' MB');

/** Starts and ends episodes, and says what they show. */
class EpisodeCard {
  readonly element: HTMLElement;
  /** Called when there are other recordings than before. */
  onChange: () => void = () => {};
  readonly #task = h('textarea', { rows: 1, maxlength: 200, 'aria-label': 'Task' });
  readonly #dataset = h('input', { maxlength: 64, pattern: '[A-Za-z0-9_-]*', 'aria-label': 'Dataset' });
  readonly #operator = h('input', { maxlength: 64, 'aria-label': 'Operator' });
  readonly #said = { task: this.#task, operator: this.#operator };
  /** What has been typed since the episode began: it is what people have found to be so, and goes with its end. */
  readonly #edited = new Set<'task' | 'operator'>();
  readonly #state = h('p', { class: 'about', role: 'status' });
  readonly #start = button('Record', () => void this.start());
  readonly #ends: readonly HTMLButtonElement[];
  /** Name of the episode that is being recorded; null: none is. */
  #recorded: string | null = null;

  constructor() {
    const end = (label: string, body: object): HTMLButtonElement => button(label, () => void this.end(body));
    this.#ends = [
      end('End', {}),
      end('End: good', { verdict: 'good' }),
      end('End: bad', { verdict: 'bad' }),
      end('Drop', { keep: false }),
      button('Mark', () => void this.mark()),
    ];
    for (const label of ['task', 'operator'] as const) {
      this.#said[label].addEventListener('input', () => this.#edited.add(label));
    }
    const field = (title: string, input: HTMLElement): HTMLElement => h('label', {}, title, input);
    this.element = h(
      'section',
      { class: 'card', 'aria-label': 'Episode' },
      h('h2', {}, 'Episode'),
      h(
        'div',
        { class: 'fields said' },
        field('Task', this.#task),
        field('Dataset', this.#dataset),
        field('Operator', this.#operator),
      ),
      h('div', { class: 'row' }, this.#start, ...this.#ends),
      this.#state,
      h(
        'p',
        { class: 'about' },
        'Keys: R begins and ends it, G and B end it as good or bad, X drops it, M puts a mark into it, T names the task. ' +
          'A foot pedal is a key.',
      ),
    );
    this.show(null);
  }

  /** What the bridge says of the episode that is being recorded. */
  show(episode: Episode | null): void {
    const recording = episode !== null;
    if (episode?.name !== this.#recorded) this.#edited.clear();
    this.#recorded = episode?.name ?? null;
    block(this.#start, recording ? 'An episode is being recorded: end it first.' : '');
    for (const each of this.#ends) block(each, recording ? '' : 'Nothing is being recorded: press Record first.');
    this.#start.classList.toggle('main', !recording);
    this.#ends[0]?.classList.toggle('main', recording);
    setText(this.#state, stateOf(episode));
    this.element.dataset.recording = String(recording);
  }

  /** The same, where another page or a program may have ended the episode that was shown. */
  hear(episode: Episode | null): void {
    const before = this.#recorded;
    this.show(episode);
    if (before !== null && before !== this.#recorded) this.onChange();
  }

  async start(): Promise<void> {
    const dataset = this.#dataset.value === '' ? null : this.#dataset.value;
    const body = { dataset, task: this.#task.value, operator: this.#operator.value };
    this.#take(await command({ path: '/api/v1/episode/start', body }));
  }

  async end(body: object): Promise<void> {
    const said = Object.fromEntries([...this.#edited].map((label) => [label, this.#said[label].value]));
    const outcome = await command({ path: '/api/v1/episode/stop', body: { ...said, ...body } });
    if (outcome.ok) notice('done', outcome.message);
    this.show(null);
    this.onChange();
  }

  async mark(): Promise<void> {
    await command({ path: '/api/v1/episode/mark' }, 'Marked');
  }

  /** What a key of a person, or of a pedal, stands for. */
  act(act: Act): void {
    if (act === 'task') {
      byId('tab-record').click();
      this.#task.focus();
      this.#task.select();
    } else if (act === 'record' && this.#recorded === null) {
      void this.start();
    } else if (act === 'mark') {
      void this.mark();
    } else {
      void this.end(act === 'record' ? {} : act === 'drop' ? { keep: false } : { verdict: act });
    }
  }

  #take({ ok, answer }: Outcome): void {
    if (ok) this.show((answer as EpisodeAnswer).episode);
  }
}

/** What has been recorded. */
class RecordingCard {
  readonly element: HTMLElement;
  /** Called when somebody wants to look at one, and when one has been deleted. */
  onLook: (recording: Recording) => void = () => {};
  onGone: (name: string) => void = () => {};
  readonly #rows = h('tbody', {});
  readonly #room = h('p', { class: 'about' });
  readonly #dataset = h('select', { 'aria-label': 'Recordings of' }, h('option', {}, EVERY));
  readonly #newer = button('Newer', () => this.#turn(-SHOWN));
  readonly #older = button('Older', () => this.#turn(SHOWN));
  readonly #store: Store;
  #offset = 0;
  /** Counts what was asked: an answer to an older question is not shown over a newer one. */
  #asked = 0;

  constructor(store: Store) {
    this.#store = store;
    const heads = ['Name', 'Length', 'Task', 'Actions'].map((title) => h('th', { scope: 'col' }, title));
    this.element = h(
      'section',
      { class: 'card', 'aria-label': 'Recordings' },
      h('h2', {}, 'Recordings'),
      h('div', { class: 'row' }, this.#dataset, this.#newer, this.#older),
      h('div', { class: 'scrolled' }, h('table', {}, h('thead', {}, h('tr', {}, ...heads)), this.#rows)),
      this.#room,
    );
    this.#dataset.addEventListener('change', () => {
      this.#offset = 0;
      void this.ask();
    });
  }

  async ask(): Promise<void> {
    let told: RecordingList;
    const asked = ++this.#asked;
    const dataset = this.#dataset.selectedIndex > 0 ? { dataset: this.#dataset.value } : {};
    try {
      const query = { limit: SHOWN, offset: this.#offset, ...dataset };
      told = await bridge.call('get', '/api/v1/recordings', { query });
    } catch {
      // The header says that there is no connection.
      return;
    }
    if (asked !== this.#asked) return;
    const { recordings, total, datasets, used, quota, warning } = told;
    const why = whyNoControl(this.#store);
    this.#offerDatasets(datasets);
    const facts = recordings.map((recording) => ({ recording, why }));
    showRows(this.#rows, facts, (fact) => this.#row(fact));
    block(this.#newer, this.#offset === 0 ? 'These are the newest.' : '');
    block(this.#older, this.#offset + recordings.length >= total ? 'These are the oldest.' : '');
    setText(this.#room, warning || `${total} recordings; all take ${megabytes(used)} of ${megabytes(quota)}.`);
  }

  #turn(by: number): void {
    this.#offset = Math.max(0, this.#offset + by);
    void this.ask();
  }

  #offerDatasets(datasets: readonly string[]): void {
    const names = [EVERY, ...datasets];
    const { value } = this.#dataset;
    if (names.join() === [...this.#dataset.options].map(({ text }) => text).join()) return;
    this.#dataset.replaceChildren(...names.map((name) => h('option', {}, name)));
    this.#dataset.selectedIndex = Math.max(0, names.indexOf(value));
  }

  #row({ recording, why }: { recording: Recording; why: string }): HTMLElement {
    const { name, dataset, content, task, verdict, duration, bytes, problem, ended_early: early } = recording;
    const path = `/api/v1/recordings/${name}`;
    const judged = async (to: string): Promise<void> => {
      await command({ name: 'The verdict', path, body: { verdict: verdict === to ? '' : to } });
      await this.ask();
    };
    const judge = (to: string): HTMLButtonElement =>
      button(to, () => void judged(to), { 'aria-pressed': String(verdict === to), 'aria-label': `${name} is ${to}` });
    const remove = async (): Promise<void> => {
      const { ok, message } = await request({ method: 'DELETE', path });
      if (ok) this.onGone(name);
      else notice('fault', `${name} was not deleted: ${message}`);
      // One that was refused may be there no more.
      await this.ask();
    };
    const ask = (): void => {
      notice('ask', `Delete ${name} for good?`, { ways: [{ label: 'Delete', run: () => void remove() }] });
    };
    const look = button('Look', () => this.onLook(recording), { 'aria-label': `Look at ${name}` });
    block(look, problem);
    const verdicts = [judge('good'), judge('bad')];
    const unjudged = problem || (content === 'episode' ? why : 'Only an episode has a verdict.');
    for (const each of verdicts) block(each, unjudged);
    const gone = button('Delete', ask, { 'aria-label': `Delete ${name}` });
    block(gone, why);
    const actions = [look, ...verdicts, gone];
    const about = early === '' ? task : `${task} (broken off: ${early})`.trim();
    return h(
      'tr',
      { 'data-recording': name, 'data-verdict': verdict },
      h('th', { scope: 'row' }, dataset === null ? name : `${dataset}/${name}`),
      h('td', {}, problem === '' ? measure(duration, 1, ' s') : ''),
      h('td', { class: 'task' }, problem === '' ? about : `${problem} (${megabytes(bytes)})`),
      h('td', {}, h('div', { class: 'row' }, ...actions)),
    );
  }
}

/** Recording: the episode that runs, and all that there are. */
export function recordPanel(store: Store): HTMLElement {
  const episode = new EpisodeCard();
  const recordings = new RecordingCard(store);
  const look = new LookCard(store);
  const fieldset = h('fieldset', { class: 'panel', disabled: true }, episode.element);
  const panel = h('div', { class: 'panel' }, fieldset, look.element, recordings.element);
  store.on(['connection', 'hello'], () => {
    allowControl(fieldset, store);
    // Another bridge than before may have answered, after a restart, or what this page may do has changed.
    askAll();
  });
  episode.onChange = () => void recordings.ask();
  look.onChange = () => void recordings.ask();
  recordings.onLook = (recording) => void look.open(recording);
  recordings.onGone = (name) => look.gone(name);
  const seen = (): boolean => !panel.hidden && !document.hidden && store.connection === 'live';
  const ask = async (patience = INTERVAL): Promise<void> => {
    try {
      const signal = AbortSignal.timeout(patience);
      episode.hear((await bridge.call('get', '/api/v1/episode', { signal })).episode);
    } catch {
      // The header says that there is no connection.
    }
  };
  setInterval(() => {
    if (seen()) void ask();
  }, INTERVAL);
  const askAll = (): void => {
    if (!seen()) return;
    void recordings.ask();
    void ask();
  };
  // Another panel may have been shown.
  window.addEventListener('resize', () => {
    look.seen(!panel.hidden);
    askAll();
  });
  window.addEventListener('keydown', (event) => {
    const act = KEYS[event.key.toLowerCase() as keyof typeof KEYS];
    if (act === undefined || event.repeat || isTyped(event) || !store.mayControl) return;
    event.preventDefault();
    // Whether one is being recorded is not looked after while another panel is shown.
    if (act === 'record') void ask(PATIENCE).then(() => episode.act(act));
    else episode.act(act);
  });
  return panel;
}
