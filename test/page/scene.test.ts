import { describe, expect, test } from 'vitest';
import type { BridgeProcess } from '../e2e/support/bridge.ts';
import { hoverObject, PATIENCE, startPairs } from './support/actions.ts';
import { HAS_BROWSER, takePicture } from './support/browser.ts';
import { openPage, startBridge } from './support/page.ts';

const JOINTS = ['shoulder pan', 'shoulder lift', 'elbow flex', 'wrist flex', 'wrist roll', 'gripper'];
/** Gripper angles of the leader, rad: wide enough for the cube, and closed beyond it. */
const OPEN = 0.9;
const SHUT = -0.1;
/** The arm's joints with the open fingers above the cube, and before it, rad: one pointing down on each side. */
const ABOVE = [-0.245, -0.28, 0.13, 1.55, 0.04];
const AROUND = [-0.245, -0.165, 0.69, 0.88, 0.04];
/** Everything together, on a machine that is busy with other things, ms. */
const LONG = { timeout: 150_000 };

interface SeenObject {
  readonly name: string;
  readonly position: { readonly x: number; readonly y: number; readonly z: number };
  readonly touches: readonly { readonly with: string }[];
}

/** By the physics. */
async function object(bridge: BridgeProcess, name: string): Promise<SeenObject> {
  const { objects } = (await bridge.get('/sim/objects?robot_id=1')).body as { objects: SeenObject[] };
  return objects.find((other) => other.name === name)!;
}

describe.skipIf(!HAS_BROWSER)('the scene on the control page', () => {
  test('a person picks up the cube by leading the simulated leader by hand', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.locator('#tab-teleoperation').press('Enter');
    const panel = page.locator('#panel-teleoperation');
    /** Leads the leader there by the sliders of its hand, until the follower is there too. */
    const lead = async (joints: readonly number[], gripper: number): Promise<void> => {
      const goals = [...joints, gripper];
      for (const [i, name] of JOINTS.entries()) {
        await panel.getByRole('slider', { name: `Lead ${name} by hand` }).fill(goals[i]!.toFixed(2));
      }
      const left = async (): Promise<number> => {
        const { angles: now } = (await bridge.post('/joints/read?robot_id=1')).body;
        // A gripper that holds something does not close.
        return Math.max(
          ...goals.slice(0, gripper === SHUT ? -1 : goals.length).map((goal, i) => Math.abs(goal - now[i])),
        );
      };
      await expect.poll(left, PATIENCE).toBeLessThan(0.06);
    };
    /** Again from the beginning where a busy machine has come in between. @returns height of the cube, m */
    const pick = async (): Promise<number> => {
      try {
        await page.getByRole('button', { name: 'Reset objects' }).press('Enter');
        await startPairs(page, 'leader follower');
        await lead(ABOVE, OPEN);
        await lead(AROUND, OPEN);
        await lead(AROUND, SHUT);
        const held = async (): Promise<number> =>
          (await object(bridge, 'cube')).touches.filter(({ with: link }) => link === 'jaw').length;
        await expect.poll(held, PATIENCE).toBe(1);
        await lead(ABOVE, SHUT);
        return (await object(bridge, 'cube')).position.z;
      } catch (error) {
        console.warn(`picking the cube is tried again: ${String(error)}`);
        return 0;
      }
    };
    await expect.poll(pick, LONG).toBeGreaterThan(0.08);
    const { touches } = await object(bridge, 'cube');
    expect(touches.map((touch) => touch.with).sort()).toEqual(['gripper_link', 'jaw']);
    if (process.env.ARM_BRIDGE_PICTURES) await page.setViewportSize({ width: 1280, height: 720 });
    await takePicture(page, 'page-pick');
  });

  test('an object follows the mouse, falls when it is let go, and comes back by a button', async () => {
    const bridge = await startBridge();
    const page = await openPage(bridge);
    await page.getByRole('button', { name: 'Reset objects' }).waitFor();
    const before = (await object(bridge, 'cube')).position;
    const [x, y] = await hoverObject(page, 'cube');
    await page.mouse.down();
    for (let step = 1; step <= 10; step += 1) await page.mouse.move(x - 2 * step, y - 6 * step);
    await expect.poll(async () => (await object(bridge, 'cube')).position.z, PATIENCE).toBeGreaterThan(0.03);
    await page.mouse.up();
    await expect.poll(async () => (await object(bridge, 'cube')).position.z, PATIENCE).toBeLessThan(0.022);
    await page.getByRole('button', { name: 'Reset objects' }).press('Enter');
    const away = async (): Promise<number> => {
      const { position } = await object(bridge, 'cube');
      return Math.hypot(position.x - before.x, position.y - before.y, position.z - before.z);
    };
    await expect.poll(away, PATIENCE).toBeLessThan(0.002);
  });
});
