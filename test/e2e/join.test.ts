import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type JointStateMessage, Witness } from '../ros/support/ros.ts';
import { BridgeProcess, HAS_ROS, livingChildren, ROS_DOMAIN } from './support/bridge.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'arm-bridge-join-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Variables by which a ROS 2 is found, which this process has and a bridge that is to join one has not yet. */
const NAMES = ['AMENT_PREFIX_PATH', 'ROS_DISTRO', 'ROS_VERSION', 'ROS_PYTHON_VERSION', 'RMW_IMPLEMENTATION'];

/** Starts the bridge as start.sh does while ROS 2 is being prepared: what is written to `go` is what the preparation says. */
async function startBeside(go: string, ...args: string[]): Promise<BridgeProcess> {
  const fifo = join(folder, go);
  const begin = JSON.stringify({ step: 'ROS 2 from PyPI: installing', left: 100 });
  const script = `mkfifo '${fifo}'; exec 3< <(echo '${begin}'; exec cat '${fifo}'); exec "$@"`;
  const unset = Object.fromEntries(NAMES.map((name) => [name, '']));
  return BridgeProcess.startBy(['bash', '-c', script, 'bash'], { ...unset, ARM_BRIDGE_ROS_PREPARATION: '3' }, ...args);
}

function say(go: string, news: object): void {
  writeFileSync(join(folder, go), `${JSON.stringify(news)}\n`);
}

const ready = () => ({ ready: Object.fromEntries(NAMES.map((name) => [name, process.env[name] ?? ''])) });

describe.skipIf(!HAS_ROS)('a ROS 2 that is being prepared while the bridge runs', () => {
  test('is told of by HTTP, and joined as soon as it is ready: arms go on as they were', async () => {
    const bridge = await startBeside('ready');
    const witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    try {
      const { ros } = (await bridge.get('/status')).body;
      expect(ros).toMatchObject({ enabled: false, distro: null, preparing: { step: 'ROS 2 from PyPI: installing' } });
      expect(ros.reason).toMatch(/^it is being prepared: ROS 2 from PyPI: installing, about (\d\d s|2 min) left$/);
      expect(bridge.log).toContain('ROS 2 is being prepared and joins by itself: ROS 2 from PyPI: installing, about ');
      expect((await bridge.post('/move/init?robot_id=1')).status).toBe(200);
      const before = await bridge.arm(1);
      say('ready', ready());
      const states = await witness.subscribe<JointStateMessage>('sensor_msgs/msg/JointState', '/follower/joint_states');
      expect((await states(5))[0]!.message.name).toContain('gripper');
      const { status } = await bridge.get('/status');
      expect(status).toBe(200);
      expect((await bridge.get('/status')).body.ros).toEqual({
        enabled: true,
        reason: '',
        distro: process.env.ROS_DISTRO,
        preparing: null,
      });
      const after = await bridge.arm(1);
      expect([after.state, after.torque]).toEqual([before.state, before.torque]);
    } finally {
      await witness.close();
      await bridge.endStopped();
    }
  });

  test('is waited for where the configuration demands it', async () => {
    const file = join(folder, 'demanding.yaml');
    writeFileSync(file, 'ros: { enabled: true }\narms: [{ name: arm, bus: "sim:so101" }]\n');
    const starting = startBeside('demanded', '--config', file);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    say('demanded', ready());
    const bridge = await starting;
    try {
      expect(bridge.log).toMatch(/waiting for ROS 2, which is being prepared, because ros\.enabled is true/);
      expect((await bridge.get('/status')).body.ros).toMatchObject({ enabled: true, preparing: null });
    } finally {
      await bridge.end('SIGINT');
    }
  });
});

test('a ROS 2 that cannot be prepared leaves HTTP served, and says why', async () => {
  const bridge = await startBeside('failed');
  say('failed', { failed: 'no compiler' });
  try {
    await expect
      .poll(async () => (await bridge.get('/status')).body.ros, { timeout: 20_000 })
      .toEqual({
        enabled: false,
        reason: 'no compiler',
        distro: null,
        preparing: null,
      });
    await expect.poll(() => bridge.log).toContain('ROS 2 is off, HTTP alone is served: no compiler');
  } finally {
    expect((await bridge.end('SIGINT')).code).toBe(0);
  }
});

test('an end does not wait for a ROS 2 that is still being prepared', async () => {
  const bridge = await startBeside('unfinished');
  expect(await bridge.end('SIGINT')).toMatchObject({ code: 0 });
  // Nobody says any more how far it is.
  say('unfinished', { step: 'on and on', left: 1 });
  await expect.poll(livingChildren, { timeout: 10_000 }).toEqual([]);
});
