import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BridgeProcess, sleep } from '../e2e/support/bridge.ts';
import { so101 } from '../kinematics/so101.ts';
import { writeJointStates } from '../recording/mcap.ts';
import { PATIENCE, shows } from './support/actions.ts';
import { axeViolations, HAS_BROWSER, PHONE, takePicture } from './support/browser.ts';
import { openPage } from './support/page.ts';
import { BREAK, SOCKETS } from './support/scripts.ts';

/** A bridge that keeps its recordings in a folder of its own. */
async function startRecordingBridge(): Promise<{ bridge: BridgeProcess; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bridge = await BridgeProcess.startWith({ ARM_BRIDGE_RECORDING_FOLDER: folder }, '--no-ros');
  onTestFinished(() => bridge.endStopped());
  return { bridge, folder };
}

/** Records an episode in which the follower turns its base to `angle`, rad, and rests there. */
async function recordTurn(bridge: BridgeProcess, name: string, angle: number): Promise<void> {
  await bridge.post('/api/v1/episode/start', { name, dataset: 'turns', task: 'turn to the left' });
  const turned = async (): Promise<number> => {
    await bridge.write('?robot_id=1', { angles: [angle], joints_ids: [0] });
    return (await bridge.post('/joints/read?robot_id=1')).body.angles[0];
  };
  await expect.poll(turned, { ...PATIENCE, interval: 200 }).toBeCloseTo(angle, 2);
  await bridge.post('/api/v1/episode/stop');
}

/** The cube of the scene `pick`, and the first axis of the follower, m from its base. */
const [CUBE, AXIS] = [{ x: 0.24, y: 0.05 }, 0.0388];
/** Angles of an SO-101, rad: from above the cube down beside it (shoulder_lift, elbow_flex, wrist_flex). */
const DOWN = [
  [-0.274, 0.122, 1.549],
  [-0.295, 0.365, 1.326],
  [-0.267, 0.525, 1.138],
  [-0.215, 0.628, 0.983],
  [-0.165, 0.681, 0.88],
] as const;
const [PAN, ROLL, OPEN, SHUT] = [-0.246, 0.049, 0.9, 0];
/** So far the first joint turns from where the cube is to where it is to be, rad. */
const TURN = 0.25;
/** Fingers open and close in this time, s. */
const FINGERS = 1;

/** How far the cube is from where it is to be, m. */
async function cubeAway(bridge: BridgeProcess): Promise<number> {
  const { objects } = (await bridge.get('/sim/objects?robot_id=1')).body;
  const { x, y } = objects.find(({ name }: { name: string }) => name === 'cube').position;
  const [dx, dy] = [CUBE.x - AXIS, CUBE.y];
  const [toX, toY] = [AXIS + dx * Math.cos(TURN) + dy * Math.sin(TURN), dy * Math.cos(TURN) - dx * Math.sin(TURN)];
  return Math.hypot(x - toX, y - toY);
}

/** Moves the follower, and waits until it is there: again where a servo was silent for a moment on the way. */
async function moveTo(bridge: BridgeProcess, turn: number, down: (typeof DOWN)[number], jaw: number): Promise<void> {
  const arm = [PAN + turn, ...down, ROLL];
  const body = { angles: [...arm, jaw], joints_ids: [0, 1, 2, 3, 4, 5] };
  const left = async (): Promise<number> => {
    await bridge.write('?robot_id=1', body);
    const { angles } = (await bridge.post('/joints/read?robot_id=1')).body;
    return Math.max(...arm.map((angle, i) => Math.abs(angle - angles[i])));
  };
  await expect.poll(left, { ...PATIENCE, interval: 200 }).toBeLessThan(0.03);
}

/** The follower takes the cube from its place to where it is to be. */
async function carryCube(bridge: BridgeProcess): Promise<void> {
  const up = DOWN.toReversed();
  const [above, beside] = [DOWN[0], up[0]!];
  for (const each of DOWN) await moveTo(bridge, 0, each, OPEN);
  await moveTo(bridge, 0, beside, SHUT);
  await sleep(FINGERS);
  for (const each of up) await moveTo(bridge, 0, each, SHUT);
  for (const each of [above, ...DOWN]) await moveTo(bridge, TURN, each, SHUT);
  await moveTo(bridge, TURN, beside, OPEN);
  await sleep(FINGERS);
  for (const each of up) await moveTo(bridge, TURN, each, OPEN);
}

