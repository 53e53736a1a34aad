import { describe, expect, test } from 'vitest';
import { AT_ONCE, byKeyboard, PATIENCE, until } from './support/actions.ts';
import { axeViolations, HAS_BROWSER } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';

describe.skipIf(!HAS_BROWSER)('the set-up on the control page', () => {
  test('says and draws to which supply the servos of a Koch are connected', async () => {
    const page = await openPage(await startBridge());
    await page.locator('#tab-setup').press('Enter');
    const form = page.locator('section[aria-label="What is it?"]');
    const card = page.locator('section[aria-label=Set-up]');
    await until(page.getByRole('button', { name: 'Practise with a simulated kit' }), byKeyboard, () =>
      form.isVisible(),
    );
    await form.getByRole('button', { name: 'Koch v1.1', exact: true }).press('Enter');
    await form.getByRole('button', { name: 'The follower' }).press('Enter');
    await until(form.getByRole('button', { name: 'Begin' }), byKeyboard, () => card.isVisible());
    const ids = card.getByRole('button', { name: 'Give the servos their ids' });
    await ids.waitFor();
    const picture = card.locator('.cable-picture');
    expect(await picture.getAttribute('aria-label')).toContain('with a converter from 12 V to 5 V before elbow flex');
    expect(await picture.textContent()).toContain('converter12 V to 5 V');
    const due = async (): Promise<boolean> => (await card.getAttribute('data-due', AT_ONCE)) === 'gripper';
    await until(ids, byKeyboard, due);
    expect(await card.locator('.say').textContent()).toContain('switch its 5 V supply on, not 12 V.');
    expect(await picture.textContent()).not.toContain('converter');
  });

  test('says within seconds that an arm is new on USB, once, and opens the form with the arm that its adapter comes with', async () => {
    const page = await openPage(await startBridge());
    // Only what is plugged in is made up: what the bridge finds out of it is judged in test/setup/setup.test.ts.
    let plugged: readonly string[] = [];
    let adapter: string | null = 'WCH CH343';
    await page.route('**/api/v1/setup', async (route) => {
      const answer = await route.fetch();
      const ports = plugged.map((serial) => ({
        bus: `serial:?serial=${serial}`,
        about: `/dev/ttyACM0 USB Single Serial 1a86:55d3 serial ${serial}`,
        adapter,
        likely: adapter === 'WCH CH343' ? ['so101', 'so100'] : [],
      }));
      await route.fulfill({ response: answer, json: { ...(await answer.json()), ports } });
    });
    const notice = page.locator('.notice', { hasText: 'A new arm on USB: set it up?' });
    const asked = () => page.waitForResponse('**/api/v1/setup');
    await asked();
    expect(await notice.count()).toBe(0);
    plugged = ['58FA1234'];
    await notice.getByRole('button', { name: 'Set it up' }).press('Enter');
    const form = page.locator('section[aria-label="What is it?"]');
    expect(await form.getByRole('button', { name: 'SO-101 likely, by its adapter' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    expect(await form.textContent()).toContain('On serial:?serial=58FA1234.');
    expect(await form.textContent()).toContain('likely, by its adapter');
    expect(await axeViolations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Not now' }).press('Enter');
    await asked();
    await asked();
    expect(await notice.count()).toBe(0);
    const card = page.locator('details[aria-label="New arm"]');
    await expect.poll(() => card.textContent(), PATIENCE).toContain('serial 58FA1234');
    // Whoever pulls the next one out is not asked any more.
    plugged = ['58FA1234', '58FA5678'];
    await notice.waitFor();
    plugged = [];
    await notice.waitFor({ state: 'detached' });
    await expect.poll(() => card.textContent(), PATIENCE).toContain('No adapter without an arm is plugged in.');
    // What no arm is known to come with is listed, and not told of; an adapter of anything is told of by its own name.
    adapter = null;
    plugged = ['0001'];
    await expect.poll(() => card.textContent(), PATIENCE).toContain('serial 0001');
    expect(await page.locator('.notice').count()).toBe(0);
    adapter = 'Silicon Labs CP210x';
    await page
      .locator('.notice', { hasText: 'An adapter that an arm may have (Silicon Labs CP210x) is on USB' })
      .waitFor();
  });

  test("says of somebody else's set-up who does it and how far it is, and leaves the first teleoperation of another pair open", async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    // As if this pair had been set up here.
    await page.route('**/api/v1/setup', async (route) => {
      const answer = await route.fetch();
      const trials = [{ leader: 'leader', follower: 'follower' }];
      await route.fulfill({ response: answer, json: { ...(await answer.json()), trials } });
    });
    await bridge.post('/api/v1/setup', { bus: null, model: 'so101', role: 'leader', name: 'practice_leader' });
    await bridge.post('/api/v1/setup/next', { action: 'singly' });
    await page.locator('#tab-setup').press('Enter');
    const card = page.locator('section[aria-label=Set-up]');
    await expect.poll(() => card.locator('.say').textContent(), PATIENCE).toMatch(/ is setting this arm up\.$/);
    await expect.poll(() => card.getAttribute('data-due'), PATIENCE).toBe('gripper');
    expect(await card.locator('.servo.on').textContent()).toMatch(/^6C046/);
    expect(await page.locator('details[aria-label="First teleoperation of follower"]').isVisible()).toBe(true);
    expect(await page.locator('details[aria-label="New arm"]').isVisible()).toBe(false);
    await fetch(`${bridge.url}/api/v1/setup`, { method: 'DELETE' });
    await page.locator('details[aria-label="New arm"]').waitFor();
  });
});
