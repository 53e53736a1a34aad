import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { PATIENCE, startPairs } from './support/actions.ts';
import { axeViolations, HAS_BROWSER, takePicture } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';

/** A busy machine makes servos fall silent for a moment, and joints late: then a person tries again. */
const TRYING = { timeout: 120_000, interval: 100 };
const JOINTS = ['gripper', 'wrist_roll', 'wrist_flex', 'elbow_flex', 'shoulder_lift', 'shoulder_pan'];
const [LEADER, FOLLOWER] = ['practice_leader', 'practice_follower'] as const;
const DEGREE = Math.PI / 180;
/** A key for a page moves a slider by so many of its steps. */
const PAGE_STEPS = 40;

/** How a person presses a button. */
type Press = (button: Locator) => Promise<void>;
const byKeyboard: Press = (button) => button.press('Enter', { timeout: 2000 });
const byMouse: Press = (button) => button.click({ timeout: 2000 });

/** Presses a button until what it is for has come about; not while something is under way. */
async function until(button: Locator, press: Press, came: () => Promise<boolean>): Promise<void> {
  const tried = async (): Promise<string> => {
    // In this order: while nothing is under way, nothing comes about between the look and the press.
    const free = (await button.isVisible()) && (await button.getAttribute('aria-disabled')) !== 'true';
    if (await came()) return 'it has';
    if (free) await press(button);
    return 'not yet';
  };
  await expect.poll(() => tried().catch(String), TRYING).toBe('it has');
}

/** The keyboard is where something can be done with it: a person need not look for it. */
async function expectKeyboardInPanel(page: Page): Promise<void> {
  const inPanel = (): Promise<unknown> =>
    page.evaluate("document.querySelector('#panel-setup').contains(document.activeElement)");
  await expect.poll(inPanel, PATIENCE).toBe(true);
}

/** Takes one kit from the box into the bridge. */
async function setUp(page: Page, role: 'leader' | 'follower', press: Press): Promise<void> {
  const form = page.locator('section[aria-label="What is it?"]');
  await until(page.getByRole('button', { name: 'Practise with a simulated kit' }), press, () => form.isVisible());
  await press(form.getByRole('button', { name: 'SO-101', exact: true }));
  await press(form.getByRole('button', { name: `The ${role}` }));
  expect(await form.getByLabel('Name').inputValue()).toBe(`practice_${role}`);
  expect(await axeViolations(page)).toEqual([]);
  const card = page.locator('section[aria-label=Set-up]');
  const at = async (step: string): Promise<boolean> => (await card.getAttribute('data-step')) === step;
  await until(form.getByRole('button', { name: 'Begin' }), press, () => card.isVisible());
  await until(card.getByRole('button', { name: 'Give the servos their ids' }), press, () => at('single'));
  const status = card.locator('[role=status]');
  const connected = (what: string) => async (): Promise<boolean> =>
    (await status.textContent())?.includes(`${what} connected`) ?? false;
  for (const [i, joint] of JOINTS.entries()) {
    const done = async (): Promise<boolean> => (await card.getAttribute('data-due')) !== joint;
    const hand = card.getByRole('button', { name: `Your hand: plug in the ${joint.replace('_', ' ')} alone` });
    await until(hand, press, connected('One servo is'));
    if (i === 3) {
      expect(await axeViolations(page)).toEqual([]);
      if (role === 'leader') await takePicture(page, 'page-setup');
    }
    await until(card.getByRole('button', { name: /^It is connected/ }), press, done);
    await expectKeyboardInPanel(page);
  }
  await until(card.getByRole('button', { name: 'Your hand: plug in all' }), press, connected('6 servos are'));
  const look = card.getByRole('button', { name: /^(All are connected: look|Look again)$/ });
  await until(look, press, async () => (await at('registers')) || (await at('enter')));
  if (await at('registers')) await until(card.getByRole('button', { name: 'Set them' }), press, () => at('enter'));
  const enter = role === 'leader' ? 'Add it to the bridge' : LEADER;
  await until(card.getByRole('button', { name: enter }), press, async () => !(await card.isVisible()));
  await expectKeyboardInPanel(page);
}

/** Leads one kit through its calibration: its step is the one that is open. */
async function calibrate(page: Page, name: string, press: Press): Promise<void> {
  const card = page.locator(`details[aria-label="Calibrate ${name}"]`);
  const step = async (): Promise<string> => (await card.locator('[aria-current=step]').allTextContents()).join();
  const go = card.locator('button.main');
  const hand = card.getByRole('button', { name: /^Your hand: / });
  const isThere = async (): Promise<boolean> =>
    /^The hand (is there|has let go)\.$/.test((await card.locator('[aria-live=polite]').textContent()) ?? '');
  await until(go, press, async () => (await step()) === 'Middle');
  for (const next of ['Sweep', 'Hold', 'Move', 'Save']) {
    await until(hand, press, isThere);
    if (next === 'Hold') expect(await axeViolations(page)).toEqual([]);
    await until(go, press, async () => (await step()) === next);
  }
  await until(hand, press, isThere);
  await until(go, press, async () => !(await go.isVisible()));
  expect(await card.locator('summary').textContent()).toBe(`${name} is calibrated`);
  await expectKeyboardInPanel(page);
}

