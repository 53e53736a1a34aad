/** Small helpers to make and find elements. Text is always text: nothing here reads markup. */

type Child = Node | string;

/** Attributes as in HTML; functions are listeners of the event after `on`; false and undefined are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/** Makes an element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** The element of index.html with this id. */
export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`index.html has no element "${id}"`);
  return element as T;
}

/** Changes the text only when it is another one: an unchanged text costs no layout. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** What each row shows, as JSON. */
const shownBy = new WeakMap<Element, string>();

/**
 * Shows one row for each fact. A row whose fact is as before stays the same element in its place, since a person may be about to
 * press something in it; where the row with the focus is made anew, what has the same label there gets the focus.
 */
export function showRows<T>(body: HTMLElement, facts: readonly T[], make: (fact: T) => HTMLElement): void {
  const before = new Map([...body.children].map((row) => [shownBy.get(row), row]));
  const rows = facts.map((fact) => {
    const shows = JSON.stringify(fact);
    const row = before.get(shows) ?? make(fact);
    shownBy.set(row, shows);
    return row;
  });
  const focused = body.contains(document.activeElement) ? document.activeElement : null;
  for (const row of before.values()) if (!rows.includes(row)) row.remove();
  for (const [i, row] of rows.entries()) {
    const at = body.children[i];
    if (at !== row) body.insertBefore(row, at ?? null);
  }
  const label = focused?.getAttribute('aria-label') ?? null;
  if (label === null || document.activeElement === focused) return;
  body.querySelector<HTMLElement>(`[aria-label=${CSS.escape(label)}]`)?.focus();
}

/** A button that does something, unless {@link block} keeps it from that. */
export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const pressed = (): void => {
    if (!isBlocked(element)) act();
  };
  const element = h('button', { type: 'button', onclick: pressed, ...attributes }, label);
  return element;
}

export const isBlocked = (element: Element): boolean => element.getAttribute('aria-disabled') === 'true';

/**
 * Greys a control that cannot work now and says why, on hover and to screen readers; it keeps the keyboard, which a disabled
 * one would lose.
 * @param why empty: it works
 */
export function block(element: HTMLElement, why: string): void {
  if (element.title === why && isBlocked(element) === (why !== '')) return;
  element.title = why;
  if (why === '') element.removeAttribute('aria-disabled');
  else element.setAttribute('aria-disabled', 'true');
}

/** A switch that a key, a click or a finger turns on and off. */
export function toggle(label: string): HTMLButtonElement {
  const turn = (): void => element.setAttribute('aria-pressed', String(!isOn(element)));
  const element = button(label, turn, { 'aria-pressed': 'false', class: 'switch' });
  return element;
}

export const isOn = (element: HTMLElement): boolean => element.getAttribute('aria-pressed') === 'true';
