import { request } from '../api.ts';
import { calibratedBy } from '../calibrating.ts';
import { block, button, h, setText } from '../dom.ts';
import type { Hands } from '../hand.ts';
import { notice } from '../notices.ts';
import type { ArmInfo, SetupSession, SetupState } from '../protocol.ts';
import { allowControl } from '../reasons.ts';
import { SettingUp } from '../setting-up.ts';
import { armPicture, cablePicture } from '../setup-pictures.ts';
import type { Store } from '../store.ts';
import { spoken } from '../units.ts';
import { withoutCommands } from '../words.ts';
import { calibrationSteps, type HandOfPractice } from './calibration.ts';
import { firstTeleoperation, type Trial } from './first-teleoperation.ts';

type Role = 'leader' | 'follower';
const ROLES: readonly { readonly role: Role | null; readonly label: string }[] = [
  { role: 'leader', label: 'The leader: I hold it and lead it' },
  { role: 'follower', label: 'The follower: it moves by itself' },
  { role: null, label: 'Neither: it works alone' },
];
/** What is said while servos are looked for. */
const SLOW = 'One moment: servos that do not answer take some seconds.';
/** The arms that most people have come first. */
const ORDER = ['so101', 'so100', 'koch', 'wx250s'];

/** Buttons of which one is chosen. @param first chosen at first; undefined: none */
function choice<T>(
  label: string,
  options: readonly { readonly value: T; readonly content: readonly (Node | string)[]; readonly name: string }[],
  first: T | undefined,
  chosen: () => void,
): { readonly element: HTMLElement; value(): T | undefined } {
  let current = first;
  const show = (): void => {
    for (const [i, each] of buttons.entries()) each.setAttribute('aria-pressed', String(options[i]!.value === current));
  };
  const buttons = options.map(({ value, content, name }) => {
    const choose = (): void => {
      current = value;
      show();
      chosen();
    };
    return h('button', { type: 'button', class: 'choice', 'aria-label': name, onclick: choose }, ...content);
  });
  show();
  return {
    element: h('div', { class: 'row', role: 'group', 'aria-label': label }, ...buttons),
    value: () => current,
  };
}

/** What an arm is: model by picture, role, name. @param changed called when it has been closed or opened */
function armForm(
  setting: SettingUp,
  store: Store,
  changed: () => void,
): { readonly element: HTMLElement; open(bus: string | null, likely: readonly string[]): void; show(): void } {
  let bus: string | null = null;
  const under = h('p', { role: 'status' });
  const begin = button('Begin', () => void started(), { class: 'main' });
  let started = async (): Promise<void> => {};
  let unsaid = (): string => '';
  const element = h('section', { class: 'card', 'aria-label': 'What is it?', hidden: true });
  return {
    element,
    open(wanted, likely) {
      bus = wanted;
      setting.forget();
      const practice = bus === null;
      const known = (setting.state?.models ?? []).map(({ model, builds }) => ({ model, title: builds[0]!.title }));
      const order = [...likely, ...ORDER];
      const rank = (model: string): number => (order.includes(model) ? order.indexOf(model) : order.length);
      const models = [...known].sort((a, b) => rank(a.model) - rank(b.model));
      const name = h('input', {
        type: 'text',
        'aria-label': 'Name',
        maxlength: 32,
        autocomplete: 'off',
        spellcheck: 'false',
      });
      const model = choice(
        'Model',
        models.map(({ model, title }) => ({
          value: model,
          name: likely.includes(model) ? `${title} likely, by its adapter` : title,
          content: [
            armPicture(model),
            h('span', {}, `${title} `),
            ...(likely.includes(model) ? [h('small', {}, 'likely, by its adapter')] : []),
          ],
        })),
        models[0]!.model,
        () => {},
      );
      // None at first: whoever overlooked a wrong one would have the wrong arm move.
      const role = choice(
        'Role',
        ROLES.map((each) => ({ value: each.role, name: each.label, content: [each.label] })),
        undefined,
        () => {
          propose();
          changed();
        },
      );
      unsaid = () => (role.value() === undefined ? 'Say first whether you hold it.' : '');
      const propose = (): void => {
        const base = `${practice ? 'practice' : 'my'}_${role.value() ?? 'arm'}`;
        let free = base;
        for (let i = 2; store.arms.some((arm) => arm.name === free); i++) free = `${base}_${i}`;
        name.value = free;
      };
      propose();
      started = async () => {
        await setting.begin({ bus, model: model.value()!, role: role.value() ?? null, name: name.value });
      };
      const ask = h(
        'p',
        {},
        practice ? 'A simulated kit: its servos are new, and what you press is your hand.' : `On ${bus}.`,
      );
      element.replaceChildren(
        h('h2', {}, 'Which arm is it?'),
        ask,
        model.element,
        h('p', {}, 'Is it the leader, the one you hold, or the follower?'),
        role.element,
        h('label', { class: 'row' }, 'Name', name),
        h(
          'div',
          { class: 'row' },
          begin,
          button('Not now', () => {
            element.hidden = true;
            setting.forget();
            changed();
          }),
        ),
        under,
      );
      element.hidden = false;
      changed();
      element.querySelector('button')?.focus();
    },
    show() {
      if (setting.session !== null) element.hidden = true;
      const why = setting.busy ? SLOW : unsaid();
      setText(under, why);
      block(begin, why);
    },
  };
}

