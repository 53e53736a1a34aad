import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleSize, firstPaint, heapSize, PAGE_GOALS, workPerFrame } from '../../bench/page-figures.ts';
import { BridgeProcess } from '../e2e/support/bridge.ts';
import { goLive, hoverLink, hoverTarget, PATIENCE, shows as pageShows, startPairs, textOf } from './support/actions.ts';
import { axeViolations, DESK, faultsOf, HAS_BROWSER, launch, takePicture } from './support/browser.ts';
import { PERIOD, Recording } from './support/recording.ts';
import { BREAK, SOCKETS, WATCH_KEYS } from './support/scripts.ts';

/** From the stop to joints at rest, s. */
const STOP_TIME = 0.3;
/** Way of a joint at full speed, 1.5 rad/s, that comes to rest within that time, rad: a clock that is late does not alter it. */
const STOP_WAY = 1.5 * STOP_TIME;
/** Where the base joint goes from 0, rad: far enough to be stopped on its way. */
const FAR = 1.8;
/** Some of the follower's. */
const JOINTS = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex'];
const PAGE = join(import.meta.dirname, '../../dist/page');

let bridge: BridgeProcess;
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  if (HAS_BROWSER) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

const shows = (selector: string, text: RegExp): Promise<void> => pageShows(page, selector, text);

const picture = (name: string): Promise<void> => takePicture(page, name);

