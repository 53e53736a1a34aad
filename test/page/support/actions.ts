import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { DRAW_FULLY } from './scripts.ts';

/** What a person may have to wait on a loaded machine, ms; only the outcome counts. */
export const PATIENCE = { timeout: 90_000 };

/** A busy machine makes servos fall silent for a moment, and joints late: then a person tries again. */
export const TRYING = { timeout: 120_000, interval: 100 };

/** What is asked again is not waited for: what it is asked of can be gone by then. */
export const AT_ONCE = { timeout: 2000 };

/** How a person presses a button. */
export type Press = (button: Locator) => Promise<void>;
export const byKeyboard: Press = (button) => button.press('Enter', AT_ONCE);
export const byMouse: Press = (button) => button.click(AT_ONCE);

/** Presses a button until what it is for has come about; not while something is under way. */
export async function until(button: Locator, press: Press, came: () => Promise<boolean>): Promise<void> {
  const tried = async (): Promise<string> => {
    // In this order: while nothing is under way, nothing comes about between the look and the press.
    const free = (await button.isVisible()) && (await button.getAttribute('aria-disabled', AT_ONCE)) !== 'true';
    if (await came()) return 'it has';
    if (free) await press(button);
    return 'not yet';
  };
  await expect.poll(() => tried().catch(String), TRYING).toBe('it has');
}

/** Opens a bridge's page and waits until it shows the arms. */
export async function goLive(page: Page, url: string): Promise<void> {
  if (process.env.ARM_BRIDGE_PICTURES) await page.addInitScript(DRAW_FULLY);
  await page.goto(url);
  await page.locator('body[data-connection=live] [data-arm]').first().waitFor();
}

/** Text of the first element of a selector. */
export function textOf(page: Page, selector: string): Promise<string | null> {
  return page.locator(selector).first().textContent({ timeout: PATIENCE.timeout });
}

/** Waits until the first element of a selector has a text. */
export function shows(page: Page, selector: string, text: RegExp): Promise<void> {
  return expect.poll(() => textOf(page, selector), PATIENCE).toMatch(text);
}

/**
 * Presses Reset until the page shows no stopped arm any more: of the three ways by which the page asks for a stop one may arrive
 * late on a busy machine, after a reset.
 */
export async function letGo(page: Page): Promise<void> {
  const free = async (): Promise<string | null> => {
    const reset = page.locator('#reset');
    if (await reset.isVisible()) await reset.press('Enter', { timeout: 2000 }).catch(() => {});
    return page.locator('body').getAttribute('data-arms');
  };
  await page.locator('#reset').waitFor({ timeout: PATIENCE.timeout });
  await expect.poll(free, { ...PATIENCE, interval: 500 }).toBe('free');
}

/** Puts the mouse on the target's middle and tells where that is, px: the page shows by its cursor that it can be dragged. */
export async function hoverTarget(page: Page): Promise<[x: number, y: number]> {
  const label = page.locator('.target');
  await label.waitFor();
  let [x, y] = [0, 0];
  const cursor = async (): Promise<unknown> => {
    const box = (await label.boundingBox())!;
    [x, y] = [box.x + box.width / 2, box.y - 24];
    await page.mouse.move(x, y);
    return page.evaluate("document.querySelector('#scene canvas').style.cursor");
  };
  await expect.poll(cursor, PATIENCE).toBe('grab');
  return [x, y];
}

/** Puts the mouse on a link of the leader that is led by a joint, and tells where that is, px. */
export async function hoverLink(page: Page, text: RegExp): Promise<[x: number, y: number]> {
  const base = (await page.locator('.labels span', { hasText: 'leader' }).boundingBox())!;
  for (let dy = -110; dy <= 0; dy += 9) {
    for (let dx = -30; dx <= 120; dx += 15) {
      const [x, y] = [base.x + base.width / 2 + dx, base.y + dy];
      await page.mouse.move(x, y);
      if (text.test(String(await page.evaluate("document.querySelector('.grip:not([hidden])')?.textContent"))))
        return [x, y];
    }
  }
  throw new Error(`no link of the leader says ${text}`);
}

/** Where the base of an arm is drawn, px: its label hangs there by the middle of its upper edge, 4 cm behind it. */
async function baseOf(page: Page, arm: string): Promise<[x: number, y: number]> {
  const box = (await page.locator('.labels span', { hasText: arm }).boundingBox())!;
  return [box.x + box.width / 2, box.y];
}

/**
 * Puts the mouse on an object before the follower, seen from above, and tells where that is, px.
 * @param at its place in the base frame of the follower, m; both arms of the simulated pair look forward, 0.5 m apart
 */
export async function hoverObject(
  page: Page,
  name: string,
  at: { readonly x: number; readonly y: number },
): Promise<{ readonly x: number; readonly y: number; readonly left: [x: number, y: number] }> {
  await page.getByRole('button', { name: 'Top', exact: true }).press('Enter');
  let [x, y] = [0, 0];
  /** To the left by a metre, px. */
  let left: [number, number] = [0, 0];
  const label = async (): Promise<unknown> => {
    const [base, other] = [await baseOf(page, 'follower'), await baseOf(page, 'leader')];
    left = [2 * (other[0] - base[0]), 2 * (other[1] - base[1])];
    x = base[0] + at.y * left[0] - (at.x + 0.04) * left[1];
    y = base[1] + at.y * left[1] + (at.x + 0.04) * left[0];
    await page.mouse.move(x, y);
    return page.evaluate("document.querySelector('.grip:not([hidden])')?.textContent");
  };
  await expect.poll(label, PATIENCE).toBe(`drag: ${name}`);
  return { x, y, left };
}

/**
 * Has these pairs mirror. Where they do not, Start is pressed again: on a machine that is busy with other things an arm can be
 * silent for a moment, which ends its pair.
 */
export async function startPairs(page: Page, ...pairs: readonly string[]): Promise<void> {
  const states = async (): Promise<string> => {
    const shown = pairs.map((pair) =>
      page.locator(`[data-pair="${pair}"]`).getAttribute('data-state', { timeout: 500 }),
    );
    return (await Promise.all(shown.map((state) => state.catch(() => 'unknown')))).join(' ');
  };
  const started = async (): Promise<string> => {
    const now = await states();
    if (!/idle|unknown/.test(now)) return now;
    // Start does nothing if the page has heard meanwhile that the pair runs.
    const answered = page.waitForResponse('**/move/leader/start', { timeout: 10_000 }).catch(() => null);
    await page.getByRole('button', { name: 'Start', exact: true }).press('Enter');
    return (await (await answered)?.text()) ?? states();
  };
  await expect
    .poll(started, { timeout: 3 * PATIENCE.timeout, interval: 500 })
    .toBe(pairs.map(() => 'mirroring').join(' '));
}