interface StepView {
  readonly say: string;
  readonly buttons: readonly HTMLElement[];
}

/** What is to be done at a step, and its buttons. */
function stepView(session: SetupSession, setting: SettingUp): StepView {
  const { step, servos, practice, name, given, counterparts, role, instruction } = session;
  const act =
    (...asked: Parameters<SettingUp['act']>) =>
    () =>
      void setting.act(...asked);
  const plug = (label: string, what: string): readonly HTMLElement[] =>
    practice ? [button(label, () => void setting.plug(name, what), { class: 'hand' })] : [];
  const due = servos.find((servo) => servo.due);
  switch (step) {
    case 'single': {
      const joint = spoken(due!.joint);
      return {
        say: instruction,
        buttons: [
          ...plug(`Your hand: plug in the ${joint} alone`, String(due!.id)),
          button(`It is connected: give it id ${due!.id}`, act('give'), { class: 'main' }),
          ...(given ? [button(`Give it id ${due!.id} all the same`, act('reassign'))] : []),
          button('Leave it out: it has its id', act('leave_out')),
        ],
      };
    }
    case 'missing':
      return {
        say: 'New servos are all alike: each gets its id, one at a time. If all have theirs, connect all of them as the picture shows, and look again.',
        buttons: [
          button('Give the servos their ids', act('singly'), { class: 'main' }),
          ...plug('Your hand: plug in all', 'all'),
          button('Look again', act('look')),
        ],
      };
    case 'look':
    case 'whole':
      return {
        say: instruction,
        buttons: [
          ...plug('Your hand: plug in all', 'all'),
          button('All are connected: look', act('look'), { class: 'main' }),
        ],
      };
    case 'registers':
      return {
        say: 'Set these registers? They last without supply.',
        buttons: [
          button('Set them', act('set_registers'), { class: 'main' }),
          button('Leave them', act('leave_registers')),
        ],
      };
    case 'enter': {
      const other = role === 'leader' ? 'follows it' : 'leads it, held by your hand';
      const alone = practice ? 'Add it to the bridge' : 'Write it into the configuration';
      return {
        say: counterparts.length > 0 ? `Which arm ${other}?` : 'All servos are set up.',
        buttons: [
          ...counterparts.map((each) => button(each, act('enter', each), { class: 'main' })),
          button(
            counterparts.length > 0 ? 'None of these' : alone,
            act('enter'),
            counterparts.length > 0 ? {} : { class: 'main' },
          ),
        ],
      };
    }
    case 'done':
      return { say: '', buttons: [] };
  }
}

