import { describe, expect, onTestFinished, test } from 'vitest';
import { sleep } from '../e2e/support/bridge.ts';
import { goLive, letGo, PATIENCE, shows } from './support/actions.ts';
import { HAS_BROWSER } from './support/browser.ts';
import { openPage, openWindow, startBridge } from './support/page.ts';
import { PERIOD, Recording } from './support/recording.ts';
import { BREAK, SOCKETS, WATCH_KEYS } from './support/scripts.ts';

/** From the stop to joints at rest, s. */
const STOP_TIME = 0.3;
/** Way of a joint at full speed, 1.5 rad/s, that comes to rest within that time, rad: a clock that is late does not alter it. */
const STOP_WAY = 1.5 * STOP_TIME;
/** Where the base joint goes to and fro, rad, on both sides of 0. */
const FAR = 1.8;
/** Part of that way after which it turns. */
const TURN = 0.2;

describe.skipIf(!HAS_BROWSER)('the stop of the control page', () => {
  test('ends a motion by the Escape key, says so, and lets go again by Reset', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge, WATCH_KEYS);
    const recording = await Recording.begin(bridge.url, 1);
    const base = (): number => recording.samples.at(-1)!.q[0]!;
    // To and fro without an end, so that it still moves when a browser that draws slowly hears the key; asked for after the stop too.
    let goal = FAR;
    let swings = true;
    const swing = async (): Promise<void> => {
      while (swings) {
        if (base() / goal > TURN) goal = -goal;
        await bridge.write('?robot_id=1', { angles: [goal], joints_ids: [0] });
        await sleep(0.05);
      }
    };
    const swung = swing();
    onTestFinished(() => {
      swings = false;
      return swung;
    });
    await expect.poll(base, PATIENCE).toBeGreaterThan(0.2);
    await page.keyboard.press('Escape');
    // The page asks in all its ways before it has done with the key.
    const { stop_port: stopPort } = (await bridge.get('/status')).body;
    // What it asks by itself every few seconds may come behind.
    expect(await page.evaluate('window.sentByKey.slice(0, 3)')).toEqual([
      `${bridge.url}/stop`,
      `http://127.0.0.1:${stopPort}/stop`,
      '{"type":"stop"}',
    ]);
    await shows(page, '#stop-status', /^Stopped at/);
    const { stopped, last, rest } = await recording.end();
    expect(rest - stopped.time).toBeLessThan(STOP_TIME + PERIOD + recording.lost(stopped.time, rest));
    for (const [joint, angle] of last.q.entries()) {
      expect(Math.abs(angle - stopped.q[joint]!)).toBeLessThan(STOP_WAY);
    }
    expect(Math.abs(last.q[0]!)).toBeLessThan(FAR - 0.1);
    expect((await bridge.arm(1)).state).toBe('stopped');
    await shows(page, '#banner', /Stopped: leader, follower/);
    swings = false;
    await swung;
    await letGo(page);
    await shows(page, '[data-arm=follower] .state', /ready/);
    expect(await page.locator('#banner').isVisible()).toBe(false);
  });

  test('works although the program has failed, is gone from the page and all connections are taken', async () => {
    const bridge = await startBridge();
    const page = await (await openWindow()).newPage();
    // The browser's six connections to a host, each with an answer that has no end; then the program fails.
    const body =
      "for (let i = 0; i < 6; i += 1) new EventSource('/api/v1/live'); throw new Error('broken on purpose');";
    await page.route('**/main.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
    const broken = page.waitForEvent('pageerror');
    await page.goto(bridge.url);
    await broken;
    await page.keyboard.press('Escape');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('stopped');
    await shows(page, '#stop-status', /^Stopped at/);
  });

  test('works by a finger on the button while nothing is drawn any more and the live stream is lost', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge, SOCKETS);
    await page.evaluate(BREAK);
    await shows(page, '#connection', /Connection lost/);
    await page.locator('#stop').dispatchEvent('pointerdown');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('stopped');
    await shows(page, '#stop-status', /^Stopped at/);
    await page.evaluate('window.mend()');
    await shows(page, '#connection', /^Live$/);
  });

  test('is repeated until a bridge that does not answer has heard it, and the page goes on', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    bridge.child.kill('SIGSTOP');
    try {
      await shows(page, '#connection', /Connection lost/);
      await shows(page, '#banner', /What you see is old/);
      await page.keyboard.press('Space');
      await shows(page, '#stop-status', /NOT confirmed/);
    } finally {
      bridge.child.kill('SIGCONT');
    }
    await shows(page, '#stop-status', /^Stopped at/);
    await shows(page, '#connection', /^Live$/);
    await shows(page, '#banner', /Stopped: leader, follower/);
    // Whoever resets it, here or elsewhere: it is said no longer.
    await expect.poll(async () => (await bridge.post('/stop/reset')).body.status, PATIENCE).toBe('ok');
    await shows(page, '#stop-status', /^$/);
    expect(await page.locator('body').getAttribute('data-stop')).toBeNull();
  });

  test('is repeated for as long as every attempt fails at once, as without a network', async () => {
    const bridge = await startBridge();
    // Its console says of each attempt that it has failed.
    const page = await (await openWindow()).newPage();
    await page.addInitScript(SOCKETS);
    await goLive(page, bridge.url);
    let attempts = 0;
    await page.route('**/stop', (route) => {
      attempts += 1;
      return route.abort();
    });
    await page.evaluate(`for (const socket of window.sockets) socket.send = () => {}`);
    // Its pauses grow up to 2 s, which nobody has to wait for.
    await page.evaluate(`{ const later = setTimeout; window.setTimeout = (act, ms) => later(act, ms / 20) }`);
    await page.keyboard.press('Escape');
    await shows(page, '#stop-status', /NOT confirmed: .* Trying again/);
    await expect.poll(() => attempts, { timeout: 300_000 }).toBeGreaterThan(120);
    expect((await bridge.arm(1)).state).not.toBe('stopped');
    await page.unroute('**/stop');
    await shows(page, '#stop-status', /^Stopped at/);
    expect((await bridge.arm(1)).state).toBe('stopped');
  });
});
