import { command } from '../api.ts';
import { block, button, h } from '../dom.ts';
import type { Jogger } from '../jog.ts';
import type { ArmInfo } from '../protocol.ts';
import { allowControl, whyNoLowering, whyNoMotion, whyNotHeld } from '../reasons.ts';
import type { Store } from '../store.ts';
import { spoken } from '../units.ts';
import { jointJog, toolJog } from './jog.ts';
import { jointSliders } from './joint-sliders.ts';
import { moveForm } from './move-form.ts';

/** Poses that have routes of their own, by the name of the pose in the arm's data. */
const ROUTES: Readonly<Record<string, { path: string; label: string }>> = {
  init: { path: '/move/init', label: 'Init' },
  hello: { path: '/move/hello', label: 'Hello' },
  rest: { path: '/move/sleep', label: 'Sleep' },
};

interface Shown {
  readonly element: HTMLElement;
  show(): void;
}

/** Named poses and torque: what an arm needs first. */
function poses(info: ArmInfo, store: Store): Shown {
  const query = { robot_id: info.id };
  const buttons = Object.entries(info.poses).map(([pose, angles]): readonly [string, HTMLButtonElement] => {
    const { path, label } = ROUTES[pose] ?? { label: spoken(pose) };
    const name = `${label} of ${info.name}`;
    if (path !== undefined) {
      const go = (): void => void command({ name, path, query }, `${info.name}: ${label} done.`);
      return [pose, button(label, go, { class: pose === 'init' ? 'main' : '' })];
    }
    const joints_ids = angles.map((_, i) => i).filter((i) => i !== info.gripper?.index);
    const body = { angles: joints_ids.map((i) => angles[i]), joints_ids };
    return [pose, button(label, () => void command({ name, path: '/joints/write', query, body }), { class: 'pose' })];
  });
  const torque = (on: boolean): void => {
    const name = on ? `Torque of ${info.name}` : `Lowering ${info.name}`;
    void command({ name, path: '/torque/toggle', query, body: { torque_status: on } });
  };
  const hold = button('Hold', () => torque(true));
  const lower = button('Lower, then off', () => torque(false));
  return {
    element: h(
      'section',
      { class: 'card', 'aria-label': 'Poses and torque' },
      h('div', { class: 'row', role: 'group', 'aria-label': 'Poses' }, ...buttons.map(([, each]) => each)),
      h('div', { class: 'row', role: 'group', 'aria-label': 'Torque' }, h('span', {}, 'Torque'), hold, lower),
    ),
    show() {
      const noMotion = whyNoMotion(store, info);
      const holds = store.frames.get(info.id)?.torque === true;
      const noLowering = whyNoLowering(store, info);
      for (const [pose, each] of buttons) block(each, pose === 'rest' ? noLowering : noMotion);
      block(hold, noMotion || (holds ? `${info.name} holds already.` : ''));
      block(lower, noLowering || (holds ? '' : `${info.name} is limp already.`));
    },
  };
}

function folded(title: string, ...parts: readonly HTMLElement[]): HTMLElement {
  return h('details', { class: 'card' }, h('summary', {}, title), ...parts);
}

interface Controls extends Shown {
  /** The sliders that are held have been let go. */
  rest(): void;
  /** All arms have been stopped. */
  stopped(): void;
}

/** What moves one arm. */
function controls(info: ArmInfo, store: Store, jogger: Jogger): Controls {
  const first = poses(info, store);
  const joints = jointSliders(info, store);
  const form = moveForm(info);
  const [tool, each] = [toolJog(info, jogger), jointJog(info, jogger)];
  const held = h(
    'div',
    { class: 'panel', role: 'group', 'aria-label': 'While held' },
    tool.element,
    folded('Joints, while held', each.element),
  );
  const element = h(
    'div',
    { class: 'panel', 'data-controls': info.name },
    first.element,
    joints.element,
    held,
    folded('To a pose by numbers', form.element),
  );
  return {
    element,
    show() {
      first.show();
      joints.show();
      // What a finger or a key holds keeps it, also where an arm is silent for a moment.
      block(held, whyNotHeld(store, info));
      form.allow(whyNoMotion(store, info));
    },
    rest() {
      tool.rest();
      each.rest();
    },
    stopped: () => joints.forget(),
  };
}

/** Moves arms, one at a time. Nothing here can be pressed while this page may not move arms. */
export function movePanel(store: Store, jogger: Jogger): HTMLElement {
  const fieldset = h('fieldset', { class: 'panel', disabled: true });
  let parts: readonly Controls[] = [];
  /** Arms come and go: the one that a person has chosen stays chosen. */
  let name = '';
  store.on(['models'], () => {
    parts = store.arms.map((info) => controls(info, store, jogger));
    const choices = store.arms.map((info, chosen) => button(info.name, () => choose(chosen), { class: 'choice' }));
    const choose = (chosen: number): void => {
      jogger.release();
      name = store.arms[chosen]?.name ?? '';
      for (const [i, part] of parts.entries()) {
        part.element.hidden = i !== chosen;
        choices[i]!.setAttribute('aria-pressed', String(i === chosen));
      }
      show();
    };
    const choice = h('div', { class: 'row', role: 'group', 'aria-label': 'Arm' }, ...choices);
    fieldset.replaceChildren(choice, ...parts.map(({ element }) => element));
    choose(
      Math.max(
        0,
        store.arms.findIndex((info) => info.name === name),
      ),
    );
  });
  const show = (): void => {
    for (const part of parts) if (!part.element.hidden) part.show();
  };
  store.on(['connection', 'hello'], () => allowControl(fieldset, store));
  store.on(['connection', 'hello', 'arms'], () => {
    if (fieldset.offsetParent !== null) show();
  });
  window.addEventListener('resize', show);
  // Arms come and go, their parts with them: listeners of their own would stay.
  window.addEventListener('arm-bridge-stop', () => {
    for (const part of parts) part.stopped();
  });
  jogger.onRelease(() => {
    for (const part of parts) part.rest();
  });
  return h('div', { class: 'panel' }, fieldset);
}
