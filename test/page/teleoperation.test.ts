import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { firstPaint, heapSize, PAGE_GOALS, workPerFrame } from '../../bench/page-figures.ts';
import { hoverLink, PATIENCE, shows, startPairs, textOf } from './support/actions.ts';
import { HAS_BROWSER, takePicture } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';
import { SLOW_FRAMES } from './support/scripts.ts';

describe.skipIf(!HAS_BROWSER)('teleoperation on the control page', () => {
  test('both arms move in the picture and in figures when the leader is dragged by a joint, where only two frames a second are drawn', async () => {
    const page = await openPage(await startBridge(), SLOW_FRAMES);
    const canvas = page.locator('#scene canvas');
    const angle = async (arm: string): Promise<number> =>
      Number.parseFloat((await textOf(page, `[data-arm=${arm}] [data-joint=elbow_flex] .angle`)) ?? '');
    await canvas.waitFor();
    await page.locator('#tab-teleoperation').press('Enter');
    await startPairs(page, 'leader follower');
    const before = await canvas.screenshot();
    const [x, y] = await hoverLink(page, /leader, elbow flex/);
    const folded = await angle('leader');
    await page.mouse.down();
    let way = 0;
    const unfolded = async (): Promise<number> => {
      way = Math.min(way + 1.5, 60);
      await page.mouse.move(x - way, y);
      return Math.abs((await angle('leader')) - folded);
    };
    await expect.poll(unfolded, PATIENCE).toBeGreaterThan(15);
    const apart = async (): Promise<number> => {
      await startPairs(page, 'leader follower');
      return Math.abs((await angle('follower')) - (await angle('leader')));
    };
    await expect.poll(apart, PATIENCE).toBeLessThan(3);
    await shows(page, '[data-arm=follower] .state', /mirroring/);
    await page.mouse.up();
    await expect.poll(async () => (await canvas.screenshot()).equals(before), PATIENCE).toBe(false);
  });

  test('a pair tells its rate and latency, ends by a button, and leaves a follower that holds itself', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    const panel = page.locator('#panel-teleoperation');
    const row = async (): Promise<string | null> => {
      await startPairs(page, 'leader follower');
      return textOf(page, '[data-pair]');
    };
    await expect.poll(row, PATIENCE).toMatch(/mirroring\d+ Hz\d+\.\d ms/);
    await takePicture(page, 'page-teleoperation');
    await panel.getByRole('button', { name: 'End' }).press('Enter');
    await expect.poll(async () => (await bridge.arm(1)).state, PATIENCE).toBe('ready');
  });

  test('who leads whom is asked where neither a pair nor the builds of the arms tell it, and Start says that it waits for that', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const arms = ['left', 'right'].map((name, id) => `{ name: ${name}, id: ${id}, model: so101, bus: 'sim:so101' }`);
    const built = "{ name: held, id: 2, model: so101, variant: leader, bus: 'sim:so101' }";
    const file = join(folder, 'bridge.yaml');
    writeFileSync(file, `arms: [${[...arms, built]}]\n`);
    const page = await openPage(await startBridge('--config', file));
    await page.locator('#tab-teleoperation').press('Enter');
    const card = page.locator('section[aria-label="Leader and follower"]');
    const choice = (part: string) => card.getByRole('combobox', { name: part, exact: true });
    const chosen = (part: string) => choice(part).locator('option:checked').textContent();
    expect(await chosen('Leader')).toBe('held');
    expect(await chosen('Follower')).toBe('choose the follower');
    const why = () => card.getByRole('button', { name: 'Start', exact: true }).getAttribute('title');
    await expect.poll(why, PATIENCE).toBe('Choose the follower first.');
    await choice('Leader').selectOption('');
    expect(await why()).toBe('Choose the leader and the follower first.');
    await choice('Leader').selectOption('right');
    await choice('Follower').selectOption('left');
    await startPairs(page, 'right left');
  });

  test('the hand of the page leads a limp arm until it lets go, and gets no hold of one that holds itself', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    await bridge.post('/torque/toggle?robot_id=0', { torque_status: false, force: true });
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    const panel = page.locator('#panel-teleoperation');
    await panel.getByRole('combobox', { name: 'Arm that is led' }).selectOption('follower');
    await expect.poll(() => panel.getByRole('slider', { name: /Lead elbow/ }).isDisabled(), PATIENCE).toBe(true);
    await panel.getByRole('combobox', { name: 'Arm that is led' }).selectOption('leader');
    const pan = async (): Promise<number> => (await bridge.post('/joints/read?robot_id=0')).body.angles[0];
    await panel.getByRole('slider', { name: 'Lead shoulder pan by hand' }).fill('0.6');
    await expect.poll(pan, PATIENCE).toBeGreaterThan(0.5);
    await panel.getByRole('button', { name: 'Let go' }).press('Enter');
    await expect.poll(async () => (await panel.locator('.bars i').count()) > 10, PATIENCE).toBe(true);
  });

  test('a leader that floats is let feel its follower by a slider, and one that is limp says how it could', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    const card = page.locator('section[aria-label="Force feedback"]');
    const slider = card.getByRole('slider', { name: 'Force feedback of the arm' });
    await startPairs(page, 'leader follower');
    await expect.poll(() => slider.isDisabled(), PATIENCE).toBe(true);
    expect(await card.textContent()).toContain('A leader feels while it floats');
    const floating = async (): Promise<string> => {
      const body = { robot_pairs: [{ leader_id: 0, follower_id: 1 }], enable_gravity_compensation: true };
      if ((await bridge.arm(0)).state !== 'floating') {
        await bridge.post('/move/leader/stop');
        await bridge.post('/move/leader/start', body);
      }
      return (await bridge.arm(0)).state;
    };
    // Again where a busy machine has ended the pair.
    const felt = async () => {
      if ((await floating()) !== 'floating' || !(await slider.isEnabled())) return null;
      await slider.fill('50', { timeout: 1000 }).catch(() => {});
      // Another client has started the pair: the page asks before it changes what is felt.
      await page
        .getByRole('button', { name: 'Take over' })
        .click({ timeout: 1000 })
        .catch(() => {});
      return (await bridge.get('/api/v1/pairs')).body.pairs[0]?.force_feedback;
    };
    await expect.poll(felt, PATIENCE).toEqual({ arm: 0.5, gripper: 0 });
    // What another client sets is shown although the slider has the focus, and what is refused is not.
    await slider.focus();
    const lowered = async () => {
      if ((await floating()) !== 'floating') return null;
      await bridge.post('/teleop/settings', { force_feedback: { arm: 0.2 } });
      return slider.inputValue();
    };
    await expect.poll(lowered, PATIENCE).toBe('20');
    await page.route('**/teleop/settings', (route) => route.fulfill({ status: 400, json: { detail: 'Not now.' } }));
    await slider.fill('80');
    await expect.poll(() => slider.inputValue(), PATIENCE).toBe('20');
    await page.unroute('**/teleop/settings');
    // What was refused has been said, maybe of each event of the slider, and would lie on the picture.
    const messages = page.getByRole('button', { name: 'Close this message' });
    const closed = async () => {
      if ((await messages.count()) > 0)
        await messages
          .first()
          .click({ timeout: 1000 })
          .catch(() => {});
      return messages.count();
    };
    await expect.poll(closed, PATIENCE).toBe(0);
    const bars = async () => ((await floating()) === 'floating' ? card.getByRole('meter').count() : 0);
    await expect.poll(bars, PATIENCE).toBe(12);
    await card.getByRole('meter').last().scrollIntoViewIfNeeded();
    await takePicture(page, 'page-feedback');
  });

  test('of two pairs each has sliders for what its own leader feels', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-page-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'bridge.yaml');
    const arms = ['one', 'two', 'three', 'four'].map((name, id) => `{ name: ${name}, id: ${id}, bus: 'sim:so101' }`);
    const pairs = '{ leader: one, follower: two }, { leader: three, follower: four }';
    writeFileSync(file, `arms: [${arms}]\npairs: [${pairs}]\n`);
    const bridge = await startBridge('--config', file);
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    await page.getByRole('button', { name: 'Hold the weight of the leaders' }).press('Enter');
    const slider = (name: string) => page.getByRole('slider', { name: `Force feedback of the arm, ${name}` });
    const felt = async () => {
      await startPairs(page, 'one two', 'three four');
      await slider('three → four')
        .fill('60', { timeout: 1000 })
        .catch(() => {});
      const { body } = await bridge.get('/api/v1/pairs');
      const shown = ['one → two', 'three → four'].map((name) => slider(name).inputValue({ timeout: 1000 }));
      return {
        felt: body.pairs.map((pair: { force_feedback: { arm: number } }) => pair.force_feedback.arm),
        // A pair that a busy machine has ended has no slider; it is started anew.
        shown: await Promise.all(shown).catch(() => []),
      };
    };
    await expect.poll(felt, PATIENCE).toEqual({ felt: [0, 0.6], shown: ['0', '60'] });
  });

  test('a pair is started with what its leader is to feel, which lets it float', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    const card = page.locator('section[aria-label="Leader and follower"]');
    const weight = card.getByRole('button', { name: 'Hold the weight of the leaders' });
    await card.getByRole('slider', { name: 'Force feedback of the gripper' }).fill('70');
    expect(await weight.getAttribute('aria-pressed')).toBe('true');
    const felt = async () => {
      await startPairs(page, 'leader follower');
      return (await bridge.get('/api/v1/pairs')).body.pairs[0]?.force_feedback;
    };
    await expect.poll(felt, PATIENCE).toEqual({ arm: 0, gripper: 0.7 });
    expect(await card.getByRole('slider', { name: 'Force feedback of the gripper' }).inputValue()).toBe('70');
    await weight.press('Enter');
    expect(await card.getByRole('slider', { name: 'Force feedback of the gripper' }).inputValue()).toBe('0');
  });

  test('who drags a floating leader is told what it pushes the hand with, in the scene and by a bar', async () => {
    const bridge = await startBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    const start = {
      robot_pairs: [{ leader_id: 0, follower_id: 1 }],
      enable_gravity_compensation: true,
      gravity_compensation_values: { shoulder: 100, elbow: 100, wrist: 100 },
      force_feedback: { arm: 1 },
    };
    // Another hand holds the follower, and another try begins where a busy machine has ended the pair.
    const told = async (): Promise<string | null> => {
      if ((await bridge.arm(0)).state !== 'floating') {
        await bridge.post('/move/leader/start', start);
        return null;
      }
      const { joints } = (await bridge.get('/sim/truth?robot_id=1')).body;
      await bridge.post('/sim/hand', { robot_id: 1, joints, duration: 0.1 });
      const [x, y] = await hoverLink(page, /leader, elbow flex/);
      await page.mouse.down();
      try {
        for (let step = 1; step <= 10; step += 1) await page.mouse.move(x - 4 * step, y);
        const pushes = page.locator('.grip', { hasText: 'pushes the hand with' });
        await pushes.waitFor({ timeout: 3000 });
        const text = await pushes.textContent();
        const bar = page.getByRole('meter', { name: 'What leader pushes the hand with: elbow flex' });
        const shown = Number(await bar.getAttribute('value', { timeout: 3000 }));
        return shown > 0 ? text : `${text}, and the bar shows ${shown} Nm`;
      } finally {
        await page.mouse.up();
      }
    };
    const tried = () => told().catch(() => null);
    await expect
      .poll(tried, { timeout: 3 * PATIENCE.timeout, interval: 500 })
      .toMatch(/^elbow flex .*°, pushes the hand with \d\.\d Nm$/);
  });

  test('the page needs little memory while arms move', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.locator('#scene canvas').waitFor();
    const swing = async (frame: number): Promise<void> => {
      await bridge.post('/sim/hand', {
        robot_id: 0,
        joints: { shoulder_pan: 0.6 * Math.sin(frame / 15) },
        duration: 0.1,
      });
    };
    // Work and paint are told here, and judged by the benchmark of the page alone: a processor that others share makes them dearer.
    const work = await workPerFrame(page, swing);
    const [heap, paint] = [await heapSize(page), await firstPaint(page)];
    const figures = `${work.toFixed(1)} ms a frame, heap ${(heap / 1e6).toFixed(1)} MB, first paint ${paint.toFixed(0)} ms`;
    console.info(`control page: ${figures}`);
    expect(heap).toBeLessThan(PAGE_GOALS.heap);
  });
});
