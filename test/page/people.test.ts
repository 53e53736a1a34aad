import type { Locator, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BridgeProcess } from '../e2e/support/bridge.ts';
import { goLive, PATIENCE, shows, textOf } from './support/actions.ts';
import { axeViolations, faultsOf, HAS_BROWSER } from './support/browser.ts';
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
    await shows(ada, '#people .fault', /^Letters a to z/);
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
  }, 240_000);
});
