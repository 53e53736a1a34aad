import type { Browser, BrowserContext, Page, ViewportSize } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { BridgeProcess } from '../../e2e/support/bridge.ts';
import { goLive, PATIENCE } from './actions.ts';
import { DESK, faultsOf, launch } from './browser.ts';

/** One browser for all tests of a file; what they open in it is theirs alone. */
let browser: Promise<Browser> | null = null;
afterAll(async () => {
  await (await browser)?.close();
  browser = null;
});

/** A bridge with two simulated arms, limp at rest, for this test alone. */
export async function startBridge(...args: readonly string[]): Promise<BridgeProcess> {
  const bridge = await BridgeProcess.start('--no-ros', ...args);
  onTestFinished(() => bridge.endStopped());
  return bridge;
}

/** A browser window for this test alone, without cookies. */
export async function openWindow(viewport: ViewportSize = DESK): Promise<BrowserContext> {
  browser ??= launch();
  const context = await (await browser).newContext({ viewport });
  context.setDefaultTimeout(PATIENCE.timeout);
  onTestFinished(() => context.close());
  return context;
}

/**
 * The control page of a bridge, for this test alone, with its arms shown. At the end of the test it must have said nothing
 * on its console and asked no other host.
 * @param script runs in the page before its own
 */
export async function openPage(bridge: BridgeProcess, script = ''): Promise<Page> {
  const context = await openWindow();
  const page = await context.newPage();
  await page.addInitScript(script);
  const faults = faultsOf(page, bridge.url);
  onTestFinished(() => expect(faults).toEqual([]));
  await goLive(page, bridge.url);
  return page;
}
