import { describe, expect, test } from 'vitest';
import { PATIENCE } from './support/actions.ts';
import { axeViolations, DESK, HAS_BROWSER, takePicture } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';

describe.skipIf(!HAS_BROWSER)('the calibration on the control page', () => {
  test('takes an arm through its calibration by keyboard, with ranges that grow while it is led and joints to be turned round', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.locator('#tab-health').press('Enter');
    const card = page.locator('section[aria-label=Calibration]');
    const [goOn, said] = [card.locator('button.main'), card.locator('[role=status]')];
    const at = async (): Promise<string> => (await card.locator('[aria-current=step]').allTextContents()).join();
    // What is not as it should be is begun again: on a busy machine an arm can be silent for a moment, which ends its calibration.
    const sweeping = async (): Promise<string> => {
      if ((await at()) !== 'Sweep') await goOn.press('Enter');
      return at();
    };
    await bridge.post('/torque/toggle?robot_id=0', { torque_status: false, force: true });
    await expect.poll(sweeping, PATIENCE).toBe('Sweep');
    expect((await bridge.arm(0)).owner).toMatch(/^its calibration, started by /);
    let angle = 0.5;
    const led = async (): Promise<number> => {
      await sweeping();
      angle = -angle;
      await bridge.post('/sim/hand', {
        robot_id: 0,
        joints: { wrist_roll: angle, shoulder_pan: 2 * angle },
        duration: 0.5,
      });
      const shown = (await card.locator('[data-swept=wrist_roll] .details').textContent()) ?? '';
      const [least = 0, most = 0] = (shown.match(/-?\d+/g) ?? []).map(Number);
      const bar = await card.locator('[data-swept=wrist_roll] .swept').boundingBox();
      return (bar?.width ?? 0) > 5 ? most - least : 0;
    };
    await expect.poll(led, { ...PATIENCE, interval: 500 }).toBeGreaterThan(40);
    await card.evaluate((element) => element.scrollIntoView());
    await takePicture(page, 'page-calibration');
    const refused = async (): Promise<string> => {
      await sweeping();
      const text = (await said.textContent()) ?? '';
      if (!text.startsWith('Not yet')) await goOn.press('Enter');
      return text;
    };
    await expect.poll(refused, { ...PATIENCE, interval: 500 }).toMatch(/^Not yet: shoulder_pan has been led over/);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await goOn.hover();
    expect(await axeViolations(page)).toEqual([]);

    // Hold and trial take their time, and are judged elsewhere: unless it is 0, this step is what the bridge is made to answer.
    let step = 0;
    const reversed: (string | null)[] = [];
    const routes = /\/calibrat(e\?|ion$)/;
    await page.route(routes, (route) => {
      const asked = route.request();
      if (step === 0) return route.continue();
      if (asked.method() === 'POST') {
        reversed.push(new URL(asked.url()).searchParams.get('reversed'));
        step = reversed.at(-1) === null ? 5 : 3;
      }
      const answer = { calibration_status: 'in_progress', message: 'Look.', total_nb_steps: 5, joints: [] };
      return route.fulfill({ json: { ...answer, current_step: step } });
    });
    const judging = async (): Promise<string> => {
      if ((await at()) === 'Save') return 'Save';
      step = 0;
      if ((await sweeping()) === 'Sweep') {
        step = 5;
        await goOn.press('Enter');
      }
      return at();
    };
    await expect.poll(judging, { ...PATIENCE, interval: 500 }).toBe('Save');
    expect(await axeViolations(page)).toEqual([]);
    const others = card.getByRole('group', { name: 'Joints that went the other way' });
    for (const name of ['elbow flex', 'gripper']) await others.getByRole('button', { name }).press('Enter');
    await goOn.filter({ hasText: 'Turn them round' }).press('Enter');
    await expect.poll(at, PATIENCE).toBe('Hold');
    expect(reversed.at(-1)).toBe('elbow_flex,gripper');
    await page.unroute(routes);
    await page.setViewportSize(DESK);

    // Whoever looks on at another computer cannot go on with it, and hears how it ends.
    const guest = await openPage(bridge);
    await guest.locator('#tab-health').press('Enter');
    const same = guest.locator('section[aria-label=Calibration]');
    await expect.poll(() => same.locator('button.main').getAttribute('title'), PATIENCE).toMatch(/ calibrates it\.$/);
    await expect.poll(() => same.locator('[aria-current=step]').count(), PATIENCE).toBe(1);
    await card.getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect
      .poll(() => same.locator('[role=status]').textContent(), PATIENCE)
      .toBe('Arm leader is not being calibrated: its last calibration was cancelled.');
    expect(await same.locator('.fault').textContent()).toBe('');
    await expect
      .poll(() => said.textContent(), PATIENCE)
      .toBe('The calibration of leader has ended; its servos have what they had before.');
    expect((await bridge.get('/api/v1/arms/leader/calibration')).status).toBe(404);
  });
});
