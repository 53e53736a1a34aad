import { command } from '../api.ts';
import { button, h, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import type { ArmInfo, SetupSession } from '../protocol.ts';
import { SettingUp } from '../setting-up.ts';
import { armPicture, cablePicture } from '../setup-pictures.ts';
import type { Store } from '../store.ts';
import { spoken } from '../units.ts';
import { calibrationSteps } from './calibration.ts';

type Role = 'leader' | 'follower';
const ROLES: readonly { readonly role: Role | null; readonly label: string }[] = [
  { role: 'leader', label: 'The leader: I hold it and lead it' },
  { role: 'follower', label: 'The follower: it moves by itself' },
  { role: null, label: 'Neither: it works alone' },
];
/** The arms that most people have come first. */
const ORDER = ['so101', 'so100', 'koch', 'wx250s'];

/** Buttons of which one is chosen. */
function choice<T>(
  label: string,
  options: readonly { readonly value: T; readonly content: readonly (Node | string)[]; readonly name: string }[],
  chosen: () => void,
): { readonly element: HTMLElement; value(): T; set(value: T): void } {
  let current = options[0]!.value;
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
    set(value) {
      current = value;
      show();
    },
  };
}

/** What an arm is: model by picture, role, name. */
function armForm(
  setting: SettingUp,
  store: Store,
): { readonly element: HTMLElement; open(bus: string | null, likely: readonly string[]): void } {
  let bus: string | null = null;
  const element = h('section', { class: 'card', 'aria-label': 'What is it?', hidden: true });
  return {
    element,
    open(wanted, likely) {
      bus = wanted;
      const practice = bus === null;
      const known = (setting.state?.models ?? []).map(({ model, builds }) => ({ model, title: builds[0]!.title }));
      const rank = (model: string): number =>
        likely.includes(model) ? -1 : ORDER.includes(model) ? ORDER.indexOf(model) : ORDER.length;
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
          name: title,
          content: [
            armPicture(model),
            h('span', {}, title),
            ...(likely.includes(model) ? [h('small', {}, 'likely, by its adapter')] : []),
          ],
        })),
        () => {},
      );
      const role = choice(
        'Role',
        ROLES.map((each) => ({ value: each.role, name: each.label, content: [each.label] })),
        () => propose(),
      );
      const propose = (): void => {
        const base = `${practice ? 'practice' : 'my'}_${role.value() ?? 'arm'}`;
        let free = base;
        for (let i = 2; store.arms.some((arm) => arm.name === free); i++) free = `${base}_${i}`;
        name.value = free;
      };
      // Whoever has set one arm of a pair up goes on with the other.
      const led = store.arms.some((arm) => arm.name === `${practice ? 'practice' : 'my'}_leader`);
      role.set(led ? 'follower' : 'leader');
      propose();
      const begin = async (): Promise<void> => {
        const begun = await setting.begin({ bus, model: model.value(), role: role.value(), name: name.value });
        if (begun) element.hidden = true;
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
          button('Begin', () => void begin(), { class: 'main' }),
          button('Not now', () => {
            element.hidden = true;
          }),
        ),
      );
      element.hidden = false;
      element.querySelector('button')?.focus();
    },
  };
}

interface StepView {
  readonly say: string;
  readonly buttons: readonly HTMLElement[];
}

