import { type Command, command, curlOf, send } from '../api.ts';
import { block, button, h, isBlocked, setText } from '../dom.ts';
import { notice } from '../notices.ts';
import type { ArmInfo } from '../protocol.ts';

/** Fields of /move/absolute and /move/relative, with their units for people. */
const FIELDS = [
  { name: 'x', label: 'x', unit: 'cm', step: 0.5 },
  { name: 'y', label: 'y', unit: 'cm', step: 0.5 },
  { name: 'z', label: 'z', unit: 'cm', step: 0.5 },
  { name: 'rx', label: 'rx pitch', unit: '°', step: 1 },
  { name: 'ry', label: 'ry yaw', unit: '°', step: 1 },
  { name: 'rz', label: 'rz roll', unit: '°', step: 1 },
  { name: 'open', label: 'open', unit: '0 to 1', step: 0.1, min: 0, max: 1 },
  { name: 'max_trials', label: 'max trials', unit: '', step: 1, min: 1 },
  { name: 'position_tolerance', label: 'position tolerance', unit: 'cm', step: 0.1, min: 0 },
  { name: 'orientation_tolerance', label: 'orientation tolerance', unit: '°', step: 0.5, min: 0 },
] as const;
const POSE_FIELDS = 7;

const MODES = { absolute: 'Absolute', relative: 'Relative' } as const;
type Mode = keyof typeof MODES;

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice('done', 'Copied.');
  } catch {
    notice('fault', 'This browser copies on pages of this computer or over https only: mark the line instead.');
  }
}

/**
 * The move form: the interface's own fields, and the equal command for a shell. A field left empty is left out. `allow` says
 * why the arm cannot be moved now, empty when it can.
 */
export function moveForm(info: ArmInfo): { readonly element: HTMLElement; allow(why: string): void } {
  const inputs = FIELDS.map((field) =>
    h('input', {
      type: 'number',
      name: field.name,
      step: 'any',
      inputmode: 'decimal',
      ...('min' in field ? { min: field.min } : {}),
      ...('max' in field ? { max: field.max } : {}),
    }),
  );
  const path = h(
    'select',
    { name: 'path' },
    h('option', { value: '' }, 'as default'),
    h('option', {}, 'joint'),
    h('option', {}, 'line'),
  );
  const shell = h('code', { class: 'curl', tabindex: 0, 'aria-label': 'The same as a command' });
  let mode: Mode = 'absolute';

  const asked = (): Command => {
    const body: Record<string, number | string> = {};
    for (const input of inputs) if (input.value !== '') body[input.name] = Number(input.value);
    if (path.value !== '') body[path.name] = path.value;
    return { path: `/move/${mode}`, query: { robot_id: info.id }, body };
  };
  let whyNot = '';
  const show = (): void => {
    // The browser gives what is no number as an empty field, which would be left out.
    const wrong = inputs.findIndex(({ validity }) => validity.badInput);
    const why = wrong < 0 ? '' : `“${FIELDS[wrong]!.label}” is not a number.`;
    setText(shell, why || curlOf(asked()));
    block(copying, why);
    block(move, whyNot || why);
  };
  const modes = (Object.keys(MODES) as Mode[]).map((name) =>
    button(
      MODES[name],
      () => {
        mode = name;
        for (const each of modes) each.setAttribute('aria-pressed', String(each.textContent === MODES[name]));
        show();
      },
      { 'aria-pressed': String(name === mode) },
    ),
  );
  const fillIn = async (): Promise<void> => {
    const { ok, message, answer } = await send({ path: '/end-effector/read', query: { robot_id: info.id } });
    if (!ok) {
      notice('fault', message);
      return;
    }
    for (const input of inputs.slice(0, POSE_FIELDS)) {
      const value = (answer as Record<string, number | null>)[input.name];
      input.value = typeof value === 'number' ? String(Math.round(value * 100) / 100) : '';
    }
    modes[0]!.click();
  };
  const labelled = (index: number): HTMLElement => {
    const { label, unit } = FIELDS[index]!;
    return h('label', {}, h('span', {}, label, unit === '' ? '' : h('small', {}, ` ${unit}`)), inputs[index]!);
  };
  const copying = button('Copy as curl', () => void copy(curlOf(asked())));
  const move = h('button', { type: 'submit', class: 'main' }, 'Move');
  const form = h(
    'form',
    { class: 'card', 'aria-label': 'Move to a pose', novalidate: true },
    h('h2', {}, 'Move the tool'),
    h(
      'div',
      { class: 'row', role: 'group', 'aria-label': 'Kind of move' },
      ...modes,
      button('Present pose', () => void fillIn()),
    ),
    h('div', { class: 'fields' }, ...FIELDS.slice(0, POSE_FIELDS).map((_, i) => labelled(i))),
    h(
      'details',
      {},
      h('summary', {}, 'Trials, tolerances, path'),
      h(
        'div',
        { class: 'fields' },
        ...FIELDS.slice(POSE_FIELDS).map((_, i) => labelled(i + POSE_FIELDS)),
        h('label', {}, h('span', {}, 'path'), path),
      ),
    ),
    h('div', { class: 'row' }, move, copying),
    shell,
  );
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!isBlocked(move)) void command(asked(), `${info.name} is there.`);
  });
  show();
  return {
    element: form,
    allow(why) {
      whyNot = why;
      show();
    },
  };
}
