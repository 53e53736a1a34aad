import { type Command, command } from '../api.ts';
import { AskedAngle } from '../asked-angle.ts';
import { block, button, h, isBlocked, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import type { ArmFrame, ArmInfo } from '../protocol.ts';
import { whyNoMotion, whyNotHeld } from '../reasons.ts';
import type { Store } from '../store.ts';
import { degrees, measure, radians, spoken } from '../units.ts';

/** What a key moves a joint by, and how finely a pointer can, degrees. */
const STEP = 1;

const writing = (info: ArmInfo, joint: number, angle: number): Command => ({
  name: `${spoken(info.joints[joint]!.name)} of ${info.name}`,
  path: '/joints/write',
  query: { robot_id: info.id },
  body: { angles: [angle], joints_ids: [joint] },
});

interface Row {
  readonly element: HTMLElement;
  show(frame: ArmFrame, why: string): void;
  /** After a stop nothing that was asked for here counts. */
  forget(): void;
}

/** A joint's angle between its limits: the knob is where it was last asked to be, the mark below where it is. */
function jointRow(info: ArmInfo, index: number, store: Store): Row {
  const { name, lower, upper } = info.joints[index]!;
  const [least, most] = [Math.ceil(degrees(lower)), Math.floor(degrees(upper))];
  const label = `Angle of ${spoken(name)}, ${least} to ${most} degrees`;
  const input = h('input', {
    type: 'range',
    min: least,
    max: most,
    step: STEP,
    class: 'slide-knob',
    'aria-label': label,
  });
  const actual = h('span', { class: 'actual', 'aria-hidden': 'true' });
  const angle = h('output', {});
  const goal = h('span', { class: 'goal' });
  let held = false;
  const asked = new AskedAngle();
  input.addEventListener('input', () => {
    if (isBlocked(input)) return;
    held = true;
    setText(goal, `→ ${input.value}°`);
    // The ghost shows where the arm would stand.
    const joints = store.frames.get(info.id)?.joints.position.map((value) => value ?? 0);
    if (joints === undefined) return;
    joints[index] = radians(Number(input.value));
    store.foresee(new Map([[info.name, joints]]));
  });
  const letGo = (): void => {
    if (!held) return;
    held = false;
    store.foresee(new Map());
  };
  input.addEventListener('change', () => {
    // After a stop the finger that is still on the slider moves nothing.
    if (!held) return;
    letGo();
    const value = Number(input.value);
    const answer = command(writing(info, index, radians(value))).then(({ ok }) => ok);
    void asked.ask(value, store.frames.get(info.id), answer);
  });
  const element = h(
    'div',
    { class: 'joint-slider', 'data-slider': name },
    h('span', { 'aria-hidden': 'true' }, spoken(name)),
    h('div', { class: 'slide' }, input, actual, h('i', {}, `${least}°`), h('i', {}, `${most}°`)),
    h('div', { class: 'figures' }, angle, goal),
  );
  return {
    element,
    show(frame, why) {
      const { joints } = frame;
      const measured = joints.position[index] ?? null;
      const wanted = joints.goal[index] ?? null;
      block(input, why);
      if (why !== '') letGo();
      setText(angle, measure(measured === null ? null : degrees(measured), 0, '°'));
      actual.hidden = measured === null;
      if (measured !== null) {
        const part = Math.min(Math.max((measured - lower) / (upper - lower), 0), 1);
        actual.style.left = `calc(8px + ${part} * (100% - 16px))`;
      }
      const goalNow = wanted === null ? null : degrees(wanted);
      asked.see(frame, goalNow, store.hello?.client, why);
      if (held) return;
      const target = asked.value ?? goalNow;
      const shown = target ?? (measured === null ? null : degrees(measured));
      if (shown !== null) input.value = String(Math.round(shown));
      const apart = measured !== null && target !== null && Math.abs(target - degrees(measured)) >= 2;
      setText(goal, apart ? `→ ${measure(target, 0, '°')}` : '');
    },
    forget() {
      letGo();
      asked.forget();
    },
  };
}

/** Opens and closes the gripper. A limp arm would rise by it: it is asked first. */
function gripperRow(info: ArmInfo, store: Store): Row | null {
  if (info.gripper === null) return null;
  const { index, closed, open } = info.gripper;
  const act = (value: number, label: string): void => {
    const go = (): void => {
      const asked = writing(info, index, closed + value * (open - closed));
      void command({ ...asked, name: `${label} of ${info.name}` });
    };
    if (store.frames.get(info.id)?.torque !== false) {
      go();
      return;
    }
    notice(
      'ask',
      `${info.name} is limp: its torque goes on, and it holds itself where it is. Is nobody's hand in it?`,
      {
        ways: [{ label: `Hold and ${label.toLowerCase()}`, run: go }],
        about: `gripper ${info.id}`,
        gone: ({ frames }) => frames.get(info.id)?.torque === true,
      },
    );
  };
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 0.02,
    value: 0,
    'aria-label': 'Opening of the gripper',
  });
  slider.addEventListener('change', () => {
    if (!isBlocked(slider)) act(Number(slider.value), 'Gripper');
  });
  // Whoever has the slider by the keyboard goes on from what was asked for, a pointer lets go of it.
  slider.addEventListener('pointerup', () => slider.blur());
  const measured = h('output', {});
  const buttons = [button('Close', () => act(0, 'Close')), button('Open', () => act(1, 'Open'))];
  return {
    element: h(
      'div',
      { class: 'joint-slider gripper', role: 'group', 'aria-label': 'Gripper' },
      h('span', {}, 'gripper'),
      h('div', { class: 'row pinch' }, buttons[0]!, slider, buttons[1]!),
      measured,
    ),
    show({ opening }, why) {
      for (const each of buttons) block(each, whyNoMotion(store, info));
      setText(measured, measure(opening === null ? null : 100 * opening, 0, ' %'));
      block(slider, why);
      if (opening !== null && (document.activeElement !== slider || why !== '')) slider.value = String(opening);
    },
    forget() {},
  };
}

/** Sliders that set the joints of an arm, and what opens its gripper. */
export function jointSliders(
  info: ArmInfo,
  store: Store,
): { readonly element: HTMLElement; show(): void; forget(): void } {
  const joints = info.joints.flatMap((_, index) =>
    index === info.gripper?.index ? [] : [jointRow(info, index, store)],
  );
  const gripper = gripperRow(info, store);
  const rows = gripper === null ? joints : [...joints, gripper];
  const about = h('p', { class: 'about' });
  const element = h(
    'section',
    { class: 'card', 'aria-label': 'Joints' },
    h('div', { class: 'row' }, h('h2', {}, 'Joints'), about),
    ...rows.map((row) => row.element),
  );
  return {
    element,
    show() {
      const frame = store.frames.get(info.id);
      if (frame === undefined) return;
      const why = whyNotHeld(store, info);
      setText(about, why);
      for (const row of rows) row.show(frame, why);
    },
    forget() {
      for (const row of rows) row.forget();
    },
  };
}