/** What is to be done at a step, and its buttons. */
function stepView(session: SetupSession, setting: SettingUp): StepView {
  const { step, servos, practice, name, given, counterparts, role } = session;
  const act =
    (...asked: Parameters<SettingUp['act']>) =>
    () =>
      void setting.act(...asked);
  const plug = (label: string, what: string): readonly HTMLElement[] =>
    practice ? [button(label, () => void setting.hand(name, 'plug', what), { class: 'hand' })] : [];
  const due = servos.find((servo) => servo.due);
  switch (step) {
    case 'single': {
      const part = due!.part === null ? '' : `, the one with ${due!.part}`;
      const joint = spoken(due!.joint);
      return {
        say: `Connect only the servo for the ${joint} (a ${due!.model}${part}) to the adapter, and switch its supply on.`,
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
        say: 'New servos are all alike: each gets its id, one at a time. If all have theirs, connect all of them and look again.',
        buttons: [
          button('Give the servos their ids', act('singly'), { class: 'main' }),
          ...plug('Your hand: plug in all', 'all'),
          button('Look again', act('look')),
        ],
      };
    case 'look':
    case 'whole':
      return {
        say: 'Connect all servos of the arm one behind the other, and switch the supply on.',
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

/** The set-up under way. */
function sessionCard(setting: SettingUp): { readonly element: HTMLElement; show(): void } {
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
      setText(
        said,
        busy
          ? 'One moment: servos that do not answer take some seconds.'
          : [session.said, outcome].filter((text) => text !== '').join(' '),
      );
      setText(fault, busy ? '' : setting.fault || session.fault);
      // A button that is disabled would lose the keyboard.
      for (const each of element.querySelectorAll('button')) each.setAttribute('aria-disabled', String(busy));
      const key = JSON.stringify([
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
      const view = stepView(session, setting);
      setText(say, view.say);
      buttons.replaceChildren(...view.buttons);
      if (had) buttons.querySelector<HTMLElement>('button')?.focus();
    },
  };
}

/** Arms that have been set up here, each with its calibration. */
function calibrations(setting: SettingUp, store: Store): { readonly element: HTMLElement; show(): void } {
  const element = h('div', { class: 'panel' });
  let shown = '';
  return {
    element,
    show() {
      const made = setting.state?.arms ?? [];
      const arms = store.arms.filter(({ name }) => made.includes(name));
      const key = JSON.stringify(arms);
      if (key === shown) return;
      shown = key;
      element.replaceChildren(...arms.map((info) => card(info, setting, store)));
    },
  };
}

function card(info: ArmInfo, setting: SettingUp, store: Store): HTMLElement {
  const steps = calibrationSteps(info, store);
  const hand = (label: string, action: string): HTMLElement =>
    button(label, () => void setting.hand(info.name, action), { class: 'hand' });
  const hands = info.simulated
    ? [
        h(
          'div',
          { class: 'row', role: 'group', 'aria-label': `Your hand on ${info.name}` },
          hand('Your hand: to the middle', 'middle'),
          hand('Your hand: to all ends', 'ends'),
          hand('Your hand: let go', 'let_go'),
        ),
      ]
    : [];
  return h(
    'section',
    { class: 'card', 'aria-label': `Calibrate ${info.name}` },
    h('h2', {}, `Calibrate ${info.name}`),
    ...hands,
    steps,
  );
}

/** Pairs whose first teleoperation is still to be looked at. */
function trials(setting: SettingUp, store: Store): { readonly element: HTMLElement; show(): void } {
  const element = h('div', { class: 'panel' });
  let shown = '';
  return {
    element,
    show() {
      const pairs = setting.state?.trials ?? [];
      const key = JSON.stringify(pairs);
      if (key === shown) return;
      shown = key;
      element.replaceChildren(
        ...pairs.map(({ leader, follower }) => {
          const advice = h('p', { role: 'status' });
          const idOf = (name: string): number | undefined => store.arms.find((arm) => arm.name === name)?.id;
          const start = (): void => {
            const body = { robot_pairs: [{ leader_id: idOf(leader), follower_id: idOf(follower) }] };
            void command(
              { path: '/move/leader/start', body },
              `${follower} goes to where ${leader} is, slowly, then follows it.`,
            );
          };
          const stopped = async (): Promise<boolean> => (await command({ path: '/move/leader/stop' })).ok;
          const right = async (): Promise<void> => {
            if (await stopped()) await setting.verdict(follower, 'right');
          };
          const turned = async (): Promise<void> => {
            if (!(await stopped())) return;
            setText(
              advice,
              `One of the two calibrations has the joint the other way round. Calibrate both again, and watch at the last step which way each joint goes.`,
            );
          };
          const swapped = async (): Promise<void> => {
            if (await stopped()) await setting.verdict(follower, 'swapped');
          };
          return h(
            'section',
            { class: 'card', 'aria-label': `First teleoperation of ${follower}` },
            h('h2', {}, `${leader} leads ${follower}`),
            h(
              'p',
              {},
              `When both are calibrated: take ${leader} in your hand, keep the way of ${follower} clear and the switch of its supply within reach. It goes no faster than 23 degrees a second.`,
            ),
            h('div', { class: 'row' }, button('Start slowly', start, { class: 'main' })),
            h('p', {}, `Lead ${leader} slowly, one joint after the other. Does ${follower} go the right way?`),
            h(
              'div',
              { class: 'row' },
              button('Yes: every joint goes as I lead it', () => void right()),
              button('No: a joint goes another way', () => void turned()),
              button('No: the arm in my hand pulls, and the other is limp', () => void swapped()),
            ),
            advice,
          );
        }),
      );
    },
  };
}

/** Set-up: a new arm, or a simulated kit, from the box to its first teleoperation. @param open shows this panel */
export function setupPanel(store: Store, open: () => void): HTMLElement {
  const ports = h('div', { class: 'row' });
  const practise = button('Practise with a simulated kit', () => form.open(null, []), { disabled: true });
  const none = h('p', { class: 'about' });
  const why = h('p', { class: 'about' });
  const outcome = h('p', { role: 'status', class: 'outcome' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const start = h(
    'section',
    { class: 'card', 'aria-label': 'New arm' },
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
  const announced = new Set<string>();
  const setting = new SettingUp(() => show());
  const form = armForm(setting, store);
  const session = sessionCard(setting);
  const first = trials(setting, store);
  const calibrated = calibrations(setting, store);
  let listed = '';

  const announce = (bus: string, likely: readonly string[]): void => {
    if (announced.has(bus) || likely.length === 0 || !store.mayControl) return;
    announced.add(bus);
    const setUp = (): void => {
      open();
      form.open(bus, likely);
    };
    notice('ask', 'A new arm on USB: set it up?', { ways: [{ label: 'Set it up', run: setUp }] });
  };
  const show = (): void => {
    const { state, busy } = setting;
    if (state !== null) {
      const key = JSON.stringify(state.ports);
      if (key !== listed) {
        listed = key;
        ports.replaceChildren(
          ...state.ports.map(({ bus, about, likely }) =>
            h(
              'div',
              { class: 'row' },
              h('span', {}, about),
              button('Set it up', () => form.open(bus, likely)),
            ),
          ),
        );
      }
      for (const { bus, likely } of state.ports) announce(bus, likely);
      setText(none, state.ports.length === 0 ? 'No adapter without an arm is plugged in.' : '');
      practise.disabled = state.no_practice !== '';
      setText(why, state.no_practice);
    }
    start.hidden = setting.session !== null;
    setText(outcome, setting.session === null && !busy ? setting.outcome : '');
    setText(fault, setting.session === null && !busy ? setting.fault : '');
    session.show();
    first.show();
    calibrated.show();
  };
  const fieldset = h(
    'fieldset',
    { class: 'panel', disabled: true },
    start,
    form.element,
    session.element,
    outcome,
    fault,
  );
  const trying = h('fieldset', { class: 'panel', disabled: true }, first.element);
  const panel = h('div', { class: 'panel' }, fieldset, calibrated.element, trying);
  store.on(['connection', 'hello'], () => {
    fieldset.disabled = trying.disabled = !store.mayControl;
    void setting.ask();
  });
  return panel;
}
