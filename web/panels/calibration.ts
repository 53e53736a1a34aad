import { Calibrating, calibratedBy, SWEEP } from '../calibrating.ts';
import { block, button, h, isOn, setText, toggle } from '../dom.ts';
import type { ArmFrame, ArmInfo, SweptJoint } from '../protocol.ts';
import { allowControl } from '../reasons.ts';
import type { Store } from '../store.ts';
import { degrees, measure, spoken } from '../units.ts';

/** Steps of a calibration, from the first on; an arm that holds is lowered before them. */
const STEPS = ['Middle', 'Sweep', 'Hold', 'Move', 'Save'] as const;
/** Part of a joint's range that a bar shows: it is refused if it was led over more. */
const SHOWN = 1.4;
const ABOUT =
  'Finds out with a hand, in five steps, what the servos of an arm count from. The arm is limp at first: a real one is to be supported.';

/** What the hand of somebody who practises does at each step. */
const HAND_AT = [
  { label: 'bring every joint to its middle', action: 'middle' },
  { label: 'lead every joint to both ends', action: 'ends' },
  { label: 'raise the arm to the middle', action: 'middle' },
  { label: 'take it off the arm', action: 'let_go' },
  { label: 'take hold of the arm', action: 'middle' },
] as const;
/** Moves the hand of somebody who practises; never throws. @returns what has come of it, for people */
export type HandOfPractice = (action: 'middle' | 'ends' | 'let_go') => Promise<string>;

/** The bridge's own words, with the name of the button in place of the call that it stands for. */
function words(message: string, label: string): string {
  return message
    .replaceAll('at the next call', `on “${label}”`)
    .replaceAll('At the next call', `On “${label}”`)
    .replace('Call again to begin anew', 'Begin anew')
    .replace('name it as reversed', 'switch it on below');
}

/** What a joint has been led over, between the ends that it has by the data of the arm. */
function sweptRow(name: string): { readonly element: HTMLElement; show(joint: SweptJoint): void } {
  const swept = h('span', { class: 'swept' });
  const measured = h('span', { class: 'measured-mark' });
  const ends = [-1, 1].map((side) => {
    const end = h('span', { class: 'end-mark' });
    end.style.left = `${100 * (0.5 + side / (2 * SHOWN))}%`;
    return end;
  });
  const angle = h('span', { class: 'angle' });
  const details = h('span', { class: 'details' });
  const track = h('div', { class: 'track', 'aria-hidden': 'true' }, swept, ...ends, measured);
  const element = h(
    'li',
    { class: 'joint', 'data-swept': name },
    h('span', { class: 'name' }, spoken(name)),
    track,
    angle,
    details,
  );
  const whole = (value: number | null): string => measure(value === null ? null : degrees(value), 0, '°');
  return {
    element,
    show({ position, least, most, range, done }) {
      const place = (value: number): number => Math.min(Math.max(0.5 + value / (SHOWN * range), 0), 1);
      const known = position !== null && least !== null && most !== null;
      swept.hidden = measured.hidden = !known;
      if (known) {
        measured.style.left = `${100 * place(position)}%`;
        swept.style.left = `${100 * place(least)}%`;
        swept.style.right = `${100 * (1 - place(most))}%`;
      }
      element.dataset.done = String(done);
      setText(angle, whole(position));
      setText(details, `${whole(least)} to ${whole(most)} of ${whole(range)}${done ? ', enough' : ''}`);
    },
  };
}

interface Wizard {
  readonly element: HTMLElement;
  /** Whether its buttons can be pressed. */
  allow(store: Store): void;
  /** @param client this page, as owners are named */
  follow(frame: ArmFrame, client: string): void;
}

