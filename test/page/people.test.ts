import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BridgeProcess } from '../e2e/support/bridge.ts';
import { readCode } from '../support/qr.ts';
import { goLive, PATIENCE, shows, textOf } from './support/actions.ts';
import { axeViolations, faultsOf, HAS_BROWSER, NAMED_HOST } from './support/browser.ts';
import { openWindow, startBridge } from './support/page.ts';

/** A person in a browser of his own, who has said what he is called. */
async function enter(bridge: BridgeProcess, name: string): Promise<Page> {
  const page = await (await openWindow()).newPage();
  const faults = faultsOf(page, bridge.url);
  onTestFinished(() => expect(faults).toEqual([]));
  await goLive(page, bridge.url);
  await page.locator('#people summary').press('Enter');
  await page.locator('#people [name=person]').fill(name);
  await page.locator('#people [name=person]').press('Enter');
  await shows(page, '#people .about', new RegExp(`^Others read: "${name}" \\(page \\w{4} on this computer\\)$`));
  return page;
}

describe.skipIf(!HAS_BROWSER)('several people', () => {
  test('are told by their names, after a reload too', async () => {
    const bridge = await startBridge();
    const ada = await enter(bridge, 'Ada');
    await ada.reload();
    await shows(ada, '#people .about', /^Others read: "Ada" \(page/);
    await ada.locator('#people summary').press('Enter');
    const field = ada.locator('#people [name=person]');
    expect(await field.inputValue()).toBe('Ada');
    await field.fill('<Ada>');
    await field.press('Enter');
    await shows(ada, '#people .fault', /^Letters, digits, blanks and/);
    expect(await textOf(ada, '#people .about')).toMatch(/^Others read: "Ada"/);
    await field.fill('');
    await field.press('Enter');
    await shows(ada, '#people .about', /^Others read: page \w{4} on this computer \(/);
    expect(await textOf(ada, '#people .fault')).toBe('');
  });

  test('ask one another for arms: who has one says not now, or gives it, and who has asked is told', async () => {
    const bridge = await startBridge();
    const ada = await enter(bridge, 'Ada');
    const ben = await enter(bridge, 'Ben');
    const SOON = { timeout: 5000 };
    const take = (arm: string): Promise<unknown> =>
      ada.evaluate(`fetch('/api/v1/arms/${arm}/take-over', { method: 'POST' }).then(({ status }) => status)`);
    const press = (button: Locator): Promise<void> => button.press('Enter', SOON).catch(() => {});
    // Again where the arm was lost on the way: on a machine that is busy with other things servos can be silent for a moment.
    const ask = async (arm: string, answer: string, outcome: RegExp): Promise<string | null> => {
      await take(arm);
      await press(ben.getByRole('button', { name: `Ask for ${arm}` }));
      const question = ada.locator('.notice.ask', { hasText: ` asks for ${arm}.` });
      const asked = await question
        .locator('p')
        .textContent(SOON)
        .catch(() => null);
      if (asked !== null) {
        expect(asked).toMatch(/^"Ben" \(page \w{4} on this computer\) asks for/);
        expect(await axeViolations(ada)).toEqual([]);
        await press(question.getByRole('button', { name: answer }));
        await expect.poll(() => question.count(), PATIENCE).toBe(0);
      }
      const told = (): Promise<string | null> => textOf(ben, '#notices');
      await expect
        .poll(told, SOON)
        .toMatch(outcome)
        .catch(() => {});
      return told();
    };
    const put = (arm: string, answer: string, outcome: RegExp) =>
      expect.poll(() => ask(arm, answer, outcome), { timeout: 5 * PATIENCE.timeout }).toMatch(outcome);
    await put('follower', 'Not now', /"Ada" \(page \w{4} on this computer\) keeps follower for now\./);
    const kept = async (): Promise<string | null> => {
      await take('follower');
      return textOf(ben, '[data-mark=follower] small');
    };
    await expect.poll(kept, PATIENCE).toMatch(/^"Ada" \(page \w{4} on this computer\)$/);
    await put('leader', 'Give it', /"Ada" \(page \w{4} on this computer\) gives leader away: it is free\./);
    await shows(ben, '[data-mark=leader] small', /^free$/);
    await expect.poll(() => ben.getByRole('button', { name: 'Ask for leader' }).count(), PATIENCE).toBe(0);
  });

  test('a class looks on by a QR code, which has the token that only looks; where there is none the page says what to set', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-class-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const tokens = { control: 'a-token-that-may-move-arms', read: 'a-token-that-may-only+look' };
    for (const [name, token] of Object.entries(tokens))
      writeFileSync(join(folder, name), `${token}\n`, { mode: 0o600 });
    const file = join(folder, 'bridge.yaml');
    const files = `token_file: ${join(folder, 'control')}, read_token_file: ${join(folder, 'read')}`;
    const arm = "{ name: arm, model: so101, bus: 'sim:so101' }";
    writeFileSync(file, `http: { allowed_hosts: [${NAMED_HOST}], ${files} }\narms: [${arm}]\n`);
    const bridge = await startBridge('--config', file);
    const home = `http://${NAMED_HOST}:${new URL(bridge.url).port}`;
    const teacher = await (await openWindow()).newPage();
    const show = async (): Promise<void> => {
      await shows(teacher, '#connection', /^Live$/);
      await teacher.locator('#people summary').press('Enter');
      // Again where the page of a busy machine was without its bridge for a moment: the button is grey then.
      const pressed = async (): Promise<boolean> => {
        await teacher.getByRole('button', { name: 'Show to a class' }).press('Enter');
        return teacher.getByRole('dialog', { name: 'To look on' }).isVisible();
      };
      await expect.poll(pressed, { ...PATIENCE, interval: 500 }).toBe(true);
    };
    await teacher.goto(`${home}/#token=${tokens.control}`);
    await show();
    expect(teacher.url()).toBe(`${home}/`);
    expect(await axeViolations(teacher)).toEqual([]);
    const code = teacher.locator('#class-view svg');
    const [size, path] = [await code.getAttribute('viewBox'), await code.locator('path').getAttribute('d')];
    const url = readCode(Number(size!.split(' ')[2]), path!);
    expect(url).toBe(`${home}/#token=${encodeURIComponent(tokens.read)}`);
    expect(await teacher.content()).not.toContain(tokens.control);
    const pupil = await (await openWindow()).newPage();
    await pupil.goto(url!);
    await shows(pupil, '#connection', /^Live, read only$/);
    expect(pupil.url()).toBe(`${home}/`);
    expect(await pupil.getByRole('button', { name: 'Show to a class' }).count()).toBe(0);
    await pupil.keyboard.press('Escape');
    await shows(pupil, '#stop-status', /^Stopped at/);
    // Yesterday's code leads to the form, which says so; today's, scanned in the same tab, is taken.
    const late = await (await openWindow()).newPage();
    await late.goto(`${home}/#token=yesterday`);
    await shows(late, '#session [role=alert]', /^This is not the token\.$/);
    expect(await late.locator('#session').isVisible()).toBe(true);
    await late.goto(url!);
    await shows(late, '#connection', /^Live, read only$/);
    expect([await late.locator('#session').isVisible(), late.url()]).toEqual([false, `${home}/`]);
    // By the name of this computer alone nobody else reaches it.
    await teacher.goto(`${bridge.url}/#token=${tokens.control}`);
    await show();
    expect(await textOf(teacher, '#class-view p')).toBe(
      'Set http.host in the configuration and start the bridge again: then others can look on, and only look.',
    );
  });
});
