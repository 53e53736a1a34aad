import { command, type Outcome, request } from '../api.ts';
import { bridge } from '../bridge.ts';
import { button, h, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import type { Episode, EpisodeAnswer, Recording, RecordingList } from '../protocol.ts';
import type { Store } from '../store.ts';
import { measure } from '../units.ts';

/** How often it is asked whether an episode is being recorded, ms: another page or a program may have begun it. */
const INTERVAL = 1000;
/** Recordings that are shown. */
const SHOWN = 20;
/** Keys, which a foot pedal may press. */
const RECORD_KEY = 'r';
const MARK_KEY = 'm';

const megabytes = (bytes: number): string => measure(bytes / 1e6, bytes < 1e7 ? 1 : 0, ' MB');

/** A key that is pressed in a field is a letter. */
function isTyped({ target, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const field = target instanceof Element && target.closest('input, textarea, select') !== null;
  return field || ctrlKey || altKey || metaKey;
}

/** Starts and ends episodes, and says what they show. */
class EpisodeCard {
  readonly element: HTMLElement;
  /** Called when there are other recordings than before. */
  onChange: () => void = () => {};
  readonly #task = h('textarea', { rows: 1, maxlength: 200, 'aria-label': 'Task' });
  readonly #dataset = h('input', { maxlength: 64, pattern: '[A-Za-z0-9_-]*', 'aria-label': 'Dataset' });
  readonly #operator = h('input', { maxlength: 64, 'aria-label': 'Operator' });
  readonly #state = h('p', { class: 'about', role: 'status' });
  readonly #start = button('Record', () => void this.start(), { class: 'main' });
  readonly #ends: readonly HTMLButtonElement[];
  #recording = false;

  constructor() {
    const end = (label: string, body: object): HTMLButtonElement => button(label, () => void this.end(body));
    this.#ends = [
      end('End', {}),
      end('End: good', { verdict: 'good' }),
      end('End: bad', { verdict: 'bad' }),
      end('Drop', { keep: false }),
      button('Mark', () => void this.mark()),
    ];
    const field = (title: string, input: HTMLElement): HTMLElement => h('label', {}, title, input);
    this.element = h(
      'section',
      { class: 'card', 'aria-label': 'Episode' },
      h('h2', {}, 'Episode'),
      field('Task', this.#task),
      field('Dataset', this.#dataset),
      field('Operator', this.#operator),
      h('div', { class: 'row' }, this.#start, ...this.#ends),
      this.#state,
      h('p', { class: 'about' }, 'R begins and ends it, M puts a mark into it; a foot pedal is a key.'),
    );
    this.show(null);
  }

  /** What the bridge says of the episode that is being recorded. */
  show(episode: Episode | null): void {
    this.#recording = episode !== null;
    this.#start.disabled = this.#recording;
    for (const each of this.#ends) each.disabled = !this.#recording;
    const text =
      episode === null ? 'Nothing is being recorded.' : `${episode.name}: ${measure(episode.duration, 0, ' s')}`;
    setText(this.#state, text);
    this.element.dataset.recording = String(this.#recording);
  }

  async start(): Promise<void> {
    const dataset = this.#dataset.value === '' ? null : this.#dataset.value;
    const body = { dataset, task: this.#task.value, operator: this.#operator.value };
    this.#take(await command({ path: '/api/v1/episode/start', body }));
  }

  async end(body: object): Promise<void> {
    const outcome = await command({ path: '/api/v1/episode/stop', body });
    if (outcome.ok) notice('done', outcome.message);
    this.show(null);
    this.onChange();
  }

  async mark(): Promise<void> {
    await command({ path: '/api/v1/episode/mark' }, 'Marked');
  }

  /** A key of a person, or of a pedal. */
  key(key: string): void {
    if (key === MARK_KEY) void this.mark();
    else void (this.#recording ? this.end({}) : this.start());
  }

  #take({ ok, answer }: Outcome): void {
    if (ok) this.show((answer as EpisodeAnswer).episode);
  }
}

/** What has been recorded. */
class RecordingCard {
  readonly element: HTMLElement;
  readonly #rows = h('tbody', {});
  readonly #room = h('p', { class: 'about' });
  readonly #arm = h('select', { 'aria-label': 'Arm that replays' });
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    const heads = ['Name', 'Task', 'Length', 'Size', 'Actions'].map((title) => h('th', { scope: 'col' }, title));
    this.element = h(
      'section',
      { class: 'card', 'aria-label': 'Recordings' },
      h('h2', {}, 'Recordings'),
      h('label', {}, 'Replay on', this.#arm),
      h('div', { class: 'scrolled' }, h('table', {}, h('thead', {}, h('tr', {}, ...heads)), this.#rows)),
      this.#room,
    );
    store.on(['models'], () => {
      this.#arm.replaceChildren(...store.arms.map(({ id, name }) => h('option', { value: id }, name)));
    });
  }

  async ask(): Promise<void> {
    let told: RecordingList;
    try {
      told = await bridge.call('get', '/api/v1/recordings', { query: { limit: SHOWN } });
    } catch {
      // The header says that there is no connection.
      return;
    }
    const { recordings, total, used, quota, warning } = told;
    this.#rows.replaceChildren(...recordings.map((recording) => this.#row(recording)));
    const more = total > recordings.length ? `, ${total - recordings.length} older ones are not shown` : '';
    setText(this.#room, warning || `${total} in ${megabytes(used)} of ${megabytes(quota)}${more}.`);
  }

  #row({ name, dataset, content, task, verdict, duration, bytes, problem }: Recording): HTMLElement {
    const path = `/api/v1/recordings/${name}`;
    const changed = async (asked: Promise<Outcome>): Promise<void> => {
      if ((await asked).ok) await this.ask();
    };
    const judge = (to: string): HTMLButtonElement =>
      button(to, () => void changed(command({ path, body: { verdict: verdict === to ? '' : to } })), {
        'aria-pressed': String(verdict === to),
        disabled: content !== 'episode' || !this.#store.mayControl,
        'aria-label': `${name} is ${to}`,
      });
    const play = (): void => {
      const query = { robot_id: this.#arm.value };
      void command({ path: '/recording/play', query, body: { name } }, `${name} has been replayed`);
    };
    const remove = (): void => {
      notice('fault', `Delete ${name} for good?`, {
        label: 'Delete',
        run: () => void changed(request({ method: 'DELETE', path })),
      });
    };
    const may = { disabled: !this.#store.mayControl };
    const actions = [
      button('Replay', play, { ...may, 'aria-label': `Replay ${name}` }),
      judge('good'),
      judge('bad'),
      h('a', { href: `${path}/file`, download: `${name}.mcap`, 'aria-label': `Download ${name}` }, 'Download'),
      button('Delete', remove, { ...may, 'aria-label': `Delete ${name}` }),
    ];
    return h(
      'tr',
      { 'data-recording': name, 'data-verdict': verdict },
      h('th', { scope: 'row' }, dataset === null ? name : `${dataset}/${name}`),
      h('td', {}, problem === '' ? task : problem),
      h('td', {}, measure(duration, 1, ' s')),
      h('td', {}, megabytes(bytes)),
      h('td', {}, h('div', { class: 'row' }, ...actions)),
    );
  }
}

/** Recording: the episode that runs, and all that there are. */
export function recordPanel(store: Store): HTMLElement {
  const episode = new EpisodeCard();
  const recordings = new RecordingCard(store);
  const fieldset = h('fieldset', { class: 'panel', disabled: true }, episode.element);
  const panel = h('div', { class: 'panel' }, fieldset, recordings.element);
  store.on(['connection', 'hello'], () => {
    fieldset.disabled = !store.mayControl;
  });
  episode.onChange = () => void recordings.ask();
  const seen = (): boolean => !panel.hidden && !document.hidden && store.connection === 'live';
  const ask = async (): Promise<void> => {
    try {
      const signal = AbortSignal.timeout(INTERVAL);
      episode.show((await bridge.call('get', '/api/v1/episode', { signal })).episode);
    } catch {
      // The header says that there is no connection.
    }
  };
  setInterval(() => {
    if (seen()) void ask();
  }, INTERVAL);
  // The panel has been shown.
  window.addEventListener('resize', () => {
    if (!seen()) return;
    void recordings.ask();
    void ask();
  });
  window.addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    if ((key !== RECORD_KEY && key !== MARK_KEY) || event.repeat || isTyped(event) || !store.mayControl) return;
    event.preventDefault();
    // Whether one is being recorded is not looked after while another panel is shown.
    void ask().then(() => episode.key(key));
  });
  return panel;
}
