import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { BridgeProcess } from '../e2e/support/bridge.ts';
import { hoverTarget, PATIENCE, shows, textOf } from './support/actions.ts';
import { HAS_BROWSER, takePicture } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';
import { LOSE, SLOW_FRAMES, SOCKETS } from './support/scripts.ts';

/** A pose of the tool that is turned about x, cm and degrees. */
const TURNED = { x: -3, z: 4, rx: 20 };

async function toolOf(bridge: BridgeProcess): Promise<Record<'x' | 'y' | 'z' | 'rx' | 'ry' | 'rz', number>> {
  return (await bridge.post('/end-effector/read?robot_id=1')).body;
}

/** Opens the page of a bridge whose follower holds itself, with the controls that move it. */
async function openControls(bridge: BridgeProcess, script = ''): Promise<Page> {
  await bridge.raise();
  const page = await openPage(bridge, script);
  await page.locator('#tab-move').press('Enter');
  await page.locator('#panel-move').getByRole('button', { name: 'follower', exact: true }).press('Enter');
  return page;
}

describe.skipIf(!HAS_BROWSER)('moving an arm on the control page', () => {
  test('moves an arm to a pose by the form, and names the equal command', async () => {
    const bridge = await startBridge();
    const page = await openControls(bridge);
    const panel = page.locator('[data-controls=follower]');
    // Asked for again until it is done: on a machine that is busy with other things servos can be silent for a moment.
    const press = async (name: string, route: string): Promise<string> => {
      const control = panel.getByRole('button', { name, exact: true });
      // It is grey while the arm of a busy machine is silent.
      if ((await control.getAttribute('aria-disabled')) !== null) return 'grey';
      const asked = page
        .waitForRequest((request) => request.url().includes(route), { timeout: 3000 })
        .catch(() => null);
      await control.press('Enter');
      const answer = await (await asked)?.response();
      return (await answer?.json())?.status;
    };
    await expect.poll(() => press('Init', '/move/init'), PATIENCE).toBe('ok');
    await shows(page, '#notices', /follower: Init done/);
    await panel.getByText('To a pose by numbers').press('Enter');
    for (const [name, value] of Object.entries(TURNED)) await panel.locator(`[name=${name}]`).fill(String(value));
    const shell = await panel.locator('.curl').textContent();
    expect(shell).toBe(
      `curl -X POST '${bridge.url}/move/absolute?robot_id=1' -H 'Content-Type: application/json' -d '${JSON.stringify(TURNED)}'`,
    );
    await expect.poll(() => press('Move', '/move/absolute'), PATIENCE).toBe('ok');
    await shows(page, '#notices', /follower is there/);
    const pose = await toolOf(bridge);
    expect(Math.hypot(pose.x - TURNED.x, pose.y, pose.z - TURNED.z)).toBeLessThan(0.5);
    const opening = async (): Promise<number> => {
      await press('Open', '/joints/write');
      return Number(await panel.getByRole('slider', { name: 'Opening of the gripper' }).inputValue());
    };
    await expect.poll(opening, { ...PATIENCE, interval: 1000 }).toBeGreaterThan(0.9);
    await expect.poll(() => panel.locator('.gripper output').textContent(), PATIENCE).toMatch(/^(9\d|100) %$/);
    await takePicture(page, 'page-move');
  });

  test.each([
    ['', ''],
    [', also where only two frames a second are drawn', SLOW_FRAMES],
  ])(
    'tells while a target is dragged whether the arm can get there, and goes there when it is let go%s',
    async (_, script) => {
      const bridge = await startBridge();
      const page = await openControls(bridge, script);
      const turn = page.locator('#scene').getByRole('button', { name: 'Turn' });
      await expect.poll(() => turn.isDisabled()).toBe(true);
      await page.locator('#scene select').selectOption('Target: follower');
      let before = await toolOf(bridge);
      let target = before;
      const drag = async (): Promise<string> => {
        await shows(page, '.target', /drag me/);
        const [x, y] = await hoverTarget(page);
        before = await toolOf(bridge);
        // Far away, where no arm gets, and back to a place nearby.
        await page.mouse.down();
        try {
          await page.mouse.move(x + 20, y - 20, { steps: 3 });
          await page.mouse.move(x + 350, y - 150, { steps: 5 });
          await shows(page, '.target', /^not within reach/);
          expect(await refused.count()).toBe(0);
          await page.mouse.move(x + 15, y - 25, { steps: 5 });
          await shows(page, '.target', /^within reach/);
          await takePicture(page, 'page-target');
          const still = { x: expect.closeTo(before.x, 0), z: expect.closeTo(before.z, 0) };
          expect(await toolOf(bridge)).toMatchObject(still);
          const end = page.waitForResponse((answer) => answer.url().includes('/move/absolute'));
          await page.mouse.up();
          const answer = await end;
          target = answer.request().postDataJSON();
          return (await answer.json()).status;
        } finally {
          await page.mouse.up();
        }
      };
      // Whoever lets it go out of reach is told so until the next target.
      await shows(page, '.target', /drag me/);
      const [far, up] = await hoverTarget(page);
      await page.mouse.down();
      await page.mouse.move(far + 20, up - 20, { steps: 3 });
      await page.mouse.move(far + 350, up - 150, { steps: 5 });
      await shows(page, '.target', /^not within reach/);
      await page.mouse.up();
      const said = await textOf(page, '.notice.fault p');
      const refused = page.locator('.notice.fault', { hasText: said! });
      await shows(page, '.target', /drag me/);
      // Again where servos were silent for a moment on the way, as on a machine that is busy with other things.
      await expect.poll(drag, { timeout: 3 * PATIENCE.timeout }).toBe('ok');
      const after = await toolOf(bridge);
      expect(Math.hypot(after.x - target.x, after.y - target.y, after.z - target.z)).toBeLessThan(0.5);
      expect(Math.hypot(target.x - before.x, target.y - before.y, target.z - before.z)).toBeGreaterThan(0.5);
    },
  );

  test('turns a target in the angles of the interface, and moves nothing when a stop comes before it is let go', async () => {
    const bridge = await startBridge();
    const page = await openControls(bridge);
    const turned = async () => (await bridge.post('/move/absolute?robot_id=1', TURNED)).body;
    await expect.poll(turned, PATIENCE).toMatchObject({ status: 'ok' });
    const pose = await toolOf(bridge);
    await page.locator('#scene select').selectOption('Target: follower');
    await page.locator('#scene').getByRole('button', { name: 'Turn' }).press('Enter');
    await shows(page, '.target', /drag me/);
    const [x, y] = await hoverTarget(page);
    const moves: string[] = [];
    page.on('request', (request) => moves.push(new URL(request.url()).pathname));
    const asked = page.waitForRequest((request) => request.url().endsWith('/reachable'));
    await page.mouse.move(x + 3, y + 3);
    await page.mouse.down();
    // One movement, one question, and its answer: a question about an arm that is stopped meanwhile is refused.
    await page.mouse.move(x + 5, y + 5);
    const question = await asked;
    await question.response();
    const wanted = question.postDataJSON();
    for (const angle of ['rx', 'ry', 'rz'] as const) expect(Math.abs(wanted[angle] - pose[angle])).toBeLessThan(8);
    expect(Math.abs(pose.rx)).toBeGreaterThan(10);
    await page.keyboard.press('Escape');
    await shows(page, '#stop-status', /^Stopped at/);
    await page.mouse.up();
    await shows(page, '.target', /drag me/);
    expect(moves).not.toContain('/move/absolute');
  });

  test('jogs a joint while its slider is held by a key, and no longer', async () => {
    const bridge = await startBridge();
    const page = await openControls(bridge, SOCKETS);
    const panel = page.locator('[data-controls=follower]');
    await panel.getByText('Joints, while held').first().press('Enter');
    const slider = panel.getByRole('slider', { name: 'shoulder pan', exact: true });
    const pan = async (): Promise<number> => (await bridge.post('/joints/read?robot_id=1')).body.angles[0];
    // Pressed anew where it was refused: on a machine that is busy with other things servos can be silent for a moment. Whoever
    // presses again within half a second of a refusal is refused again.
    const jogged = async (key: string, from: number): Promise<number> => {
      if ((await slider.inputValue()) === '0') {
        await page.keyboard.up(key);
        await page.waitForTimeout(1000);
        await page.keyboard.down(key);
      }
      return Math.abs((await pan()) - from);
    };
    const rests = async (): Promise<void> => {
      await expect.poll(() => slider.inputValue(), PATIENCE).toBe('0');
      await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('ready');
    };
    const before = await pan();
    await slider.focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.down('ArrowRight');
    await expect.poll(() => jogged('ArrowRight', before), PATIENCE).toBeGreaterThan(0.05);
    expect(await pan()).toBeGreaterThan(before);
    await page.keyboard.up('ArrowRight');
    await rests();
    // A window that is left, a tab that is hidden and a connection that is lost while the key is down: as good as let go.
    const hide = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })";
    const ends = [
      "window.dispatchEvent(new Event('blur'))",
      `${hide}; document.dispatchEvent(new Event('visibilitychange')); delete document.hidden`,
      LOSE,
    ];
    for (const end of ends) {
      const from = await pan();
      await expect.poll(() => jogged('ArrowLeft', from), PATIENCE).toBeGreaterThan(0.02);
      await page.evaluate(end);
      await rests();
      await page.keyboard.up('ArrowLeft');
    }
    await shows(page, '#connection', /^Live$/);
  });
});
