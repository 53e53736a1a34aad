import { command } from '../api.ts';
import { button, h, setText } from '../dom.ts';
import type { Jogger } from '../jog.ts';
import type { ArmInfo } from '../protocol.ts';
import type { Store } from '../store.ts';
import { measure, spoken } from '../units.ts';
import { jointJog, toolJog } from './jog.ts';
import { moveForm } from './move-form.ts';

/** Poses that have routes of their own, by the name of the pose in the arm's data. */
const ROUTES: Readonly<Record<string, { path: string; label: string }>> = {
  init: { path: '/move/init', label: 'Init' },
  hello: { path: '/move/hello', label: 'Hello' },
  rest: { path: '/move/sleep', label: 'Sleep' },
};

function poses(info: ArmInfo): HTMLElement {
  const query = { robot_id: info.id };
  const buttons = Object.entries(info.poses).map(([name, angles]) => {
    const route = ROUTES[name];
    if (route !== undefined) {
      return button(route.label, () => void command({ path: route.path, query }, `${info.name}: ${route.label} done.`));
    }
    const joints_ids = angles.map((_, i) => i).filter((i) => i !== info.gripper?.index);
    const body = { angles: joints_ids.map((i) => angles[i]), joints_ids };
    return button(spoken(name), () => void command({ path: '/joints/write', query, body }), { class: 'pose' });
  });
  const torque = (on: boolean): void => void command({ path: '/torque/toggle', query, body: { torque_status: on } });
  return h(
    'section',
    { class: 'card', 'aria-label': 'Poses and torque' },
    h('h2', {}, 'Poses'),
    h('div', { class: 'row' }, ...buttons),
    h('h2', {}, 'Torque'),
    h(
      'div',
      { class: 'row' },
      button('On, hold', () => torque(true)),
      button('Lower, then off', () => torque(false)),
    ),
  );
}

function gripper(info: ArmInfo, store: Store): HTMLElement | null {
  if (info.gripper === null) return null;
  const { index, closed, open } = info.gripper;
  const slider = h('input', {
    type: 'range',
    min: 0,
    max: 1,
    step: 0.02,
    value: 0,
    'aria-label': 'Opening of the gripper',
  });
  const act = (value: number): void => {
    const body = { angles: [closed + value * (open - closed)], joints_ids: [index] };
    void command({ path: '/joints/write', query: { robot_id: info.id }, body });
  };
  slider.addEventListener('change', () => act(Number(slider.value)));
  // Whoever has the slider by the keyboard goes on from what was asked for, a pointer lets go of it.
  slider.addEventListener('pointerup', () => slider.blur());
  const measured = h('output', {});
  store.on(['arms'], () => {
    const opening = store.frames.get(info.id)?.opening ?? null;
    if (slider.offsetParent === null) return;
    setText(measured, measure(opening === null ? null : 100 * opening, 0, ' %'));
    if (opening !== null && document.activeElement !== slider) slider.value = String(opening);
  });
  return h(
    'section',
    { class: 'card', 'aria-label': 'Gripper' },
    h('h2', {}, 'Gripper'),
    h(
      'div',
      { class: 'row' },
      button('Close', () => act(0)),
      slider,
      button('Open', () => act(1)),
      measured,
    ),
  );
}

/** What moves one arm. */
function controls(info: ArmInfo, store: Store, jogger: Jogger): HTMLElement {
  const parts = [poses(info), gripper(info, store), jointJog(info, jogger), toolJog(info, jogger), moveForm(info)];
  return h('div', { class: 'panel', 'data-controls': info.name }, ...parts.filter((part) => part !== null));
}

/** Moves arms, one at a time. Nothing here can be pressed while this page may not move arms. */
export function movePanel(store: Store, jogger: Jogger): HTMLElement {
  const fieldset = h('fieldset', { class: 'panel', disabled: true });
  store.on(['models'], () => {
    const parts = store.arms.map((info) => controls(info, store, jogger));
    const choices = store.arms.map((info, chosen) => button(info.name, () => choose(chosen), { class: 'choice' }));
    const choose = (chosen: number): void => {
      jogger.release();
      for (const [i, part] of parts.entries()) {
        part.hidden = i !== chosen;
        choices[i]!.setAttribute('aria-pressed', String(i === chosen));
      }
    };
    fieldset.replaceChildren(h('div', { class: 'row', role: 'group', 'aria-label': 'Arm' }, ...choices), ...parts);
    choose(0);
  });
  store.on(['connection', 'hello'], () => {
    fieldset.disabled = !store.mayControl;
  });
  return h('div', { class: 'panel' }, fieldset);
}
