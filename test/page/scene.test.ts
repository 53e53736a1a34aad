import { describe, expect, test } from 'vitest';
import { hoverObject, PATIENCE, startPairs } from './support/actions.ts';
import { HAS_BROWSER, startFilm, takePicture } from './support/browser.ts';
import { object, posesAtCube } from './support/cube.ts';
import { openPage, startBridge } from './support/page.ts';

/** Gripper angles of the leader, rad: wide enough for the cube, and closed beyond it. */
const OPEN = 0.9;
const SHUT = -0.1;
/** The leader is led from pose to pose in steps of at most so much, rad: a frame of the film each. */
const STEP = 0.12;

describe.skipIf(!HAS_BROWSER)('the scene on the control page', () => {
  test('an object follows the mouse, and comes back by a button', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.getByRole('button', { name: 'Reset objects' }).waitFor();
    const before = (await object(bridge, 'cube')).position;
    const { x, y, left } = await hoverObject(page, 'cube', before);
    await page.mouse.down();
    for (let step = 1; step <= 10; step += 1) {
      await page.mouse.move(x + 0.008 * step * left[0], y + 0.008 * step * left[1]);
    }
    await expect.poll(async () => (await object(bridge, 'cube')).position.y - before.y, PATIENCE).toBeGreaterThan(0.06);
    await page.mouse.up();
    await page.getByRole('button', { name: 'Reset objects' }).press('Enter');
    const away = async (): Promise<number> => {
      const { position } = await object(bridge, 'cube');
      return Math.hypot(position.x - before.x, position.y - before.y, position.z - before.z);
    };
    await expect.poll(away, PATIENCE).toBeLessThan(0.002);
  });

  // Whether a hand on the leader picks up the cube is judged in virtual time: test/bridge/scene.test.ts.
  test.runIf(process.env.ARM_BRIDGE_PICTURES)(
    'the film and the picture of a cube that is picked up are taken',
    async () => {
      const bridge = await startBridge();
      await bridge.raise();
      const poses = await posesAtCube(bridge, [0.1, 0.08, 0.06, 0.04, 0.025, 0.014]);
      const page = await openPage(bridge);
      await page.setViewportSize({ width: 1280, height: 720 });
      await page.locator('#tab-teleoperation').press('Enter');
      await startPairs(page, 'leader follower');
      const { joints } = (await bridge.get('/sim/truth?robot_id=1')).body;
      // The arms are drawn a while after the rest of the page, and the notice has gone by then.
      await page.waitForTimeout(7000);
      const film = startFilm(page, 'pick');
      const hold = async (goals: readonly number[]): Promise<void> => {
        for (const [i, name] of Object.keys(joints).entries()) {
          const slider = page.getByRole('slider', { name: `Lead ${name.replaceAll('_', ' ')} by hand` });
          await slider.fill(String(goals[i]));
        }
        const left = async (): Promise<number> => {
          const { angles } = (await bridge.post('/joints/read?robot_id=1')).body;
          // Closing fingers stand at what they hold.
          return Math.max(...goals.slice(0, -1).map((goal, i) => Math.abs(goal - angles[i])));
        };
        await expect.poll(left, PATIENCE).toBeLessThan(0.06);
        await film.frame();
      };
      let before: readonly number[] = (await bridge.post('/joints/read?robot_id=1')).body.angles;
      const lead = async (pose: readonly number[], gripper: number): Promise<void> => {
        const from = before;
        const goals = [...pose, gripper];
        const steps = Math.ceil(Math.max(...goals.map((goal, i) => Math.abs(goal - from[i]!))) / STEP);
        for (let step = 1; step <= steps; step++)
          await hold(goals.map((to, i) => from[i]! + ((to - from[i]!) * step) / steps));
        before = goals;
      };
      for (const pose of poses) await lead(pose, OPEN);
      await lead(poses.at(-1)!, SHUT);
      const holding = async (): Promise<boolean> =>
        (await object(bridge, 'cube')).touches.some((touch) => touch.by === 'jaw');
      await expect.poll(holding, PATIENCE).toBe(true);
      for (const pose of poses.reverse()) await lead(pose, SHUT);
      expect((await object(bridge, 'cube')).position.z).toBeGreaterThan(0.08);
      await takePicture(page, 'page-pick');
      film.end();
    },
  );
});
