import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CARDS } from '../../web/tour.ts';
import { BridgeProcess } from '../e2e/support/bridge.ts';
import { PATIENCE, shows } from './support/actions.ts';
import { axeViolations, HAS_BROWSER } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';

/** A step is shown again where a busy machine has ended a pair or a motion, ms. */
const STEP = { timeout: 800_000, interval: 700 };
/** At the end there is nothing to be shown any more. */
const QUICK = { timeout: 3000 };
/** States of the tour in which a step has been done. */
const DONE: readonly (string | null)[] = Object.entries(CARDS).flatMap(([state, { done }]) => (done ? [state] : []));
/** What the journal calls what moves an arm, or switches its torque. */
const MOVING = ['motion', 'torque', 'mirroring'];
/** Presses the button that offers the tour, whatever else the page does meanwhile. */
const OFFER = "[...document.querySelectorAll('button')].find((each) => each.textContent === 'Take the tour').click()";

/** A bridge that has been told to show itself, and keeps its recordings in a folder of its own. */
async function startDemo(): Promise<BridgeProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-tour-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bridge = await BridgeProcess.startWith({ ARM_BRIDGE_RECORDING_FOLDER: folder }, '--no-ros', '--demo');
  onTestFinished(() => bridge.endStopped());
  return bridge;
}

/**
 * A hand brings the cube to the tool of the follower. Whether the arm that is shown picks it up by itself is judged in virtual
 * time, where nothing can end the pair meanwhile: test/bridge/tour.test.ts.
 */
async function bringCube(bridge: BridgeProcess): Promise<void> {
  const { tool } = (await bridge.get('/api/v1/arms')).body.arms[1].now;
  if (tool === null) return;
  const [x, y, z] = tool.position;
  await bridge.post('/sim/objects/move', { robot_id: 1, name: 'cube', position: { x, y, z }, duration: 10 });
}

/** What has been done with the arms. */
async function eventsOf(bridge: BridgeProcess): Promise<string[]> {
  return (await bridge.get('/api/v1/events')).body.events.map(({ act }: { act: string }) => act);
}

const tourOf = (page: Page, bridge: BridgeProcess) => {
  const card = page.getByRole('region', { name: 'Tour' });
  const showMe = card.getByRole('button', { name: 'Show me' });
  const next = card.getByRole('button', { name: /^(Next|Skip)$/ });
  const at = (): Promise<string | null> => page.locator('#tour').getAttribute('data-at');
  /** Has a step shown, or what it builds on where that has ended, until the tour is at a state. */
  const comesTo = (goal: string): Promise<void> => {
    const tried = async (): Promise<string | null> => {
      const state = await at();
      if (state === goal) return state;
      if (state === 'pick') await bringCube(bridge);
      // A step that is done waits for a person; any other may be done while this looks, and Show me does nothing then.
      else if (DONE.includes(state)) await next.press('Enter');
      else if ((await showMe.getAttribute('aria-disabled', QUICK)) === null) await showMe.press('Enter', QUICK);
      return state;
    };
    return expect.poll(tried, STEP).toBe(goal);
  };
  return { card, showMe, next, at, comesTo };
};

describe.skipIf(!HAS_BROWSER)('the tour of the page', () => {
  test('begins by itself after --demo, and goes by keyboard from the first move to the reset, each step ticked as it has happened', async () => {
    const bridge = await startDemo();
    await expect.poll(() => bridge.log, PATIENCE).toMatch(/Open http:\/\/localhost:\d+\/#tour in your browser/);
    const page = await openPage(bridge);
    await page.goto(`${bridge.url}/#tour`);
    // As in a browser that is opened with this address.
    await page.reload();
    const { card, next, at, comesTo } = tourOf(page, bridge);
    const ticked = (): Promise<string[]> => card.locator('[data-done]').allTextContents();
    await card.waitFor();
    expect(await at()).toBe('init');
    // It moves nothing by itself.
    expect((await eventsOf(bridge)).filter((act) => MOVING.includes(act))).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);

    await comesTo('initialised');
    expect(await ticked()).toEqual(['✓ Init']);
    expect(await axeViolations(page)).toEqual([]);
    await comesTo('dragged');
    await comesTo('led');
    await comesTo('picked');
    await comesTo('recorded');
    const { recordings } = (await bridge.get('/api/v1/recordings')).body;
    expect(recordings[0]).toMatchObject({ task: 'Tour', content: 'episode' });
    await next.press('Enter');
    await expect.poll(at, PATIENCE).toBe('stop');
    await page.keyboard.press('Escape');
    await expect.poll(at, PATIENCE).toBe('reset');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('stopped');
    // Until it is confirmed the stop is repeated.
    await shows(page, '#stop-status', /^Stopped at/);
    await comesTo('finished');
    expect(await ticked()).toEqual(['✓ Init', '✓ Drag', '✓ Lead', '✓ Pick', '✓ Record', '✓ Stop']);
    expect(await axeViolations(page)).toEqual([]);
    const closed = async (): Promise<boolean> => {
      await card
        .getByRole('button', { name: 'Close' })
        .press('Enter', QUICK)
        .catch(() => {});
      return card.isHidden();
    };
    // Again where the page takes the focus away before the key is down.
    await expect.poll(closed, PATIENCE).toBe(true);
    expect(new URL(page.url()).hash).toBe('');
  });

  test('is offered among the arms, leaves the stop where it is on a phone, and waits while an arm is stopped', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    const { card, showMe, next, at } = tourOf(page, bridge);
    const offer = page.getByRole('button', { name: 'Take the tour' });
    await offer.waitFor();
    // It is grey while the page of a busy machine is without its bridge.
    const begun = async (): Promise<boolean> => {
      if (!(await card.isVisible())) await page.evaluate(OFFER);
      return card.isVisible();
    };
    await expect.poll(begun, PATIENCE).toBe(true);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Show me');

    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    const middle = `(() => {
      const { x, y, width, height } = document.querySelector('#stop').getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2)?.id;
    })()`;
    expect(await page.evaluate(middle)).toBe('stop');
    expect(await axeViolations(page)).toEqual([]);

    await page.keyboard.press('Escape');
    await expect.poll(() => showMe.getAttribute('title'), PATIENCE).toBe('follower is stopped: press Reset first.');
    const asked = page.waitForRequest('**/move/init*', { timeout: 500 }).catch(() => null);
    await showMe.press('Enter');
    expect(await asked).toBeNull();
    // Who skips goes on without a tick, and not to what builds on what has been skipped.
    await next.press('Enter');
    expect(await at()).toBe('pair');
    await next.press('Enter');
    expect(await at()).toBe('record');
    expect(await card.locator('[data-done]').count()).toBe(0);
    await card.getByRole('button', { name: 'End the tour' }).press('Enter');
    await card.waitFor({ state: 'hidden' });
    await page.locator('#tab-arms').press('Enter');
    await offer.waitFor();
  });
});