describe.skipIf(!HAS_BROWSER)('the control page', () => {
  beforeAll(async () => {
    bridge = await BridgeProcess.start('--no-ros');
    page = await browser.newPage({ viewport: DESK });
    await page.addInitScript(WATCH_KEYS + SOCKETS);
    faults = faultsOf(page, bridge.url);
    await goLive(page, bridge.url);
  });
  beforeEach(async () => {
    await bridge.post('/stop/reset');
  });
  afterAll(async () => {
    await page?.close();
    await bridge?.endStopped();
  });

  test('shows every arm with its state and its joints, in degrees', async () => {
    expect(await page.locator('[data-arm]').count()).toBe(2);
    await shows('[data-arm=leader] .state', /connected/);
    const row = page.locator('[data-arm=follower] [data-joint=elbow_flex]');
    const angle = (await bridge.post('/joints/read?robot_id=1', { unit: 'degrees' })).body.angles[2];
    await expect
      .poll(async () => Number.parseFloat((await row.locator('.angle').textContent()) ?? ''))
      .toBeCloseTo(angle, 0);
    expect(await row.locator('.details').textContent()).toMatch(/\d+ °C · \d+\.\d V/);
    expect(await row.locator('.limits').textContent()).toBe('±97°');
  });

  test('marks servos that are warm, carry much or report an alarm, and says so in words', async () => {
    const ill = await browser.newPage();
    await ill.routeWebSocket('**/api/v1/live', (socket) => {
      const bridgeSide = socket.connectToServer();
      bridgeSide.onMessage((text) => {
        const message = JSON.parse(String(text));
        if (message.type === 'arms') {
          const { temperature, effort, alarm } = message.arms[1].joints;
          [temperature[0], effort[1], alarm[2]] = [58, -99, 32];
        }
        socket.send(JSON.stringify(message));
      });
    });
    await ill.goto(bridge.url);
    const row = (joint: string) => ill.locator(`[data-arm=follower] [data-joint=${joint}]`);
    const says = (joint: string) =>
      expect.poll(() => row(joint).locator('.details').textContent({ timeout: 20_000 }), PATIENCE);
    await says('shoulder_pan').toMatch(/^58 °C/);
    await says('shoulder_lift').toMatch(/-99\.00 Nm \(\d+ % of what it gives\)$/);
    await says('elbow_flex').toMatch(/ · overload: take the load off it/);
    const levels = JOINTS.map((joint) => row(joint).getAttribute('data-level'));
    expect(await Promise.all(levels)).toEqual(['warn', 'warn', 'fault', 'good']);
    await ill.close();
  });

  test('stops a motion by the Escape key, says so, and lets go again by Reset', async () => {
    const recording = await Recording.begin(bridge.url, 1);
    // Asked for again until it moves: on a machine that is busy with other things an arm can be silent for a moment.
    const pan = async (): Promise<number> => {
      await bridge.post('/joints/write?robot_id=1', { angles: [FAR], joints_ids: [0] });
      return recording.samples.at(-1)!.q[0]!;
    };
    await expect.poll(pan, PATIENCE).toBeGreaterThan(0.2);
    await page.keyboard.press('Escape');
    // The page asks in both its ways before it has done with the key.
    expect(await page.evaluate('window.sentByKey')).toEqual(['/stop', '{"type":"stop"}']);
    await shows('#stop-status', /^Stopped at/);
    const { stopped, last, rest } = await recording.end();
    expect(rest - stopped.time).toBeLessThan(STOP_TIME + PERIOD + recording.lost(stopped.time, rest));
    for (const [joint, angle] of last.q.entries()) {
      expect(Math.abs(angle - stopped.q[joint]!)).toBeLessThan(STOP_WAY);
    }
    expect(last.q[0]).toBeLessThan(FAR - 0.1);
    expect((await bridge.arm(1)).state).toBe('stopped');
    await shows('#banner', /Stopped: leader, follower/);
    await page.locator('#reset').press('Enter');
    await shows('[data-arm=follower] .state', /ready/);
    await expect.poll(() => page.locator('#banner').isVisible(), PATIENCE).toBe(false);
  });

  test('shows both arms move in the picture and in figures when the leader is dragged by a joint, without much memory', async () => {
    const canvas = page.locator('#scene canvas');
    const angle = async (arm: string): Promise<number> => {
      const shown = page.locator(`[data-arm=${arm}] [data-joint=elbow_flex] .angle`);
      return Number.parseFloat((await shown.textContent()) ?? '');
    };
    await canvas.waitFor();
    await page.locator('#tab-teleoperation').press('Enter');
    const panel = page.locator('#panel-teleoperation');
    await startPairs(page, 'leader follower');
    const before = await canvas.screenshot();
    const [x, y] = await hoverLink(page, /leader, elbow flex/);
    const folded = await angle('leader');
    await page.mouse.down();
    for (let step = 1; step <= 10; step += 1) await page.mouse.move(x - 1.5 * step, y);
    await expect.poll(async () => Math.abs((await angle('leader')) - folded), PATIENCE).toBeGreaterThan(15);
    const apart = async (): Promise<number> => {
      await startPairs(page, 'leader follower');
      return Math.abs((await angle('follower')) - (await angle('leader')));
    };
    await expect.poll(apart, PATIENCE).toBeLessThan(3);
    await shows('[data-arm=follower] .state', /mirroring/);
    // Told, and judged by the benchmark of the page alone: a processor that others share makes a frame dearer.
    const work = await workPerFrame(page, (step) => page.mouse.move(x - 15 + 4 * Math.sin(step / 5), y));
    await page.mouse.up();
    expect((await canvas.screenshot()).equals(before)).toBe(false);
    const row = async (): Promise<string | null> => {
      await startPairs(page, 'leader follower');
      return textOf(page, '[data-pair]');
    };
    await expect.poll(row, PATIENCE).toMatch(/mirroring\d+ Hz\d+\.\d ms/);
    await picture('page-teleoperation');
    await panel.getByRole('button', { name: 'End' }).press('Enter');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('ready');
    // The follower holds itself: a hand gets no hold of it.
    await panel.getByRole('combobox', { name: 'Arm that is led' }).selectOption('follower');
    await expect.poll(() => panel.getByRole('slider', { name: /Lead elbow/ }).isDisabled(), PATIENCE).toBe(true);
    await panel.getByRole('combobox', { name: 'Arm that is led' }).selectOption('leader');
    const pan = async (): Promise<number> => (await bridge.post('/joints/read?robot_id=0')).body.angles[0];
    await panel.getByRole('slider', { name: 'Lead shoulder pan by hand' }).fill('0.6');
    await expect.poll(pan, PATIENCE).toBeGreaterThan(0.5);
    await panel.getByRole('button', { name: 'Let go' }).press('Enter');
    await expect.poll(async () => (await panel.locator('.bars i').count()) > 10, PATIENCE).toBe(true);
    const heap = await heapSize(page);
    const paint = await firstPaint(page);
    const figures = `${work.toFixed(1)} ms a frame, heap ${(heap / 1e6).toFixed(1)} MB, first paint ${paint.toFixed(0)} ms`;
    console.info(`control page: ${figures}, bundle ${(bundleSize(PAGE) / 1e3).toFixed(0)} kB`);
    expect(heap).toBeLessThan(PAGE_GOALS.heap);
    expect(bundleSize(PAGE)).toBeLessThan(PAGE_GOALS.bundle);
  });

  test('moves an arm to a pose by the form, and names the equal command', async () => {
    await page.locator('#tab-move').press('Enter');
    const panel = page.locator('[data-controls=follower]');
    await page.locator('#panel-move').getByRole('button', { name: 'follower', exact: true }).press('Enter');
    // Asked for again until it is done: on a machine that is busy with other things servos can be silent for a moment.
    const press = async (name: string, route: string): Promise<string> => {
      const answered = page.waitForResponse((answer) => answer.url().includes(route));
      await panel.getByRole('button', { name, exact: true }).press('Enter');
      return (await (await answered).json()).status;
    };
    await expect.poll(() => press('Init', '/move/init'), PATIENCE).toBe('ok');
    await shows('#notices', /follower: Init done/);
    await panel.locator('[name=x]').fill('-3');
    await panel.locator('[name=z]').fill('4');
    await panel.locator('[name=rx]').fill('20');
    const shell = await panel.locator('.curl').textContent();
    expect(shell).toBe(
      `curl -X POST '${bridge.url}/move/absolute?robot_id=1' -H 'Content-Type: application/json' -d '{"x":-3,"z":4,"rx":20}'`,
    );
    await expect.poll(() => press('Move', '/move/absolute'), PATIENCE).toBe('ok');
    await shows('#notices', /follower is there/);
    const pose = (await bridge.post('/end-effector/read?robot_id=1')).body;
    expect(Math.hypot(pose.x + 3, pose.y, pose.z - 4)).toBeLessThan(0.5);
    const opening = async (): Promise<number> => {
      await press('Open', '/joints/write');
      return Number(await panel.getByRole('slider', { name: 'Opening of the gripper' }).inputValue());
    };
    await expect.poll(opening, { ...PATIENCE, interval: 1000 }).toBeGreaterThan(0.9);
    expect(await panel.locator('output').first().textContent()).toMatch(/^(9\d|100) %$/);
    await picture('page-move');
    await page.locator('#tab-arms').click();
    await picture('page');
    await page.locator('#tab-move').click();
  });

  test('tells while a target is dragged whether the arm can get there, and goes there when it is let go', async () => {
    const read = async () => (await bridge.post('/end-effector/read?robot_id=1')).body;
    expect(await page.locator('#scene').getByRole('button', { name: 'Turn' }).isDisabled()).toBe(true);
    await page.locator('#scene select').selectOption('Target: follower');
    let before = await read();
    let target = before;
    const drag = async (): Promise<string> => {
      await shows('.target', /drag me/);
      const [x, y] = await hoverTarget(page);
      before = await read();
      // Far away, where no arm gets, and back to a place nearby.
      await page.mouse.down();
      await page.mouse.move(x + 20, y - 20, { steps: 3 });
      await page.mouse.move(x + 350, y - 150, { steps: 5 });
      await shows('.target', /^not within reach/);
      await page.mouse.move(x + 15, y - 25, { steps: 5 });
      await shows('.target', /^within reach/);
      await picture('page-target');
      expect(await read()).toMatchObject({ x: expect.closeTo(before.x, 0), z: expect.closeTo(before.z, 0) });
      const end = page.waitForResponse((answer) => answer.url().includes('/move/absolute'));
      await page.mouse.up();
      const answer = await end;
      target = answer.request().postDataJSON();
      return (await answer.json()).status;
    };
    // Again where servos were silent for a moment on the way, as on a machine that is busy with other things.
    await expect.poll(drag, PATIENCE).toBe('ok');
    const after = await read();
    expect(Math.hypot(after.x - target.x, after.y - target.y, after.z - target.z)).toBeLessThan(0.5);
    expect(Math.hypot(target.x - before.x, target.y - before.y, target.z - before.z)).toBeGreaterThan(0.5);
    await page.locator('#scene select').selectOption('No target');
  });

  test('turns a target in the angles of the interface, and moves nothing when a stop comes before it is let go', async () => {
    const pose = (await bridge.post('/end-effector/read?robot_id=1')).body;
    await page.locator('#scene select').selectOption('Target: follower');
    await page.locator('#scene').getByRole('button', { name: 'Turn' }).press('Enter');
    await shows('.target', /drag me/);
    const [x, y] = await hoverTarget(page);
    const moves: string[] = [];
    page.on('request', (request) => moves.push(new URL(request.url()).pathname));
    const asked = page.waitForRequest((request) => request.url().endsWith('/reachable'));
    await page.mouse.move(x + 3, y + 3);
    await page.mouse.down();
    // One movement, one question, and its answer: a question about an arm that is stopped meanwhile is refused.
    await page.mouse.move(x + 5, y + 5);
    const question = await asked;
    await question.response();
    const body = question.postDataJSON();
    for (const angle of ['rx', 'ry', 'rz']) expect(Math.abs(body[angle] - pose[angle])).toBeLessThan(8);
    expect(Math.abs(pose.rx)).toBeGreaterThan(10);
    await page.keyboard.press('Escape');
    await shows('#stop-status', /^Stopped at/);
    await page.mouse.up();
    await shows('.target', /drag me/);
    expect(moves).not.toContain('/move/absolute');
    await page.locator('#reset').press('Enter');
    await page.locator('#scene').getByRole('button', { name: 'Turn' }).press('Enter');
    await page.locator('#scene select').selectOption('No target');
  });

  test('jogs a joint while its slider is held by a key, and no longer', async () => {
    const slider = page.locator('[data-controls=follower]').getByRole('slider', { name: 'shoulder pan' });
    const pan = async (): Promise<number> => (await bridge.post('/joints/read?robot_id=1')).body.angles[0];
    // Pressed anew where it was refused: on a machine that is busy with other things servos can be silent for a moment.
    const jogged = async (key: string, from: number): Promise<number> => {
      if ((await slider.inputValue()) === '0') {
        await page.keyboard.up(key);
        await page.keyboard.down(key);
      }
      return Math.abs((await pan()) - from);
    };
    const rests = async (): Promise<void> => {
      await expect.poll(() => slider.inputValue(), PATIENCE).toBe('0');
      await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('ready');
    };
    const before = await pan();
    await slider.focus();
    for (let press = 0; press < 3; press += 1) await page.keyboard.down('ArrowRight');
    await expect.poll(() => jogged('ArrowRight', before), PATIENCE).toBeGreaterThan(0.05);
    expect(await pan()).toBeGreaterThan(before);
    await page.keyboard.up('ArrowRight');
    await rests();
    // A window that is left, a tab that is hidden and a connection that is lost while the key is down: as good as let go.
    const hide = "Object.defineProperty(document, 'hidden', { value: true, configurable: true })";
    const ends = [
      "window.dispatchEvent(new Event('blur'))",
      `${hide}; document.dispatchEvent(new Event('visibilitychange')); delete document.hidden`,
      'for (const socket of window.sockets.slice(1)) socket.close()',
    ];
    for (const end of ends) {
      const from = await pan();
      await expect.poll(() => jogged('ArrowLeft', from), PATIENCE).toBeGreaterThan(0.02);
      await page.evaluate(end);
      await rests();
      await page.keyboard.up('ArrowLeft');
    }
    await shows('#connection', /^Live$/);
  });

  test('tells how loop, buses and ROS 2 are, and what the log says', async () => {
    await page.locator('#tab-health').press('Enter');
    const panel = page.locator('#panel-health');
    await expect.poll(() => panel.textContent(), PATIENCE).toMatch(/cycles\d+ at 200 Hz/);
    await expect.poll(() => panel.textContent(), PATIENCE).toMatch(/ROS 2off: \S+/);
    await expect.poll(() => panel.locator('[aria-label=Buses] tbody tr').count(), PATIENCE).toBe(2);
    await expect.poll(() => panel.locator('[aria-label=Servos] tbody tr').count(), PATIENCE).toBe(12);
    await expect.poll(() => panel.locator('.log li').count(), PATIENCE).toBeGreaterThan(0);
  });

  test('the page of the interface sends its examples and shows the answers; nothing of it comes from elsewhere', async () => {
    const docs = await browser.newPage();
    const complaints = faultsOf(docs, bridge.url);
    await docs.goto(`${bridge.url}/docs`);
    const operation = docs.locator('details#operation-joints_write');
    await operation.locator('summary').press('Enter');
    await operation.locator('#joints_write-robot_id').fill('1');
    expect(await operation.locator('textarea').inputValue()).toMatch(/"angles": \[/);
    await operation.getByRole('button', { name: 'Send' }).press('Enter');
    const answer = (): Promise<string | null> => operation.getByLabel('Answer').textContent();
    await expect.poll(answer, PATIENCE).toMatch(/^200 after .*"status": "ok"/s);
    // A space is a letter here, and no stop.
    await operation.locator('textarea').fill('{"angles": [9], "unit": "rad" ');
    await operation.locator('textarea').press('Space');
    await operation.locator('textarea').press('}');
    await operation.getByRole('button', { name: 'Send' }).press('Enter');
    await expect.poll(answer, PATIENCE).toMatch(/^400 .*out of bounds/s);
    expect((await bridge.arm(1)).state).not.toBe('stopped');
    await docs.locator('details#operation-status summary').press('Enter');
    await docs.locator('details#operation-status').getByRole('button', { name: 'Send' }).press('Enter');
    await expect
      .poll(() => docs.locator('details#operation-status').getByLabel('Answer').textContent(), PATIENCE)
      .toContain('"dialect": "standard"');
    expect(await axeViolations(docs)).toEqual([]);
    // The refusal is an answer, which the browser notes.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
    await docs.close();
  });

  test('axe finds nothing to complain about, in light and dark, on a desk and on a phone', async () => {
    // Colours are all that dark differs in.
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeViolations(page, ['color-contrast'])).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.locator('#tab-arms').click();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await page.locator('#stop').boundingBox()).toMatchObject({ x: expect.any(Number) });
    expect(await axeViolations(page)).toEqual([]);
    await picture('page-phone');
    await page.setViewportSize(DESK);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('says nothing on its console and asks no other host', async () => {
    expect(faults).toEqual([]);
  });

  test('stops although the program has failed, is gone from the page and all connections are taken', async () => {
    const broken = await browser.newPage();
    // The browser's six connections to a host, each with an answer that has no end; then the program fails.
    const body =
      "for (let i = 0; i < 6; i += 1) new EventSource('/api/v1/live'); throw new Error('broken on purpose');";
    await broken.route('**/main.js', (route) => route.fulfill({ contentType: 'text/javascript', body }));
    const taken = broken.waitForEvent('pageerror');
    await broken.goto(bridge.url);
    await taken;
    await broken.keyboard.press('Escape');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('stopped');
    await expect.poll(() => broken.locator('#stop-status').textContent(), PATIENCE).toMatch(/^Stopped at/);
    await broken.close();
  });

  test('stops while nothing is drawn any more and the live stream is lost, by a finger on the button', async () => {
    await page.evaluate(BREAK);
    await shows('#connection', /Connection lost/);
    await page.locator('#stop').dispatchEvent('pointerdown');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('stopped');
    await shows('#stop-status', /^Stopped at/);
    await page.evaluate('window.mend()');
    await shows('#connection', /^Live$/);
  });

  test('says that the bridge does not answer, repeats a stop until it does, and goes on', async () => {
    bridge.child.kill('SIGSTOP');
    try {
      await shows('#connection', /Connection lost/);
      await shows('#banner', /What you see is old/);
      await page.keyboard.press('Space');
      await shows('#stop-status', /NOT confirmed/);
    } finally {
      bridge.child.kill('SIGCONT');
    }
    await shows('#stop-status', /^Stopped at/);
    await shows('#connection', /^Live$/);
    await shows('#banner', /Stopped: leader, follower/);
  });
});