/** The set-up under way, here or by somebody else. */
function sessionCard(setting: SettingUp, store: Store): { readonly element: HTMLElement; show(): void } {
  const title = h('h2', {});
  const picture = h('div', { class: 'picture' });
  const say = h('p', { class: 'say' });
  const said = h('p', { role: 'status' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const buttons = h('div', { class: 'row' });
  const end = button('End the set-up', () => void setting.end());
  const element = h(
    'section',
    { class: 'card', 'aria-label': 'Set-up', hidden: true },
    title,
    picture,
    say,
    buttons,
    said,
    fault,
    end,
  );
  let shown = '';
  return {
    element,
    show() {
      const { session, busy, outcome } = setting;
      element.hidden = session === null;
      if (session === null) {
        shown = '';
        return;
      }
      // Servos that have not got their ids yet are no fault.
      const found = session.step === 'missing' ? withoutCommands(session.fault) : '';
      setText(
        said,
        busy
          ? SLOW
          : [session.said, found.slice(0, 1).toUpperCase() + found.slice(1), outcome]
              .filter((text) => text !== '')
              .join(' '),
      );
      setText(fault, busy ? '' : withoutCommands(setting.fault || (found === '' ? session.fault : '')));
      for (const each of element.querySelectorAll('button')) block(each, busy ? 'One moment.' : '');
      const mine = session.by === store.hello?.client;
      end.hidden = !mine;
      const key = JSON.stringify([
        mine,
        session.name,
        session.step,
        session.servos.map(({ due }) => due),
        session.given,
        session.counterparts,
      ]);
      if (key === shown || busy) return;
      const had = buttons.contains(document.activeElement);
      shown = key;
      element.dataset.step = session.step;
      element.dataset.due = session.servos.find(({ due }) => due)?.joint ?? '';
      setText(title, `${session.name} on ${session.practice ? 'the simulated kit' : session.bus}`);
      picture.replaceChildren(cablePicture(session));
      const view = mine ? stepView(session, setting) : { say: `${session.by} is setting this arm up.`, buttons: [] };
      setText(say, view.say);
      buttons.replaceChildren(...view.buttons);
      if (had) buttons.querySelector<HTMLElement>('button')?.focus();
    },
  };
}

/** A step of a person's way, folded while another one is due. */
interface Step {
  readonly element: HTMLDetailsElement;
  show(): void;
}

function step(label: string, title: HTMLElement, ...parts: readonly HTMLElement[]): HTMLDetailsElement {
  return h('details', { class: 'card step', 'aria-label': label }, h('summary', {}, title), ...parts);
}

/** Whether an arm has still to be calibrated, or is just being. */
function wantsCalibration({ id }: ArmInfo, store: Store): boolean {
  const frame = store.frames.get(id);
  return frame !== undefined && (!frame.calibrated || calibratedBy(frame.owner) !== null);
}

/** The calibration of an arm that has been set up here. */
function calibrationStep(info: ArmInfo, store: Store): Step {
  const { name } = info;
  const hand: HandOfPractice = async (action) =>
    (await request({ path: '/api/v1/setup/hand', body: { arm: name, action } })).message;
  const title = h('h2', {});
  return {
    element: step(`Calibrate ${name}`, title, calibrationSteps(info, store, info.simulated ? hand : null)),
    show: () => setText(title, wantsCalibration(info, store) ? `Calibrate ${name}` : `${name} is calibrated`),
  };
}

/** The way of the arms that have been set up here: each one's calibration, and the first teleoperation of each pair. */
class Way {
  readonly element = h('div', { class: 'panel' });
  readonly #setting: SettingUp;
  readonly #store: Store;
  readonly #hands: Hands;
  readonly #done: (pair: Trial) => void;
  /** By what they show, so that one that is under way stays when others come. */
  #steps = new Map<string, Step>();

  /** @param done called with a pair of which somebody has said that it goes the right way */
  constructor(setting: SettingUp, store: Store, hands: Hands, done: (pair: Trial) => void) {
    this.#setting = setting;
    this.#store = store;
    this.#hands = hands;
    this.#done = done;
  }

  /** @returns the step that is due; null: none is */
  show(): Step | null {
    const { state } = this.#setting;
    if (state === null) return null;
    const made = this.#store.arms.filter(({ name }) => state.arms.includes(name));
    const steps = new Map<string, Step>();
    let due: Step | null = null;
    const put = (key: string, make: () => Step, isDue: boolean): void => {
      const found = this.#steps.get(key) ?? make();
      steps.set(key, found);
      if (isDue) due ??= found;
    };
    for (const info of made) {
      put(info.name, () => calibrationStep(info, this.#store), wantsCalibration(info, this.#store));
    }
    for (const pair of state.trials) put(JSON.stringify(pair), () => this.#trial(pair), true);
    this.#steps = steps;
    const elements = [...steps.values()].map(({ element }) => element);
    if (elements.some((element, i) => this.element.children[i] !== element)) this.element.replaceChildren(...elements);
    else for (const old of [...this.element.children].slice(elements.length)) old.remove();
    for (const each of steps.values()) each.show();
    return due;
  }

  #trial(pair: Trial): Step {
    const { element, show } = firstTeleoperation(pair, this.#setting, this.#store, this.#hands, () => this.#done(pair));
    const fields = h('fieldset', {}, element);
    const title = h('h2', {}, `${pair.leader} leads ${pair.follower}`);
    return {
      element: step(`First teleoperation of ${pair.follower}`, title, fields),
      show: () => {
        allowControl(fields, this.#store);
        show();
      },
    };
  }
}

/**
 * Set-up: a new arm, or a simulated kit, from the box to its first teleoperation.
 * @param open shows a panel
 */
export function setupPanel(store: Store, hands: Hands, open: (panel: 'setup' | 'teleoperation') => void): HTMLElement {
  const panel = h('div', { class: 'panel' });
  const rest = h('div', { class: 'panel' });
  const ports = h('div', { class: 'panel' });
  const practise = button('Practise with a simulated kit', () => form.open(null, []));
  block(practise, 'The bridge has not answered yet.');
  const none = h('p', { class: 'about' });
  const why = h('p', { class: 'about' });
  const outcome = h('p', { role: 'status', class: 'outcome' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const start = step(
    'New arm',
    h('h2', {}, 'A new arm'),
    h(
      'p',
      { class: 'about' },
      'Plug the adapter of the arm into this computer: it comes up here. Unplug it for a moment to see which one it is.',
    ),
    ports,
    none,
    practise,
    why,
  );
  const ready = h('section', { class: 'card', 'aria-label': 'Ready', hidden: true });
  const announced = new Set<string>();
  const setting: SettingUp = new SettingUp(
    () => show(),
    () => !panel.hidden,
  );
  const form = armForm(setting, store, () => show());
  const session = sessionCard(setting, store);
  const way = new Way(setting, store, hands, ({ leader, follower }) => {
    const go = (): void => {
      ready.hidden = true;
      store.choose({ leader, follower });
      open('teleoperation');
    };
    ready.replaceChildren(
      h('h2', {}, `${leader} leads ${follower}`),
      h('p', {}, 'Both arms are set up.'),
      h('div', { class: 'row' }, button('Teleoperate', go, { class: 'main' })),
    );
    ready.hidden = false;
  });
  let listed = '';
  let due: HTMLDetailsElement | null = null;

  const announce = ({ bus, adapter, likely }: SetupState['ports'][number]): void => {
    if (announced.has(bus) || adapter === null || !store.mayControl || setting.session !== null) return;
    announced.add(bus);
    const setUp = (): void => {
      open('setup');
      if (setting.session === null) form.open(bus, likely);
    };
    const gone = (): boolean => setting.state?.ports.every((port) => port.bus !== bus) ?? false;
    const what = likely.length > 0 ? 'A new arm on USB' : `An adapter that an arm may have (${adapter}) is on USB`;
    notice('ask', `${what}: set it up?`, { ways: [{ label: 'Set it up', run: setUp }], gone });
  };
  const showPorts = ({ ports: found, no_practice }: SetupState): void => {
    const key = JSON.stringify(found);
    if (key !== listed) {
      listed = key;
      ports.replaceChildren(
        ...found.map(({ bus, about, likely }) =>
          h(
            'div',
            { class: 'row' },
            h('span', {}, about),
            button('Set it up', () => form.open(bus, likely), found.length === 1 ? { class: 'main' } : {}),
          ),
        ),
      );
    }
    for (const bus of announced) if (found.every((port) => port.bus !== bus)) announced.delete(bus);
    for (const port of found) announce(port);
    setText(none, found.length === 0 ? 'No adapter without an arm is plugged in.' : '');
    block(practise, no_practice);
    setText(why, no_practice);
    practise.classList.toggle('main', found.length === 0);
  };
  const render = (): void => {
    const { state, busy } = setting;
    if (state !== null) showPorts(state);
    form.show();
    session.show();
    // Somebody else's set-up hides nothing but the beginning of another one.
    const isMine = setting.session !== null && setting.session.by === store.hello?.client;
    rest.hidden = isMine || !form.element.hidden;
    starting.hidden = setting.session !== null;
    if (isMine) ready.hidden = true;
    setText(outcome, setting.session === null && !busy ? setting.outcome : '');
    setText(fault, setting.session === null && !busy ? withoutCommands(setting.fault) : '');
    const next = way.show()?.element ?? (ready.hidden ? start : null);
    if (next === due) return;
    due = next;
    for (const each of [...way.element.children, start] as HTMLDetailsElement[]) each.open = each === due;
    if (!panel.hidden) due?.scrollIntoView({ block: 'nearest' });
  };
  // What a person has pressed may have done its part: the keyboard goes on to what is to be done next.
  const show = (): void => {
    const had = panel.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    render();
    if (had === null || had.checkVisibility()) return;
    const next = [...panel.querySelectorAll<HTMLElement>('button.main')].find((each) => each.checkVisibility());
    next?.focus();
  };
  const starting = h('fieldset', { disabled: true }, start);
  rest.append(ready, way.element, starting);
  const fieldset = h('fieldset', { class: 'panel', disabled: true }, form.element, session.element);
  panel.append(fieldset, outcome, fault, rest);
  store.on(['connection', 'hello'], () => {
    for (const part of [fieldset, starting]) allowControl(part, store);
    void setting.ask();
  });
  store.on(['arms', 'pairs'], () => {
    if (!panel.hidden) show();
  });
  return panel;
}
