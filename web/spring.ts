import { h } from './dom.ts';

/** Steps to each side of the middle. */
const STEPS = 20;
const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];

export interface Spring {
  readonly element: HTMLElement;
  /** Goes back to the middle without telling. */
  rest(): void;
}

/**
 * A slider that springs back to its middle when it is let go, by mouse, finger or keyboard.
 * @param act told where it is, -1 to 1; 0 when it is let go
 */
export function spring(label: string, act: (value: number) => void): Spring {
  const input = h('input', { type: 'range', min: -STEPS, max: STEPS, value: 0, class: 'spring', 'aria-label': label });
  let held = false;
  const rest = (): void => {
    held = false;
    input.value = '0';
  };
  const letGo = (): void => {
    if (!held) return;
    rest();
    act(0);
  };
  input.addEventListener('input', () => {
    held = true;
    act(Number(input.value) / STEPS);
  });
  for (const event of ['pointerup', 'pointercancel', 'lostpointercapture', 'change', 'blur']) {
    // A change by key is not yet the end: the key is still down.
    input.addEventListener(event, () => {
      if (event !== 'change' || !keyDown) letGo();
    });
  }
  let keyDown = false;
  input.addEventListener('keydown', ({ key }) => {
    if (KEYS.includes(key)) keyDown = true;
  });
  input.addEventListener('keyup', ({ key }) => {
    if (!KEYS.includes(key)) return;
    keyDown = false;
    letGo();
  });
  return { element: h('div', { class: 'spring-row' }, h('span', { 'aria-hidden': 'true' }, label), input), rest };
}
