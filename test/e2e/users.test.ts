import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type JointStateMessage, Witness } from '../ros/support/ros.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN } from './support/bridge.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/**
 * Becomes another user who may read this checkout wherever it lies, and write to nothing that is not theirs: which is
 * what shared memory is about.
 */
const AS_NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=+dac_read_search'];
AS_NOBODY.push('--ambient-caps=+dac_read_search');
// Where a folder above this checkout is closed to others, existsSync finds nothing there, whatever may be read.
const reach = ['node', '-e', 'process.exit(require("fs").existsSync(process.argv[1]) ? 0 : 1)', import.meta.filename];
const possible = HAS_ROS && spawnSync(AS_NOBODY[0]!, [...AS_NOBODY.slice(1), ...reach]).status === 0;
if (!possible)
  console.warn(
    'SKIPPED: ROS 2 between two users of a machine. Run them as root on Linux, with setpriv, where others may look.',
  );

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'arm-bridge-nobody-'));
  chmodSync(home, 0o777);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.skipIf(!possible).each(['LOCALHOST', 'SUBNET'])(
  'programs of another user get the messages of a bridge, and their calls are answered: discovery %s',
  async (range) => {
    const environment = { HOME: home, XDG_STATE_HOME: home, ROS_LOG_DIR: home, ROS_AUTOMATIC_DISCOVERY_RANGE: range };
    const bridge = await BridgeProcess.startBy(AS_NOBODY, environment);
    const witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: range });
    try {
      const states = await witness.subscribe<JointStateMessage>('sensor_msgs/msg/JointState', '/leader/joint_states');
      expect((await states(20))[0]!.message.name).toContain('gripper');
      expect(await witness.trigger('/leader/arm_bridge/stop')).toMatchObject({ success: true });
      expect(await bridge.arm(0)).toMatchObject({ state: 'stopped' });
    } finally {
      await witness.close();
      await bridge.end('SIGINT');
    }
  },
);