/** The steps of one arm's calibration, as they come to be. @param hand null: an arm that nobody practises with */
function wizard(info: ArmInfo, hand: HandOfPractice | null): Wizard {
  const rows = new Map(info.joints.map(({ name }) => [name, sweptRow(name)]));
  const switches = info.joints.map(({ name }) => ({ name, turned: toggle(spoken(name)) }));
  const turned = (): string[] => switches.filter((each) => isOn(each.turned)).map(({ name }) => name);

  const calibrating = new Calibrating(info, () => show());
  const marks = STEPS.map((name) => h('li', {}, name));
  const steps = h('ol', { class: 'steps', 'aria-label': 'Steps' }, ...marks);
  const said = h('p', { role: 'status' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const ranges = h(
    'ul',
    { class: 'joints', 'aria-label': 'What the joints have been led over' },
    ...[...rows.values()].map(({ element }) => element),
  );
  const judged = h(
    'div',
    { class: 'switches', role: 'group', 'aria-label': 'Joints that went the other way' },
    h('p', { 'aria-hidden': 'true' }, 'Went the other way, to be turned round and tried again:'),
    ...switches.map((each) => each.turned),
  );
  const under = h('p', { 'aria-live': 'polite' });
  const drop = h('p', { class: 'about', hidden: true });
  const go = async (): Promise<void> => {
    await calibrating.next(turned());
    // It has kept the arm from falling as it went limp.
    if (calibrating.outcome !== '') await hand?.('let_go');
  };
  /** What the hand has come to at the present step; empty before it has been moved. */
  let handed = '';
  let leading = false;
  let stepBefore: number | undefined;
  /** Who else calibrates the arm; empty while nobody does. */
  let by = '';
  const lead = async (): Promise<void> => {
    const at = HAND_AT[(calibrating.answer?.current_step ?? 0) - 1];
    if (hand === null || at === undefined) return;
    leading = true;
    show();
    handed = await hand(at.action);
    leading = false;
    show();
  };
  const byHand = button('', () => void lead(), { hidden: true });
  const next = button('Begin', () => void go(), { class: 'main' });
  const takeOver = button('Take over', () => void calibrating.next([], true), { hidden: true });
  const cancel = button('Cancel', () => void calibrating.cancel());
  const buttons = h('div', { class: 'row' }, byHand, next, takeOver, cancel);
  const fields = h('fieldset', { class: 'panel' }, judged, under, drop, buttons);

  const show = (): void => {
    const { answer, call, held, outcome } = calibrating;
    const step = answer?.current_step;
    const atEnd = answer !== null && step === answer.total_nb_steps;
    if (step !== stepBefore) handed = '';
    stepBefore = step;
    const at = hand === null ? undefined : HAND_AT[(step ?? 0) - 1];
    byHand.hidden = at === undefined;
    setText(byHand, at === undefined ? '' : `Your hand: ${at.label}`);
    block(byHand, leading ? 'It is on its way.' : '');
    if (!atEnd) for (const each of switches) each.turned.setAttribute('aria-pressed', 'false');
    const label = answer === null ? 'Begin' : atEnd ? 'Keep the calibration' : 'Go on';
    setText(next, turned().length > 0 ? 'Turn them round' : label);
    setText(
      drop,
      `${atEnd ? 'Each of the buttons' : 'Cancel'} lets the arm go limp within 2 s: take hold of it first.`,
    );
    const others = by === '' ? '' : `${by} calibrates it.`;
    block(next, others || (call !== null ? 'The step is under way.' : ''));
    cancel.hidden = answer === null && call !== 'cancel';
    block(cancel, others || (call === 'cancel' ? 'It is being ended.' : ''));
    steps.hidden = answer === null;
    for (const [i, mark] of marks.entries()) {
      if (i + 1 === step) mark.setAttribute('aria-current', 'step');
      else mark.removeAttribute('aria-current');
      mark.toggleAttribute('data-done', step !== undefined && i + 1 < step);
    }
    // What the arm does now, and which way its joints go, is still to be read while they do it.
    setText(said, answer === null ? outcome || ABOUT : words(answer.message, label));
    const busy = call === 'cancel' ? 'Ending: its servos get back what they had.' : 'The step is under way.';
    const now = call !== null ? busy : leading ? 'Your hand is on its way.' : handed;
    setText(under, now);
    under.hidden = now === '';
    said.classList.toggle('held', held && answer !== null && call === null);
    setText(fault, words(calibrating.fault, label));
    ranges.hidden = step !== SWEEP;
    for (const joint of calibrating.joints) rows.get(joint.name)?.show(joint);
    judged.hidden = !atEnd || call !== null;
  };
  for (const each of switches) each.turned.addEventListener('click', show);
  show();
  return {
    element: h('div', { class: 'panel' }, steps, said, ranges, fault, fields),
    allow(store) {
      allowControl(fields, store);
    },
    follow(frame, client) {
      const caller = calibratedBy(frame.owner);
      const other = caller === null || caller === client ? '' : caller;
      if (other !== by) {
        by = other;
        show();
      }
      calibrating.take(frame);
      const { answer, call } = calibrating;
      const others = frame.owner !== null && frame.state !== 'stopped';
      takeOver.hidden = !(answer === null && call === null && calibrating.fault !== '' && others);
      drop.hidden = !(answer !== null && frame.torque);
    },
  };
}

/** The steps of one arm's calibration, which follow the arm while they are seen. @param hand null: an arm that nobody practises with */
export function calibrationSteps(info: ArmInfo, store: Store, hand: HandOfPractice | null): HTMLElement {
  const steps = wizard(info, hand);
  const allow = (): void => steps.allow(store);
  allow();
  store.on(['connection', 'hello'], allow);
  store.on(['arms'], () => {
    const frame = store.frames.get(info.id);
    if (frame !== undefined && steps.element.offsetParent !== null) steps.follow(frame, store.hello?.client ?? '');
  });
  return steps.element;
}

/** Calibrates the arms, one at a time, on the routes of the command line's steps. */
export function calibrationCard(store: Store): HTMLElement {
  const choice = h('select', { 'aria-label': 'Arm to calibrate' });
  const body = h('div', {});
  const card = h(
    'section',
    { class: 'card', 'aria-label': 'Calibration' },
    h('div', { class: 'row' }, h('h2', {}, 'Calibration'), choice),
    body,
  );
  let shown: { readonly info: ArmInfo; readonly steps: Wizard } | null = null;
  const allow = (): void => shown?.steps.allow(store);
  const choose = (): void => {
    const info = store.arms[choice.selectedIndex];
    shown = info === undefined ? null : { info, steps: wizard(info, null) };
    allow();
    body.replaceChildren(...(shown === null ? [] : [shown.steps.element]));
  };
  choice.addEventListener('change', choose);
  store.on(['connection', 'hello'], allow);
  store.on(['models'], () => {
    const before = shown?.info.name;
    choice.replaceChildren(...store.arms.map(({ name }) => h('option', { selected: name === before }, name)));
    card.hidden = store.arms.length === 0;
    choose();
  });
  store.on(['arms'], () => {
    const frame = shown === null ? undefined : store.frames.get(shown.info.id);
    if (frame !== undefined && card.offsetParent !== null) shown?.steps.follow(frame, store.hello?.client ?? '');
  });
  return card;
}
