import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { letGo, PATIENCE, shows, textOf } from './support/actions.ts';
import { axeViolations, HAS_BROWSER, takePicture } from './support/browser.ts';
import { openPage, openWindow, startBridge } from './support/page.ts';
import { NO_WEBGL } from './support/scripts.ts';

/** The panel that moves an arm. */
async function openMove(page: Page, arm: string) {
  await page.locator('#tab-move').press('Enter');
  await page.locator('#panel-move').getByRole('button', { name: arm, exact: true }).press('Enter');
  return page.locator(`[data-controls=${arm}]`);
}

describe.skipIf(!HAS_BROWSER)('the controls of the page', () => {
  test('what a limp arm cannot do is grey and says why; Open asks; its joints go by sliders once it holds', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.setViewportSize({ width: 1280, height: 720 });
    const panel = await openMove(page, 'follower');
    const lower = panel.getByRole('button', { name: 'Lower, then off' });
    await expect.poll(() => lower.getAttribute('title'), PATIENCE).toBe('follower is limp already.');
    expect(await lower.getAttribute('aria-disabled')).toBe('true');
    const slider = panel.getByRole('slider', { name: /^Angle of shoulder pan/ });
    expect(await slider.isDisabled()).toBe(true);
    expect(await panel.locator('[aria-label=Joints] .about').textContent()).toMatch(/limp: press/);
    expect(await textOf(page, '[data-mark=follower]')).toBe('followerlimpfree');
    const asked = page.waitForRequest('**/torque/toggle', { timeout: 500 }).catch(() => null);
    await lower.press('Enter');
    await lower.press('Space');
    expect(await asked).toBeNull();
    expect((await bridge.arm(1)).state).toBe('connected');
    await panel.getByRole('button', { name: 'Open' }).press('Enter');
    await shows(page, '.notice.ask', /follower is limp: its torque goes on/);
    expect(await axeViolations(page)).toEqual([]);
    // All that moves an arm is seen at once.
    const tool = (await panel.getByRole('slider', { name: 'turn about z' }).boundingBox())!;
    expect(tool.y + tool.height).toBeLessThanOrEqual(720);
    // The question goes when the arm holds.
    await bridge.raise();
    await expect.poll(() => page.locator('.notice.ask').count(), PATIENCE).toBe(0);
    await shows(page, '[data-mark=follower] .torque', /^holds/);
    await expect.poll(() => slider.isDisabled(), PATIENCE).toBe(false);
    const pan = async (): Promise<number> => {
      await slider.fill('30', { timeout: 2000 }).catch(() => {});
      return (await bridge.post('/joints/read?robot_id=1', { unit: 'degrees' })).body.angles[0];
    };
    await expect.poll(pan, { ...PATIENCE, interval: 1000 }).toBeCloseTo(30, 0);
    await shows(page, '[data-controls=follower] [data-slider=shoulder_pan] output', /^(29|30|31)°$/);
    await expect.poll(() => textOf(page, '[data-mark=follower] small'), PATIENCE).toBe('free');
  });

  test('keys that are pressed while a joint moves add up, and its knob stays where it is asked to be', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    const panel = await openMove(page, 'follower');
    const slider = panel.getByRole('slider', { name: /^Angle of shoulder pan/ });
    await expect.poll(() => slider.isDisabled(), PATIENCE).toBe(false);
    const knob = async (): Promise<number> => Number(await slider.inputValue());
    const written: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/joints/write'))
        written.push(Math.round((request.postDataJSON().angles[0] * 180) / Math.PI));
    });
    await slider.press('PageUp');
    const first = await knob();
    // For some frames, in which the joint is still on its way.
    await page.waitForTimeout(200);
    const still = await knob();
    await slider.press('PageUp');
    await expect.poll(() => written.length, PATIENCE).toBe(2);
    // An arm that was halted, or refused, says why: its knob is right to go back.
    const { events } = (await bridge.get('/api/v1/events?arm=follower')).body;
    const broken = events.filter(({ outcome }: { outcome: string }) => !/done|under_way/.test(outcome));
    expect({ still, broken }).toEqual({ still: first, broken: [] });
    expect(written).toEqual([first, 2 * first]);
    expect(first).toBeGreaterThan(10);
    const pan = async (): Promise<number> =>
      (await bridge.post('/joints/read?robot_id=1', { unit: 'degrees' })).body.angles[0];
    await expect.poll(pan, PATIENCE).toBeCloseTo(2 * first, 0);
    expect(await knob()).toBe(2 * first);
  });

  test('what is no number is not taken for an empty field: nothing moves, and the field is named', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    const panel = await openMove(page, 'follower');
    await panel.getByText('To a pose by numbers').press('Enter');
    const form = panel.locator('form');
    const move = form.getByRole('button', { name: 'Move', exact: true });
    await expect.poll(() => move.getAttribute('aria-disabled'), PATIENCE).toBeNull();
    await form.locator('[name=z]').pressSequentially('--');
    expect(await move.getAttribute('title')).toBe('“z” is not a number.');
    expect(await form.locator('.curl').textContent()).toBe('“z” is not a number.');
    const asked = page.waitForRequest('**/move/absolute*', { timeout: 500 }).catch(() => null);
    await move.press('Enter');
    expect(await asked).toBeNull();
    await form.locator('[name=z]').fill('12');
    expect(await move.getAttribute('aria-disabled')).toBeNull();
    expect(await form.locator('.curl').textContent()).toContain('"z":12');
  });

  test('a refusal says what was not done and why, without a route, offers the way out, and goes with its cause', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    const panel = await openMove(page, 'follower');
    // The page does not know yet that the arm is stopped.
    await page.route('**/move/hello*', async (route) => {
      await bridge.post('/stop');
      await route.continue();
    });
    const hello = panel.getByRole('button', { name: 'Hello' });
    await expect.poll(() => hello.getAttribute('aria-disabled'), PATIENCE).toBeNull();
    await hello.press('Enter');
    await shows(page, '.notice.fault p', /^Hello of follower was not done: .*stopped/);
    expect(await textOf(page, '.notice.fault p')).not.toMatch(/POST|\/stop/);
    await expect.poll(() => hello.getAttribute('title'), PATIENCE).toMatch(/^follower is stopped: press Reset/);
    await page.locator('.notice').getByRole('button', { name: 'Reset' }).press('Enter');
    await expect.poll(() => page.locator('.notice.fault').count(), PATIENCE).toBe(0);
    await shows(page, '[data-mark=follower] .torque', /^holds$/);
  });

  test('a start that is refused says so until its cause is gone, and one that cannot work is grey', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').click();
    const start = page.locator('#panel-teleoperation').getByRole('button', { name: 'Start', exact: true });
    // Another client than the page.
    await bridge.post('/api/v1/arms/follower/take-over');
    await expect.poll(() => textOf(page, '[data-mark=follower] small'), PATIENCE).not.toBe('free');
    await expect.poll(() => start.getAttribute('aria-disabled'), PATIENCE).toBeNull();
    await start.press('Enter');
    await shows(page, '.notice.fault p', /^The start was not done: /);
    // For many frames.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const takeOver = page.locator('.notice.fault').getByRole('button', { name: 'Take over' });
    await takeOver.press('Enter');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('mirroring');
    const runs = 'leader leads follower already: press End first.';
    await expect.poll(() => start.getAttribute('title'), PATIENCE).toBe(runs);
    expect(await start.getAttribute('aria-disabled')).toBe('true');
    await bridge.post('/stop');
    await expect.poll(() => start.getAttribute('title'), PATIENCE).toMatch(/is stopped: press Reset/);
    await expect.poll(() => page.locator('#panel-teleoperation').textContent(), PATIENCE).toMatch(/stopped/);
    expect(await page.locator('#panel-teleoperation').textContent()).not.toMatch(/POST/);
  });

  test('Space presses the control that the keyboard has come to, and stops everywhere else, after a click too', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    const state = async (): Promise<string> => (await bridge.arm(1)).state;
    await page.locator('#tab-arms').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#tab-teleoperation').focus();
    await page.keyboard.press('Space');
    await expect.poll(() => page.locator('#panel-teleoperation').isVisible(), PATIENCE).toBe(true);
    await page.getByRole('button', { name: 'Mirror left and right' }).press('Space');
    const turned = page.getByRole('button', { name: 'Mirror left and right' });
    await expect.poll(() => turned.getAttribute('aria-pressed'), PATIENCE).toBe('true');
    expect(await state()).toBe('connected');
    // Again where the page of a busy machine was without its bridge for a moment.
    const clicked = async (): Promise<string | null> => {
      if ((await turned.getAttribute('aria-pressed')) === 'true') await turned.click();
      return turned.getAttribute('aria-pressed');
    };
    await expect.poll(clicked, PATIENCE).toBe('false');
    await page.keyboard.press('Space');
    await expect.poll(state, PATIENCE).toBe('stopped');
    expect(await turned.getAttribute('aria-pressed')).toBe('false');
    // Until it is confirmed the stop is repeated.
    await shows(page, '#stop-status', /^Stopped at/);
    await letGo(page);
    expect(await state()).toBe('connected');
    await page.locator('#tab-record').press('Enter');
    const task = page.getByRole('textbox', { name: 'Task' });
    await task.pressSequentially('a b');
    expect(await task.inputValue()).toBe('a b');
    expect(await state()).toBe('connected');
    await task.press('Escape');
    await expect.poll(state, PATIENCE).toBe('stopped');
  });

  test('? shows what keys do, and a stop closes it', async () => {
    const page = await openPage(await startBridge());
    const map = page.getByRole('dialog', { name: 'Keys' });
    await page.keyboard.press('?');
    await map.waitFor();
    expect(await map.textContent()).toMatch(/Escstops all arms/);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('?');
    await map.waitFor({ state: 'hidden' });
    await page.locator('#keys').press('Enter');
    await map.waitFor();
    await page.keyboard.press('Escape');
    await map.waitFor({ state: 'hidden' });
    await shows(page, '#stop-status', /^Stopped at/);
  });

  test('Escape in full screen, which the browser keeps for itself, stops too; the button does not', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    const full = page.locator('#full');
    const isFull = (): Promise<boolean> => page.evaluate('document.fullscreenElement !== null');
    const turn = async (to: boolean): Promise<void> => {
      await full.click();
      await expect.poll(() => full.getAttribute('aria-pressed'), PATIENCE).toBe(String(to));
      expect(await isFull()).toBe(to);
    };
    await turn(true);
    await turn(false);
    expect((await bridge.arm(0)).state).toBe('connected');
    await turn(true);
    // What the browser does on Escape.
    await page.evaluate('document.exitFullscreen()');
    await expect.poll(async () => (await bridge.arm(0)).state, PATIENCE).toBe('stopped');
  });

  test('the header is amber, and says so in words, while the computer is too busy, and Arms says that ROS 2 is being prepared', async () => {
    const bridge = await startBridge();
    const page = await (await openWindow()).newPage();
    let trouble = 'this computer is too busy: 9 % of cycles late';
    await page.routeWebSocket('**/api/v1/live', (socket) => {
      const bridgeSide = socket.connectToServer();
      bridgeSide.onMessage((text) => {
        const message = JSON.parse(String(text));
        const ros = { ...message.ros, preparing: trouble === '' ? null : { step: 'from PyPI', left: 40 } };
        socket.send(JSON.stringify(message.type === 'loop' ? { ...message, trouble, ros } : message));
      });
    });
    await page.goto(bridge.url);
    await shows(page, '#busy', /^Computer too busy$/);
    const preparing = page.getByText('ROS 2 is being prepared: on in about 40 s. Everything else works already.');
    await preparing.waitFor();
    const why = (): Promise<string | null> => page.locator('body[data-computer=busy] #busy').getAttribute('title');
    await expect.poll(why, PATIENCE).toMatch(/^This computer .* End other programs on it\.$/);
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
    trouble = '';
    await page.locator('body[data-computer=free]').waitFor();
    await preparing.waitFor({ state: 'hidden' });
  });

  test('where there is no WebGL the arms are drawn flat, from the side and from above, and a line says why', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge, NO_WEBGL);
    await shows(page, '.flat > p', /WebGL is off or missing/);
    expect(await page.locator('.flat svg').count()).toBe(2);
    const line = (): Promise<string | null> => page.locator('.flat-arm').nth(1).getAttribute('points');
    await expect.poll(async () => (await line())?.split(' ').length, PATIENCE).toBeGreaterThan(4);
    const before = await line();
    await bridge.raise();
    await expect.poll(line, PATIENCE).not.toBe(before);
    expect(await axeViolations(page)).toEqual([]);
    await takePicture(page, 'page-flat');
  });
});
