import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { BridgeProcess } from '../e2e/support/bridge.ts';
import { goLive, shows, textOf } from './support/actions.ts';
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
    expect(await axeViolations(ada)).toEqual([]);
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
});
