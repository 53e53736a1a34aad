import { send } from '../api.ts';
import { button, h } from '../dom.ts';
import { notice } from '../notices.ts';
import type { ArmInfo } from '../protocol.ts';
import type { Store } from '../store.ts';
import { spoken } from '../units.ts';

/** Time that the hand takes to where it is led, s: short enough to follow a finger. */
const DURATION = 0.3;
const STEPS = 400;

/** A hand on the joints of a simulated arm: what a person does to a real leader. */
export function hand(info: ArmInfo, store: Store): HTMLElement {
  let wanted: Record<string, number> = {};
  let held = false;
  let busy = false;
  let newer = false;

  /** Sends the newest wish; one request at a time. */
  const lead = async (): Promise<void> => {
    newer = true;
    if (busy) return;
    busy = true;
    while (newer) {
      newer = false;
      const body = { robot_id: info.id, joints: held ? wanted : null, duration: DURATION };
      const { ok, message } = await send({ path: '/sim/hand', body });
      if (!ok) notice('fault', message);
    }
    busy = false;
  };
  const inputs = info.joints.map(({ name, lower, upper }) => {
    const input = h('input', {
      type: 'range',
      min: lower,
      max: upper,
      step: (upper - lower) / STEPS,
      'aria-label': `Lead ${spoken(name)} by hand`,
    });
    input.addEventListener('input', () => {
      held = true;
      wanted = { ...wanted, [name]: Math.min(Math.max(Number(input.value), lower), upper) };
      void lead();
    });
    return input;
  });
  const letGo = (): void => {
    held = false;
    wanted = {};
    void lead();
  };
  // What the hand does not hold is shown where it is.
  store.on(['arms'], () => {
    const position = store.frames.get(info.id)?.joints.position;
    for (const [i, input] of inputs.entries()) {
      const angle = position?.[i];
      if (typeof angle === 'number' && wanted[info.joints[i]!.name] === undefined) input.value = String(angle);
    }
  });
  const rows = info.joints.map(({ name }, i) =>
    h('div', { class: 'spring-row' }, h('span', { 'aria-hidden': 'true' }, spoken(name)), inputs[i]!),
  );
  return h(
    'section',
    { class: 'card', 'aria-label': `Hand on ${info.name}` },
    h('h2', {}, `Hand on ${info.name}`, h('small', {}, 'in simulation')),
    ...rows,
    h('div', { class: 'row' }, button('Let go', letGo)),
  );
}
