import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BridgeProcess } from '../e2e/support/bridge.ts';
import { PATIENCE, shows } from './support/actions.ts';
import { HAS_BROWSER } from './support/browser.ts';
import { openPage } from './support/page.ts';

describe.skipIf(!HAS_BROWSER)('the panel for recording', () => {
  test('begins, marks and ends episodes by keys, judges and deletes them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-record-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const bridge = await BridgeProcess.startWith({ ARM_BRIDGE_RECORDING_FOLDER: folder }, '--no-ros');
    onTestFinished(() => bridge.endStopped());
    const page = await openPage(bridge);
    await page.locator('#tab-record').click();
    const panel = page.locator('#panel-record');
    // Letters of a field are no keys, and a space in the task is a space.
    await panel.getByLabel('Task').pressSequentially('more room');
    await panel.getByLabel('Dataset').fill('pick');
    await shows(page, '#panel-record [role=status]', /^Nothing is being recorded/);
    await page.locator('#tab-arms').press('r');
    await shows(page, '#panel-record [role=status]', /^pick-\S+: \d+ s/);
    expect((await bridge.get('/api/v1/episode')).body.episode).toMatchObject({ task: 'more room', dataset: 'pick' });
    await page.locator('#tab-record').press('m');
    await shows(page, '#notices', /Marked/);
    await panel.getByRole('button', { name: 'End: good' }).press('Enter');
    const row = panel.locator('tr[data-recording^=pick-]');
    await expect.poll(() => row.getAttribute('data-verdict'), PATIENCE).toBe('good');
    expect(await row.textContent()).toContain('more room');
    await row.getByRole('button', { name: / is bad$/ }).press('Enter');
    await expect.poll(() => row.getAttribute('data-verdict'), PATIENCE).toBe('bad');
    await row.getByRole('button', { name: /^Delete / }).press('Enter');
    await page.locator('#notices').getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await expect.poll(() => row.count(), PATIENCE).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
