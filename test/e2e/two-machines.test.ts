import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BridgeProcess, HAS_ROS } from './support/bridge.ts';

const PAIR = { robot_pairs: [{ leader_id: 0, follower_id: 1 }] };
const LED = {
  shoulder_pan: 0.5,
  shoulder_lift: -0.7,
  elbow_flex: 0.7,
  wrist_flex: 0.2,
  wrist_roll: -0.3,
  gripper: 0.4,
};
/** rad */
const NEAR = 0.05;

// `remote.real.test.ts` judges how it moves; here only what it comes to counts, however slow the machine is.
test.skipIf(!HAS_ROS)(
  'a follower on another bridge goes where the leader is led, over the graph',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-machines-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const start = async (name: string, arms: string): Promise<BridgeProcess> => {
      const file = join(folder, name);
      writeFileSync(file, `arms:\n${arms}`);
      const bridge = await BridgeProcess.start('--config', file);
      onTestFinished(() => void bridge.child.kill('SIGKILL'));
      return bridge;
    };
    const owner = await start('owner.yaml', '  - { name: far, bus: "sim:so101" }\n');
    const operator = await start(
      'operator.yaml',
      '  - { name: leader, id: 0, bus: "sim:so101" }\n  - { name: far, id: 1, bus: ros }\n',
    );
    expect((await owner.post('/move/init')).body.status).toBe('ok');
    await operator.post('/sim/hand', { robot_id: 0, joints: LED, duration: 1 });
    const joints = async (bridge: BridgeProcess, id: number): Promise<Record<string, number>> =>
      (await bridge.get(`/sim/truth?robot_id=${id}`)).body.joints;
    const apart = async (): Promise<number> => {
      // On a machine that stands still for a moment a pair ends, which is no fault: a person begins it again.
      const { mirror } = (await operator.get('/status')).body;
      if (!mirror.active) await operator.post('/move/leader/start', PAIR);
      const [leader, far] = [await joints(operator, 0), await joints(owner, 0)];
      return Math.max(
        ...Object.entries(LED).map(([name, led]) =>
          Math.max(Math.abs(leader[name]! - led), Math.abs(far[name]! - led)),
        ),
      );
    };
    await expect.poll(apart, { timeout: 150_000, interval: 200 }).toBeLessThan(NEAR);
    expect((await operator.post('/move/leader/stop')).body.status).toBe('ok');
    await expect.poll(async () => (await owner.arm(0)).owner, { timeout: 60_000 }).toBeNull();
    await operator.post('/sim/hand', { robot_id: 0, joints: null, duration: 0 });
    expect((await operator.end()).code, operator.log).toBe(0);
  },
  400_000,
);
