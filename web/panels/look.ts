import { command } from '../api.ts';
import { bridge } from '../bridge.ts';
import type { Curve, StillChart } from '../chart.ts';
import { block, button, h, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import type { Recording, RecordingForeseen, RecordingSamples } from '../protocol.ts';
import { whyNoControl, whyNoMotion } from '../reasons.ts';
import type { Store } from '../store.ts';
import { degrees, measure, spoken, toldOfSpacing } from '../units.ts';

/** Points of a curve: as many as are seen. */
const POINTS = 300;
/** How often the scene is shown while it runs, ms. */
const FRAME = 50;
/** Parts of the recorded speed at which it is shown and replayed. */
const SPEEDS = [1, 0.75, 0.5, 0.25];
/** Of the joints, in their order. */
const COLOURS = [
  'light-dark(#1f5fd0, #79aaff)',
  'light-dark(#b8420b, #ff9c61)',
  'light-dark(#157a3c, #63d68f)',
  'light-dark(#9a1fb0, #e691f2)',
  'light-dark(#0e7186, #55d0e6)',
  'light-dark(#7a5210, #dcb765)',
  'light-dark(#b3123a, #ff8fa8)',
];
/** So much is told of what an arm cannot reach. */
const TOLD = 3;
const ALL = 'All joints';
const EXTERNAL = 'External torques';

/** Values of each row at a time, between its samples; a row that has none there is left out as NaN. */
function valuesAt(times: readonly number[], rows: RecordingSamples['positions'], time: number): number[] {
  const after = times.findIndex((at) => at >= time);
  const k = after < 0 ? times.length - 1 : after;
  const [from, to] = [times[Math.max(k - 1, 0)] ?? 0, times[k] ?? 0];
  const part = to > from ? Math.min(Math.max((time - from) / (to - from), 0), 1) : 1;
  return rows.map((row) => {
    const [a, b] = [row[Math.max(k - 1, 0)] ?? Number.NaN, row[k] ?? Number.NaN];
    return a + part * (b - a);
  });
}

/** Curves of a recording as they are drawn and told. */
interface Curves {
  readonly curves: readonly Curve[];
  readonly rows: RecordingSamples['positions'];
  readonly drawn: (value: number) => number;
  readonly digits: number;
  readonly unit: string;
}

/** The chosen curves: all joints, what pushed them, or what was measured and wanted of one. */
function curvesOf({ joints, positions, goals, external }: RecordingSamples, chosen: string): Curves {
  const ofAll = joints.map((name, i) => ({ name: spoken(name), colour: COLOURS[i % COLOURS.length]! }));
  if (chosen === EXTERNAL) return { curves: ofAll, rows: external, drawn: (value) => value, digits: 2, unit: ' Nm' };
  const angles = { drawn: degrees, digits: 1, unit: '°' };
  const k = joints.indexOf(chosen);
  if (k < 0) return { curves: ofAll, rows: positions, ...angles };
  const ofOne = [
    { name: 'measured', colour: 'var(--accent)' },
    { name: 'wanted', colour: 'var(--goal)' },
  ];
  return { curves: ofOne, rows: [positions[k]!, goals[k]!], ...angles };
}

/** One recording on a time line: its curves, its arms as ghosts in the scene, parts of it, and its replay. */
export class LookCard {
  readonly element: HTMLElement;
  /** Called when there are other recordings than before. */
  onChange: () => void = () => {};
  readonly #store: Store;
  readonly #title = h('h2', {});
  readonly #source = h('select', { 'aria-label': 'Recorded arm' });
  readonly #joint = h('select', { 'aria-label': 'Curves of' });
  readonly #host = h('div', { class: 'chart still', role: 'img', 'aria-label': 'Angles of the joints over time' });
  readonly #coarse = h('p', { class: 'about' });
  readonly #legend = h('div', { class: 'row legend' });
  readonly #line = h('input', { type: 'range', min: 0, step: 'any', value: 0, 'aria-label': 'Time' });
  readonly #time = h('output', {});
  readonly #run = button('Play', () => this.#play(), { 'aria-label': 'Play in the scene' });
  readonly #part = h('span', { class: 'quiet' });
  readonly #name = h('input', { maxlength: 64, pattern: '[A-Za-z0-9_-]*', 'aria-label': 'Name of the part' });
  readonly #trim = button('Trim', () => void this.#trimmed());
  readonly #arm = h('select', { 'aria-label': 'Arm that replays' });
  readonly #speed = h(
    'select',
    { 'aria-label': 'Speed' },
    ...SPEEDS.map((speed) => h('option', { value: speed }, `${speed} ×`)),
  );
  readonly #replay = button('Replay', () => void this.#replayed(), { class: 'main' });
  readonly #unreached = h('p', { class: 'about unreached', 'aria-live': 'polite' });
  readonly #download = h('a', {}, 'Download');
  #chart: StillChart | null = null;
  #recording: Recording | null = null;
  /** Of each of its arms. */
  #samples: readonly RecordingSamples[] = [];
  /** What the arm that is chosen would do of it; null until the bridge has told. */
  #foreseen: RecordingForeseen | null = null;
  #at = 0;
  #begin = 0;
  #end = 0;
  #running: ReturnType<typeof setInterval> | null = null;

  constructor(store: Store) {
    this.#store = store;
    const field = (title: string, input: HTMLElement): HTMLElement => h('label', {}, title, input);
    const close = button('×', () => this.close(), { class: 'close', 'aria-label': 'Close the recording' });
    this.element = h(
      'section',
      { class: 'card look', 'aria-label': 'Look at a recording', hidden: true },
      h('div', { class: 'row' }, this.#title, close),
      h('div', { class: 'row' }, this.#source, this.#joint),
      this.#host,
      h('div', { class: 'row' }, this.#run, this.#line, this.#time),
      this.#coarse,
      this.#legend,
      h(
        'div',
        { class: 'row' },
        button('Begin here', () => this.#bound('begin')),
        button('End here', () => this.#bound('end')),
        this.#part,
      ),
      h('div', { class: 'row' }, field('Keep as', this.#name), this.#trim),
      h('div', { class: 'row' }, field('Replay on', this.#arm), field('Speed', this.#speed), this.#replay),
      this.#unreached,
      h('div', { class: 'row' }, this.#download),
    );
    this.#line.addEventListener('input', () => {
      this.#halt();
      this.#go(Number(this.#line.value));
    });
    this.#source.addEventListener('change', () => {
      this.#draw();
      void this.#ask();
    });
    this.#arm.addEventListener('change', () => {
      this.#allow();
      void this.#ask();
    });
    this.#joint.addEventListener('change', () => this.#draw());
    store.on(['models'], () => this.#list());
    store.on(['connection', 'hello', 'arms'], () => this.#allow());
  }

  /** Fetches what is to be seen of a recording, and shows its beginning. */
  async open(recording: Recording): Promise<void> {
    const { name, arms, duration } = recording;
    const samples: RecordingSamples[] = [];
    try {
      this.#chart ??= await import('../chart.ts').then(
        ({ StillChart }) => new StillChart(this.#host, (time) => this.#pointed(time)),
      );
      for (const source of arms) {
        const query = { source, points: POINTS };
        samples.push(await bridge.call('get', '/api/v1/recordings/{name}/samples', { path: { name }, query }));
      }
    } catch (error) {
      notice('fault', error instanceof Error ? error.message : String(error));
      return;
    }
    this.#halt();
    this.#recording = recording;
    this.#samples = samples;
    [this.#at, this.#begin, this.#end] = [0, 0, duration];
    setText(this.#title, name);
    this.#line.max = String(duration);
    this.#name.value = '';
    this.#name.placeholder = `${name}-trimmed`.slice(0, 64);
    this.#source.replaceChildren(...arms.map((arm) => h('option', {}, arm)));
    const same = [...this.#arm.options].findIndex(({ text }) => text === arms.at(-1));
    if (same >= 0) [this.#arm.selectedIndex, this.#source.selectedIndex] = [same, arms.length - 1];
    this.#download.href = `/api/v1/recordings/${name}/file`;
    this.#download.download = `${name}.mcap`;
    this.element.hidden = false;
    this.#allow();
    this.#draw();
    void this.#ask();
    this.element.scrollIntoView({ block: 'nearest' });
  }

  /** The arms that can replay. The one that is chosen stays chosen; where it is gone, none is. */
  #list(): void {
    const before = this.#arm.selectedOptions[0]?.text;
    const { arms } = this.#store;
    this.#arm.replaceChildren(...arms.map(({ id, name }) => h('option', { value: id }, name)));
    if (before !== undefined) this.#arm.selectedIndex = arms.findIndex(({ name }) => name === before);
    this.#allow();
    if (this.#recording !== null) void this.#ask();
  }

  /** Shows it again, or no more, as its panel is. */
  seen(visible: boolean): void {
    if (!visible) this.#halt();
    this.#foresee(visible);
  }

  close(): void {
    this.#halt();
    this.#recording = null;
    this.element.hidden = true;
    this.#foresee(false);
  }

  /** A recording is no more. */
  gone(name: string): void {
    if (this.#recording?.name === name) this.close();
  }

  get #shown(): RecordingSamples | undefined {
    return this.#samples[this.#source.selectedIndex];
  }

  /** The chosen curves. */
  #draw(): void {
    const shown = this.#shown;
    if (shown === undefined) return;
    const known = shown.external.some((row) => row.some((value) => value !== null));
    const names = [ALL, ...(known ? [EXTERNAL] : []), ...shown.joints];
    if (names.join() !== [...this.#joint.options].map(({ value }) => value).join()) {
      this.#joint.replaceChildren(...names.map((name) => h('option', { value: name }, spoken(name))));
    }
    setText(this.#coarse, toldOfSpacing(shown.times));
    const { curves, rows, drawn } = curvesOf(shown, this.#joint.value);
    this.#legend.replaceChildren(
      ...curves.map(({ name, colour }) => {
        const key = h('span', { class: 'key' }, `${name} `, h('output', {}));
        key.style.setProperty('--curve', colour);
        return key;
      }),
    );
    this.#chart?.draw(
      curves,
      shown.times,
      rows.map((row) => row.map((value) => (value === null ? null : drawn(value)))),
    );
    this.#go(this.#at);
  }

  /** Shows a moment, s. */
  #go(time: number): void {
    const duration = this.#recording?.duration ?? 0;
    this.#at = Math.min(Math.max(time, 0), duration);
    this.#line.value = String(this.#at);
    setText(this.#time, `${measure(this.#at, 2, '')} of ${measure(duration, 2, ' s')}`);
    this.#line.setAttribute('aria-valuetext', measure(this.#at, 2, ' s'));
    setText(this.#part, `from ${measure(this.#begin, 2, '')} to ${measure(this.#end, 2, ' s')}`);
    this.#chart?.mark({ time: this.#at, begin: this.#begin, end: this.#end });
    const shown = this.#shown;
    if (shown !== undefined) {
      const { rows, drawn, digits, unit } = curvesOf(shown, this.#joint.value);
      const values = valuesAt(shown.times, rows, this.#at);
      for (const [i, output] of [...this.#legend.querySelectorAll('output')].entries()) {
        const value = values[i]!;
        setText(output, measure(Number.isFinite(value) ? drawn(value) : null, digits, unit));
      }
    }
    this.#foresee(true);
  }

  /** Asks what the chosen arm would do, and says what of it that arm cannot reach. */
  async #ask(): Promise<void> {
    const { value: arm } = this.#arm;
    const [recording, source] = [this.#recording, this.#source.value];
    this.#foreseen = null;
    setText(this.#unreached, '');
    this.#foresee(!this.element.hidden);
    if (recording === null || arm === '') return;
    const { name } = recording;
    const query = { robot_id: Number(arm), source, points: POINTS };
    let foreseen: RecordingForeseen | null = null;
    let text: string;
    try {
      foreseen = await bridge.call('get', '/api/v1/recordings/{name}/replay', { path: { name }, query });
      const spans = foreseen.unreached.map(
        ({ begin, end, text }) => `From ${measure(begin, 1, '')} to ${measure(end, 1, ' s')}: ${text}.`,
      );
      const more = spans.length > TOLD ? [`And ${spans.length - TOLD} times more.`] : [];
      text = [...spans.slice(0, TOLD), ...more].join(' ') || (foreseen.refusal ?? '');
    } catch (error) {
      text = error instanceof Error ? error.message : String(error);
    }
    // Somebody may have chosen another one meanwhile.
    if (this.#recording !== recording || this.#arm.value !== arm || this.#source.value !== source) return;
    this.#foreseen = foreseen;
    setText(this.#unreached, text);
    this.#foresee(!this.element.hidden);
  }

  /** Has the ghosts stand as the arms of these names and joints stood, and the one that is to replay it as it would. */
  #foresee(visible: boolean): void {
    const shown = visible && this.#recording !== null;
    document.body.toggleAttribute('data-looking', shown);
    const ghosts = new Map<string, number[]>();
    for (const { source, joints, times, positions } of shown ? this.#samples : []) {
      const names = this.#store.arms.find(({ name }) => name === source)?.joints.map(({ name }) => name);
      const columns = names?.map((name) => joints.indexOf(name)) ?? [-1];
      const values = valuesAt(times, positions, this.#at);
      const stood = columns.map((column) => values[column] ?? Number.NaN);
      if (stood.every(Number.isFinite)) ghosts.set(source, stood);
    }
    const replays = this.#arm.selectedOptions[0]?.text;
    if (shown && this.#foreseen !== null && replays !== undefined && replays !== this.#foreseen.source) {
      const { times, positions } = this.#foreseen;
      ghosts.set(replays, valuesAt(times, positions, this.#at));
    }
    this.#store.foresee(ghosts);
  }

  #pointed(time: number): void {
    this.#halt();
    this.#go(time);
  }

  #play(): void {
    if (this.#running !== null) {
      this.#halt();
      return;
    }
    if (this.#at >= this.#end) this.#go(this.#begin);
    let last = performance.now();
    setText(this.#run, 'Pause');
    this.#running = setInterval(() => {
      const now = performance.now();
      this.#go(this.#at + ((now - last) / 1000) * Number(this.#speed.value));
      last = now;
      if (this.#at >= this.#end) this.#halt();
    }, FRAME);
  }

  #halt(): void {
    if (this.#running !== null) clearInterval(this.#running);
    this.#running = null;
    setText(this.#run, 'Play');
  }

  #bound(which: 'begin' | 'end'): void {
    if (which === 'begin') this.#begin = this.#at;
    else this.#end = this.#at;
    // The other end gives way.
    if (this.#begin >= this.#end && which === 'begin') this.#end = this.#recording?.duration ?? 0;
    if (this.#begin >= this.#end) this.#begin = 0;
    this.#allow();
    this.#go(this.#at);
  }

  #allow(): void {
    const duration = this.#recording?.duration ?? 0;
    const whole = this.#begin === 0 && this.#end === duration;
    const arm = this.#store.arms[this.#arm.selectedIndex];
    block(this.#trim, whyNoControl(this.#store) || (whole ? 'Choose where the part begins or ends first.' : ''));
    const which = whyNoControl(this.#store) || 'Choose the arm that replays it first.';
    block(this.#replay, arm === undefined ? which : whyNoMotion(this.#store, arm));
  }

  async #trimmed(): Promise<void> {
    if (this.#recording === null) return;
    const path = `/api/v1/recordings/${this.#recording.name}/trim`;
    const name = this.#name.value === '' ? null : this.#name.value;
    const { ok, message } = await command({ path, body: { begin: this.#begin, end: this.#end, name } });
    if (!ok) return;
    notice('done', message);
    this.onChange();
  }

  async #replayed(): Promise<void> {
    if (this.#recording === null) return;
    const { name } = this.#recording;
    const body = { name, speed: Number(this.#speed.value), source: this.#shown?.source ?? null };
    this.#halt();
    // The arm itself shows it.
    this.#foresee(false);
    await command({ path: '/recording/play', query: { robot_id: this.#arm.value }, body }, `${name} has been replayed`);
  }
}