/** Angle of a joint as the page tells it, degrees. */
async function angle(page: Page, arm: string, joint: string): Promise<number> {
  const text = await page.locator(`[data-arm=${arm}] [data-joint=${joint}] .angle`).textContent();
  return Number.parseFloat(text ?? '');
}

/** Leads joints by the sliders of a card, one after the other, by keys: rad, by name. */
async function lead(card: Locator, joints: Readonly<Record<string, number>>): Promise<void> {
  for (const [joint, goal] of Object.entries(joints)) {
    const slider = card.getByRole('slider', { name: `Lead ${joint.replace('_', ' ')} by hand` });
    await expect.poll(() => slider.isEnabled(), PATIENCE).toBe(true);
    await slider.focus();
    const step = Number(await slider.getAttribute('step'));
    const away = Math.round((goal - Number(await slider.inputValue())) / step);
    const [pages, rest] = [Math.round(away / PAGE_STEPS), away - PAGE_STEPS * Math.round(away / PAGE_STEPS)];
    for (let i = 0; i < Math.abs(pages); i++) await slider.press(pages > 0 ? 'PageUp' : 'PageDown');
    for (let i = 0; i < Math.abs(rest); i++) await slider.press(rest > 0 ? 'ArrowRight' : 'ArrowLeft');
  }
}

describe.skipIf(!HAS_BROWSER)('the set-up on the control page', () => {
  // It takes minutes where others use the processor. What each step does is judged in virtual time: test/setup/setup.test.ts.
  test.runIf(process.env.ARM_BRIDGE_PICTURES)(
    'takes a leader and a follower from the box to teleoperation, by keyboard and mouse on the page alone',
    {
      timeout: 900_000,
    },
    async () => {
      const bridge = await startBridge();
      const page = await openPage(bridge);
      await page.locator('#tab-setup').press('Enter');
      await setUp(page, 'leader', byKeyboard);
      await calibrate(page, LEADER, byKeyboard);
      await setUp(page, 'follower', byMouse);
      await calibrate(page, FOLLOWER, byMouse);

      const first = page.locator(`details[aria-label="First teleoperation of ${FOLLOWER}"]`);
      const yes = first.getByRole('button', { name: /^Yes/ });
      const follows = () =>
        until(first.getByRole('button', { name: 'Start slowly' }), byKeyboard, () => yes.isVisible());
      await follows();
      expect(await axeViolations(page)).toEqual([]);
      await expectKeyboardInPanel(page);
      const before = await angle(page, FOLLOWER, 'elbow_flex');
      const goal = before > 0 ? -0.5 : 0.5;
      const led = async (): Promise<number> => {
        await follows();
        await lead(first, { elbow_flex: goal });
        return Math.abs((await angle(page, FOLLOWER, 'elbow_flex')) - goal / DEGREE);
      };
      await expect.poll(led, TRYING).toBeLessThan(6);
      const ready = page.locator('section[aria-label=Ready]');
      await until(yes, byKeyboard, () => ready.isVisible());
      await expectKeyboardInPanel(page);
      await ready.getByRole('button', { name: 'Teleoperate' }).press('Enter');

      await startPairs(page, `${LEADER} ${FOLLOWER}`);
    },
  );

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
    const due = async (): Promise<boolean> => (await card.getAttribute('data-due')) === 'gripper';
    await until(ids, byKeyboard, due);
    expect(await card.locator('.say').textContent()).toContain('switch its 5 V supply on, not 12 V.');
    expect(await picture.textContent()).not.toContain('converter');
  });

  test('says within seconds that an arm is new on USB, once, and opens the form with the arm that its adapter comes with', async () => {
    const page = await openPage(await startBridge());
    // Only what is plugged in is made up: what the bridge finds out of it is judged in test/setup/setup.test.ts.
    let plugged: readonly string[] = [];
    await page.route('**/api/v1/setup', async (route) => {
      const answer = await route.fetch();
      const ports = plugged.map((serial) => ({
        bus: `serial:?serial=${serial}`,
        about: `/dev/ttyACM0 USB Single Serial 1a86:55d3 serial ${serial}`,
        likely: ['so101', 'so100'],
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
  });
});
