import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess } from '../e2e/support/bridge.ts';
import { shows, startPairs } from './support/actions.ts';
import { axeViolations, HAS_BROWSER, launch } from './support/browser.ts';

describe.skipIf(!HAS_BROWSER)('the control page of a bridge that wants a token', () => {
  const TOKENS = { control: 'a-token-that-may-move-arms', read: 'a-token-that-may-only-look' };
  let folder: string;
  let guarded: BridgeProcess;
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'arm-bridge-page-'));
    for (const [name, token] of Object.entries(TOKENS))
      writeFileSync(join(folder, name), `${token}\n`, { mode: 0o600 });
    const http = `{ token_file: ${join(folder, 'control')}, read_token_file: ${join(folder, 'read')} }`;
    const file = join(folder, 'bridge.yaml');
    const arms = ['left', 'right', 'third'].map(
      (name, id) => `{ name: ${name}, id: ${id}, model: so101, bus: 'sim:so101' }`,
    );
    writeFileSync(file, `http: ${http}\narms: [${arms}]\npairs: [{ leader: left, follower: right }]\n`);
    guarded = await BridgeProcess.start('--no-ros', '--config', file);
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await guarded?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  test('asks for it, lets one look and stop with the token that reads, and lead two followers with the other', async () => {
    const context = await browser.newContext({ viewport: { width: 900, height: 600 } });
    const guest = await context.newPage();
    const says = (selector: string, text: RegExp) => shows(guest, selector, text);
    const enter = async (token: string): Promise<void> => {
      await guest.locator('#token').fill(token);
      await guest.locator('#session button').press('Enter');
    };
    await guest.goto(guarded.url);
    await says('#connection', /Token needed/);
    expect(await axeViolations(guest)).toEqual([]);
    await enter('another-token-altogether');
    await says('#session', /not the token/);
    await enter(TOKENS.read);
    await says('#connection', /Live, read only/);
    await guest.locator('#tab-move').click();
    expect(await guest.locator('#panel-move button').first().isEnabled()).toBe(false);
    await guest.keyboard.press('Escape');
    await says('#stop-status', /^Stopped at/);
    await context.clearCookies();
    await guest.reload();
    await says('#connection', /Token needed/);
    await enter(TOKENS.control);
    await says('#connection', /^Live$/);
    await guest.locator('#reset').press('Enter');
    for (const arm of ['left', 'right', 'third']) await says(`[data-arm=${arm}] .state`, /connected/);
    await guest.locator('#tab-teleoperation').click();
    await guest.getByRole('button', { name: 'Add a pair' }).press('Enter');
    await startPairs(guest, 'left right', 'left third');
    // From `stopped` the bridge's exit moves nothing.
    await guest.keyboard.press('Escape');
    await says('#stop-status', /^Stopped at/);
    await says('#banner', /Stopped: left, right, third/);
    expect(guest.url()).toBe(`${guarded.url}/`);
    expect(await guest.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toMatch(/token/i);
    await context.close();
  });
});