describe.skipIf(!HAS_BROWSER)('the panel for recording', () => {
  test('begins, marks and ends episodes by keys, judges and deletes them', async () => {
    const { bridge, folder } = await startRecordingBridge();
    const page = await openPage(bridge);
    await page.locator('#tab-record').click();
    const panel = page.locator('#panel-record');
    // Letters of a field are no keys, and a space in the task is a space.
    await panel.getByLabel('Task').pressSequentially('more room');
    await panel.getByLabel('Dataset').fill('pick');
    await shows(page, '#panel-record [role=status]', /^Nothing is being recorded/);
    await page.locator('#tab-arms').press('r');
    await shows(page, '#panel-record [role=status]', /^pick-\S+: leader, follower, \d+ s/);
    expect((await bridge.get('/api/v1/episode')).body.episode).toMatchObject({ task: 'more room', dataset: 'pick' });
    await page.locator('#tab-record').press('m');
    await shows(page, '#notices', /Marked/);
    // What is typed while it is recorded is said of it; what is not typed stays as another program has said it.
    await panel.getByLabel('Operator').fill('ada');
    await panel.getByRole('button', { name: 'End: good' }).press('Enter');
    const row = panel.locator('tr[data-recording^=pick-]');
    await expect.poll(() => row.getAttribute('data-verdict'), PATIENCE).toBe('good');
    expect(await row.textContent()).toContain('more room');
    expect((await bridge.get('/api/v1/recordings')).body.recordings).toMatchObject([
      { task: 'more room', operator: 'ada', verdict: 'good' },
    ]);
    await row.getByRole('button', { name: / is bad$/ }).press('Enter');
    await expect.poll(() => row.getAttribute('data-verdict'), PATIENCE).toBe('bad');
    await row.getByRole('button', { name: /^Delete / }).press('Enter');
    await page.locator('#notices').getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await expect.poll(() => row.count(), PATIENCE).toBe(0);
    expect(readdirSync(folder)).toEqual([]);

    // A pedal works while a slider has the keyboard. What somebody else has deleted is said to be gone, and is.
    const slider = page.getByRole('slider', { name: 'Weight held at the shoulder' });
    await page.locator('#tab-teleoperation').click();
    await page.getByRole('button', { name: 'Hold the weight of the leaders' }).press('Enter');
    await slider.press('r');
    await expect.poll(async () => (await bridge.get('/api/v1/episode')).body.episode, PATIENCE).not.toBeNull();
    await slider.press('g');
    await expect.poll(async () => (await bridge.get('/api/v1/episode')).body.episode, PATIENCE).toBeNull();
    await page.locator('#tab-record').click();
    await row.getByRole('button', { name: /^Delete / }).press('Enter');
    const [name] = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((each) => /pick-[^/]*$/.test(each));
    await fetch(`${bridge.url}/api/v1/recordings/${name!.split('/').at(-1)!}`, { method: 'DELETE' });
    await page.locator('#notices').getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await shows(page, '.notice.fault p', /^pick-\S+ was not deleted: There is no recording/);
    await expect.poll(() => row.count(), PATIENCE).toBe(0);
  });

  test('lists what another program has recorded, and what there is after a restart of the bridge, by itself', async () => {
    const { bridge } = await startRecordingBridge();
    const page = await openPage(bridge, SOCKETS);
    await page.locator('#tab-record').click();
    const row = (name: string) => page.locator(`#panel-record tr[data-recording=${name}]`);
    const status = '#panel-record [role=status]';
    await bridge.post('/api/v1/episode/start', { name: 'first' });
    await shows(page, status, /^first: /);
    await bridge.post('/api/v1/episode/stop');
    await expect.poll(() => row('first').count(), PATIENCE).toBe(1);
    // What was recorded while this page had no connection, as around a restart of the bridge, it has never seen to run.
    await page.evaluate(BREAK);
    await shows(page, '#connection', /Connection lost/);
    await bridge.post('/api/v1/episode/start', { name: 'second' });
    await bridge.post('/api/v1/episode/stop');
    await page.evaluate('window.mend()');
    await expect.poll(() => row('second').count(), PATIENCE).toBe(1);
  });

  test('shows why a recording could not be saved, and how large it is, and deletes it', async () => {
    const { bridge, folder } = await startRecordingBridge();
    writeFileSync(join(folder, 'lost.mcap.broken'), Buffer.alloc(1_500_000));
    const page = await openPage(bridge);
    await page.locator('#tab-record').click();
    const row = page.locator('#panel-record tr[data-recording=lost]');
    await shows(page, '#panel-record tr[data-recording=lost] .task', /^could not be saved: .+ \(1\.5 MB\)$/);
    expect(await row.getByRole('button', { name: 'Look at lost' }).getAttribute('aria-disabled')).toBe('true');
    await row.getByRole('button', { name: 'Delete lost' }).press('Enter');
    await page.locator('#notices').getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await expect.poll(() => row.count(), PATIENCE).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('names a task, ends and drops episodes by keys alone', async () => {
    const { bridge } = await startRecordingBridge();
    const page = await openPage(bridge);
    // Again where the page of a busy machine was without its bridge for a moment: no key is heard then.
    const named = async (): Promise<string> => {
      await page.locator('#tab-arms').press('t');
      await page.keyboard.type('big box');
      return page.locator('#panel-record').getByLabel('Task').inputValue();
    };
    await expect.poll(named, PATIENCE).toBe('big box');
    const episode = async () => (await bridge.get('/api/v1/episode')).body.episode;
    const tab = page.locator('#tab-record');
    await tab.press('r');
    await expect.poll(episode, PATIENCE).toMatchObject({ task: 'big box' });
    await tab.press('g');
    await expect.poll(episode, PATIENCE).toBeNull();
    const verdicts = async () =>
      (await bridge.get('/api/v1/recordings')).body.recordings.map(({ verdict }: { verdict: string }) => verdict);
    expect(await verdicts()).toEqual(['good']);
    await tab.press('r');
    await expect.poll(episode, PATIENCE).not.toBeNull();
    await tab.press('x');
    await expect.poll(episode, PATIENCE).toBeNull();
    expect(await verdicts()).toEqual(['good']);
  });

  test('shows a recording on a time line while no arm moves, cuts a part out of it, and replays it slowly', async () => {
    const { bridge } = await startRecordingBridge();
    await bridge.raise();
    await recordTurn(bridge, 'turn-1', 0.8);
    await recordTurn(bridge, 'turn-2', -0.8);
    const page = await openPage(bridge);
    await page.locator('#tab-record').click();
    const panel = page.locator('#panel-record');
    await panel.getByLabel('Recordings of').selectOption('turns');
    await expect.poll(() => panel.locator('tbody tr').count(), PATIENCE).toBe(2);
    await panel.getByRole('button', { name: 'Look at turn-1' }).press('Enter');
    const look = panel.getByLabel('Look at a recording');
    const slider = look.getByRole('slider', { name: 'Time' });
    await slider.waitFor();
    const before = (await bridge.post('/joints/read?robot_id=1')).body.angles[0];

    // The end of the time line: the base stood where it was turned to, and the arm itself stays where it is.
    await slider.press('End');
    const pan = async (): Promise<number> =>
      Number.parseFloat((await look.locator('.key', { hasText: 'shoulder pan' }).locator('output').textContent())!);
    await expect.poll(pan, PATIENCE).toBeCloseTo((0.8 / Math.PI) * 180, -1);
    await takePicture(page, 'page-record');
    await slider.press('Home');
    await look.getByRole('button', { name: 'Play in the scene' }).press('Enter');
    await expect.poll(async () => Number(await slider.inputValue()), PATIENCE).toBeGreaterThan(0.2);
    // Whoever points at the curves chooses a moment of them.
    await look.locator('.u-over').click();
    // On a busy machine an arm is heard a little after the episode has begun: the curves begin there.
    const { times } = (await bridge.get('/api/v1/recordings/turn-1/samples?source=follower')).body;
    const [begin, end] = [times[0], times.at(-1)];
    const chosen = async (): Promise<number> => (Number(await slider.inputValue()) - begin) / (end - begin);
    await expect.poll(chosen, PATIENCE).toBeCloseTo(0.5, 1);
    await look.getByLabel('Curves of').selectOption('shoulder pan');
    await expect
      .poll(() => look.locator('.key').allTextContents(), PATIENCE)
      .toMatchObject([expect.stringMatching(/^measured -?\d/), expect.stringMatching(/^wanted/)]);
    expect((await bridge.post('/joints/read?robot_id=1')).body.angles[0]).toBeCloseTo(before, 1);
    expect(await axeViolations(page)).toEqual([]);

    // A part of it, the old one stays.
    const trim = look.getByRole('button', { name: 'Trim' });
    expect(await trim.isDisabled()).toBe(true);
    await look.getByRole('button', { name: 'Begin here' }).press('Enter');
    await look.getByLabel('Name of the part').fill('turn-1b');
    await trim.press('Enter');
    await shows(page, '#notices', /turn-1b has been made/);
    await expect.poll(() => panel.locator('tbody tr').count(), PATIENCE).toBe(3);

    await look.getByLabel('Speed').selectOption('0.5 ×');
    // Again where servos were silent for a moment on the way, as on a machine that is busy with other things.
    const replayed = async (): Promise<string> => {
      const answered = page.waitForResponse((answer) => answer.url().includes('/recording/play'));
      await look.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
      const answer = await answered;
      expect(answer.request().postDataJSON()).toEqual({ name: 'turn-1', speed: 0.5, source: 'follower' });
      return (await answer.json()).status;
    };
    await expect.poll(replayed, { ...PATIENCE, interval: 1000 }).toBe('ok');
    await shows(page, '#notices', /turn-1 has been replayed/);
    expect((await bridge.post('/joints/read?robot_id=1')).body.angles[0]).toBeCloseTo(0.8, 1);
    await page.locator('#tab-arms').click();
    expect(await page.locator('body').getAttribute('data-looking')).toBeNull();
  });

  test('says what of a recording an arm cannot reach, before anything moves', async () => {
    const { bridge, folder } = await startRecordingBridge();
    const times = Array.from({ length: 101 }, (_, k) => k / 20);
    const poses = times.map((time) => [2.4 * Math.sin((Math.PI * time) / 5), 0, 0, 0, 0, 0]);
    const names = so101.joints.map(({ name }) => name);
    await writeJointStates(join(folder, 'far.mcap'), '/arm/joint_states', names, times, poses);
    const page = await openPage(bridge);
    await page.locator('#tab-record').click();
    await page.getByRole('button', { name: 'Look at far' }).press('Enter');
    await page.getByLabel('Arm that replays').selectOption('follower');
    await shows(
      page,
      '#panel-record .unreached',
      /^From 1\.\d to 3\.\d s: shoulder_pan would go to .* beyond its limits/,
    );
    expect(await axeViolations(page)).toEqual([]);
  });

  test('on a phone it records how a cube is carried to another place, and its replay carries it there again', async () => {
    const { bridge } = await startRecordingBridge();
    await bridge.raise();
    const page = await openPage(bridge);
    await page.setViewportSize(PHONE);
    await page.locator('#tab-record').click();
    const panel = page.locator('#panel-record');
    await panel.getByLabel('Task').fill('Carry the cube');
    await panel.getByLabel('Dataset').fill('carry');
    const reset = () => bridge.post('/sim/objects/reset', { robot_id: 1 });
    await moveTo(bridge, 0, DOWN[0], OPEN);
    // Whoever lets it fall, or is interrupted, does so once more.
    const carried = async (): Promise<number> => {
      await reset();
      await panel.getByRole('button', { name: 'Record', exact: true }).click();
      await shows(page, '#panel-record [role=status]', /^carry-\S+: leader, follower/);
      await carryCube(bridge).catch(console.error);
      const away = await cubeAway(bridge);
      await panel.getByRole('button', { name: away < 0.02 ? 'End: good' : 'Drop' }).click();
      await shows(page, '#panel-record [role=status]', /^Nothing is being recorded/);
      return away;
    };
    await expect.poll(carried, { timeout: 4 * PATIENCE.timeout }).toBeLessThan(0.02);
    const row = panel.locator('tr[data-recording^=carry-]');
    await expect.poll(() => row.getAttribute('data-verdict'), PATIENCE).toBe('good');
    expect(await row.textContent()).toContain('Carry the cube');

    await row.getByRole('button', { name: /^Look at / }).click();
    const look = panel.getByLabel('Look at a recording');
    await expect
      .poll(() => look.getByLabel('Arm that replays').locator('option:checked').textContent())
      .toBe('follower');
    const answers: string[] = [];
    const replayed = async (): Promise<number> => {
      await reset();
      expect(await cubeAway(bridge)).toBeGreaterThan(0.04);
      const answered = page.waitForResponse((answer) => answer.url().includes('/recording/play'));
      await look.getByRole('button', { name: 'Replay', exact: true }).click();
      answers.push(await (await answered).text());
      const away = await cubeAway(bridge);
      // One that breaks off leaves the arm low, from where the next one may not find a way.
      if (away >= 0.02) await moveTo(bridge, 0, DOWN[0], OPEN);
      return away;
    };
    await expect
      .poll(replayed, { timeout: 4 * PATIENCE.timeout, interval: 2000 })
      .toBeLessThan(0.02)
      .catch((error: unknown) => {
        throw new Error(`the replays were answered ${answers.join(' ')}`, { cause: error });
      });
    expect(await axeViolations(page)).toEqual([]);
  });
});
