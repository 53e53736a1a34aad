import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { letGo, shows, startPairs } from './support/actions.ts';
import { axeViolations, HAS_BROWSER } from './support/browser.ts';
import { openWindow, startBridge } from './support/page.ts';

describe.skipIf(!HAS_BROWSER)('the control page of a bridge that wants a token', () => {
  const TOKENS = { control: 'a-token-that-may-move-arms', read: 'a-token-that-may-only-look' };
  test('asks for it, lets one look and stop with the token that reads, and lead two followers with the other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const [name, token] of Object.entries(TOKENS))
      writeFileSync(join(folder, name), `${token}\n`, { mode: 0o600 });
    const http = `{ token_file: ${join(folder, 'control')}, read_token_file: ${join(folder, 'read')} }`;
    const file = join(folder, 'bridge.yaml');
    const arms = ['left', 'right', 'third'].map(
      (name, id) => `{ name: ${name}, id: ${id}, model: so101, bus: 'sim:so101' }`,
    );
    writeFileSync(file, `http: ${http}\narms: [${arms}]\npairs: [{ leader: left, follower: right }]\n`);
    const guarded = await startBridge('--config', file);
    const context = await openWindow({ width: 900, height: 600 });
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
    const panels = ['move', 'teleoperation', 'record', 'setup', 'setup > .panel'].map(
      (id) => `#panel-${id} > fieldset`,
    );
    const parts = guest.locator([...panels, 'section[aria-label=Calibration] fieldset'].join());
    const titles = await parts.evaluateAll((found) => found.map((part) => part.getAttribute('title')));
    expect(titles).toEqual(Array.from({ length: 6 }, () => 'This token may look, not move.'));
    const line = "getComputedStyle(document.querySelector('#panel-move > fieldset'), '::before').content";
    expect(await guest.evaluate(line)).toBe('"This token may look, not move."');
    const target = guest.getByRole('combobox', { name: 'Arm with a target to drag' });
    await expect.poll(() => target.getAttribute('title')).toBe('This token may look, not move.');
    expect(await target.locator('option').allTextContents()).toEqual(['No target']);
    expect(await guest.getByRole('button', { name: 'Turn', exact: true }).getAttribute('title')).toMatch(
      /^Choose the arm/,
    );
    await guest.keyboard.press('Escape');
    await says('#stop-status', /^Stopped at/);
    await context.clearCookies();
    await guest.reload();
    await says('#connection', /Token needed/);
    await enter(TOKENS.control);
    await says('#connection', /^Live$/);
    await letGo(guest);
    for (const arm of ['left', 'right', 'third']) await says(`[data-arm=${arm}] .state`, /connected/);
    await guest.locator('#tab-teleoperation').click();
    await guest.getByRole('button', { name: 'Add a pair' }).press('Enter');
    for (const [i, follower] of ['right', 'third'].entries()) {
      const pair = guest.getByRole('group', { name: 'Pair', exact: true }).nth(i);
      await pair.getByLabel('Leader').selectOption('left');
      await pair.getByLabel('Follower').selectOption(follower);
    }
    await startPairs(guest, 'left right', 'left third');
    await guest.keyboard.press('Escape');
    await says('#stop-status', /^Stopped at/);
    await says('#banner', /Stopped: left, right, third/);
    expect(guest.url()).toBe(`${guarded.url}/`);
    expect(await guest.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toMatch(/token/i);
  });
});
