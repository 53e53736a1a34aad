import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleSize, PAGE_GOALS } from '../../bench/page-figures.ts';
import { hoverTarget, PATIENCE, shows, startPairs, textOf } from './support/actions.ts';
import { axeViolations, DESK, HAS_BROWSER, PHONE, takePicture } from './support/browser.ts';
import { openPage, openWindow, startBridge } from './support/page.ts';
import { BREAK, SOCKETS } from './support/scripts.ts';

/** Some of the follower's. */
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex'];
const PAGE = join(import.meta.dirname, '../../dist/page');

describe.skipIf(!HAS_BROWSER)('the control page', () => {
  test('shows every arm with its state and its joints, in degrees', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    expect(await page.locator('[data-arm]').count()).toBe(2);
    await shows(page, '[data-arm=leader] .state', /connected/);
    const angle = (await bridge.post('/joints/read?robot_id=1', { unit: 'degrees' })).body.angles[2];
    const row = '[data-arm=follower] [data-joint=elbow_flex]';
    await expect
      .poll(async () => Number.parseFloat((await textOf(page, `${row} .angle`)) ?? ''), PATIENCE)
      .toBeCloseTo(angle, 0);
    await shows(page, `${row} .details`, /\d+ °C · \d+\.\d V/);
    expect(await textOf(page, `${row} .limits`)).toBe('±97°');
    await bridge.raise();
    await shows(page, '[data-arm=follower] .state', /ready/);
    await takePicture(page, 'page');
  });

  test('marks servos that are warm, carry much or report an alarm, and says so in words', async () => {
    const bridge = await startBridge();
    const page = await (await openWindow()).newPage();
    await page.routeWebSocket('**/api/v1/live', (socket) => {
      const bridgeSide = socket.connectToServer();
      bridgeSide.onMessage((text) => {
        const message = JSON.parse(String(text));
        if (message.type === 'arms') {
          const { temperature, effort, alarm } = message.arms[1].joints;
          [temperature[0], effort[1], alarm[2]] = [58, -99, 32];
        }
        socket.send(JSON.stringify(message));
      });
    });
    await page.goto(bridge.url);
    const row = (joint: string) => `[data-arm=follower] [data-joint=${joint}]`;
    await shows(page, `${row('shoulder_pan')} .details`, /^58 °C/);
    await shows(page, `${row('shoulder_lift')} .details`, /-99\.00 Nm \(\d+ % of what it gives\)$/);
    await shows(page, `${row('elbow_flex')} .details`, / · overload: take the load off it/);
    const levels = JOINTS.map((joint) => page.locator(row(joint)).getAttribute('data-level'));
    expect(await Promise.all(levels)).toEqual(['warn', 'warn', 'fault', 'good']);
  });

  test('draws the arms once the bridge is there again, where their picture could not be had', async () => {
    const bridge = await startBridge();
    const page = await (await openWindow()).newPage();
    await page.addInitScript(SOCKETS);
    await page.route('**/urdf*', (route) => route.abort());
    await page.goto(bridge.url);
    await shows(page, '#scene .waiting', /^There is no picture of the arms: /);
    await page.unroute('**/urdf*');
    await page.evaluate(BREAK);
    await shows(page, '#connection', /Connection lost/);
    await page.evaluate('window.mend()');
    await expect.poll(() => page.locator('#scene .waiting').count(), PATIENCE).toBe(0);
    await expect.poll(() => page.locator('#scene canvas').count(), PATIENCE).toBe(1);
    await shows(page, '#scene', /follower/);
  });

  test('tells how loop, buses and ROS 2 are, and what the log says', async () => {
    const page = await openPage(await startBridge());
    await page.locator('#tab-health').press('Enter');
    const panel = page.locator('#panel-health');
    await expect.poll(() => panel.textContent(), PATIENCE).toMatch(/cycles\d+ at 200 Hz/);
    await expect.poll(() => panel.textContent(), PATIENCE).toMatch(/ROS 2off: \S+/);
    await expect.poll(() => panel.locator('[aria-label=Buses] tbody tr').count(), PATIENCE).toBe(2);
    await expect.poll(() => panel.locator('[aria-label=Servos] tbody tr').count(), PATIENCE).toBe(12);
    await expect.poll(() => panel.locator('.log li').count(), PATIENCE).toBeGreaterThan(0);
  });

  test('axe finds nothing to complain about, in light and dark, on a desk and on a phone', async () => {
    const page = await openPage(await startBridge());
    // Colours are all that dark differs in.
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.locator('#tab-arms').click();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await page.locator('#stop').boundingBox()).toMatchObject({ x: expect.any(Number) });
    expect(await axeViolations(page)).toEqual([]);
    await takePicture(page, 'page-phone');
    await page.setViewportSize(DESK);
  });

  test('nor in any state of the arms and of the connection, nor in any view on a phone', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge, SOCKETS);
    const complaints: string[] = [];
    const look = async (state: string): Promise<void> => {
      const found = await axeViolations(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      found.push(...(await axeViolations(page, ['color-contrast'])));
      await page.emulateMedia({ colorScheme: 'light' });
      complaints.push(...found.map((text) => `${state}: ${text}`));
    };
    await page.locator('#scene select').selectOption('Target: follower');
    await hoverTarget(page);
    await look('a target is to be dragged');
    await page.locator('#tab-teleoperation').click();
    await startPairs(page, 'leader follower');
    await look('mirroring');
    await page.locator('#stop').click();
    await shows(page, '[data-arm=follower] .state', /stopped/);
    await look('stopped');
    await page.setViewportSize(PHONE);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await look(`a phone, ${await tab.textContent()}`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    }
    await page.evaluate(BREAK);
    await shows(page, '#connection', /Connection lost/);
    await look('the connection is lost');
    await page.evaluate('window.mend()');
    expect(complaints).toEqual([]);
  });

  test('is small', () => {
    expect(bundleSize(PAGE)).toBeLessThan(PAGE_GOALS.bundle);
  });
});

describe.skipIf(!HAS_BROWSER)('the page of the interface', () => {
  test('sends its examples and shows the answers; nothing of it comes from elsewhere', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    await page.goto(`${bridge.url}/docs`);
    const operation = page.locator('details#operation-joints_write');
    await operation.locator('summary').press('Enter');
    await operation.locator('#joints_write-robot_id').fill('1');
    expect(await operation.locator('textarea').inputValue()).toMatch(/"angles": \[/);
    await operation.getByRole('button', { name: 'Send' }).press('Enter');
    const answer = (): Promise<string | null> => operation.getByLabel('Answer').textContent();
    await expect.poll(answer, PATIENCE).toMatch(/^200 after .*"status": "ok"/s);
    // A space is a letter here, and no stop.
    await operation.locator('textarea').fill('{"angles": [9], "unit": "rad" ');
    await operation.locator('textarea').press('Space');
    await operation.locator('textarea').press('}');
    await operation.getByRole('button', { name: 'Send' }).press('Enter');
    await expect.poll(answer, PATIENCE).toMatch(/^400 .*out of bounds/s);
    expect((await bridge.arm(1)).state).not.toBe('stopped');
    await page.locator('details#operation-status summary').press('Enter');
    await page.locator('details#operation-status').getByRole('button', { name: 'Send' }).press('Enter');
    await expect
      .poll(() => page.locator('details#operation-status').getByLabel('Answer').textContent(), PATIENCE)
      .toContain('"dialect": "standard"');
    expect(await axeViolations(page)).toEqual([]);
  });
});
