import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { type JointStateMessage, Witness } from '../ros/support/ros.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN, rosEnvironment } from './support/bridge.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE = '/follower/arm_bridge';
const STATE = 'sensor_msgs/msg/JointState';

describe.skipIf(!HAS_ROS)('npm run ros', () => {
  let bridge: BridgeProcess;
  let witness: Witness;
  beforeAll(async () => {
    bridge = await BridgeProcess.start();
    witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    await witness.perform(`${NODE}/init`);
  });
  afterAll(async () => {
    await witness?.close();
    await bridge?.endStopped();
  });

  test('does what one reaches to ros2 for, where its command line tools are not', async () => {
    const ros = (...args: string[]): Promise<{ code: number | null; output: string; errors: string }> =>
      new Promise((resolve) => {
        const program = execFile(
          'bash',
          ['scripts/ros.sh', ...args],
          { cwd: ROOT, env: rosEnvironment() },
          (_, output, errors) => resolve({ code: program.exitCode, output, errors }),
        );
      });
    const told = bashBlocks('docs/ros.md').filter(({ kind }) => kind === 'ros2');
    // As a shell takes them apart.
    const words = told
      .flatMap(commands)
      .map((command) =>
        [...command.replace(/^npm run ros -- /, '').matchAll(/'([^']*)'|(\S+)/g)].map(
          ([, quoted, word]) => quoted ?? word!,
        ),
      );
    const reads = words.filter(([, verb]) => ['list', 'echo', 'hz', 'get'].includes(verb!));
    const changes = words.filter((command) => !reads.includes(command));
    expect([reads.length, changes.length]).toEqual([4, 7]);
    const lists = reads.filter(([, verb]) => verb === 'list');
    const [[echo, hz], set, unknown] = await Promise.all([
      Promise.all(reads.filter((command) => !lists.includes(command)).map((command) => ros(...command))),
      ros('param', 'set', NODE, 'speed_scale', '7.5'),
      ros('service', 'call', `${NODE}/init`, 'std_srvs/srv/Nothing'),
    ]);
    expect(echo!.output).toMatch(/^header:\n[\s\S]*^name: \[shoulder_pan, .*gripper\]\nposition: \[[\s\S]*\n---\n$/m);
    expect(hz!.output).toMatch(/average rate: [\d.]+\n\tmin: /);
    // What has been found within seconds is listed, which a busy machine may take for one name or for another program's start.
    const listed = async (command: string[], row: string): Promise<void> => {
      await expect.poll(async () => (await ros(...command)).output, { timeout: 30_000 }).toContain(row);
    };
    expect(lists).toHaveLength(1);
    await listed(lists[0]!, `/follower/joint_states [${STATE}]\n`);
    await listed(['service', 'list'], `${NODE}/init\n`);
    expect(set).toMatchObject({ code: 1, errors: expect.stringMatching(/speed_scale of arm follower cannot be 7.5/) });
    expect(unknown).toMatchObject({ code: 1, errors: expect.stringMatching(/no type "std_srvs\/srv\/Nothing"/) });

    const seen = await witness.subscribe<JointStateMessage>(STATE, '/follower/joint_commands');
    const outputs: string[] = [];
    for (const command of changes) {
      // Two read it, the bridge and the witness, which are not found at the same moment.
      const { code, output, errors } = await ros(...command, ...(command[1] === 'pub' ? ['-w', '2'] : []));
      expect([command.join(' '), code, errors]).toEqual([command.join(' '), 0, '']);
      outputs.push(output);
    }
    expect(outputs.find((output) => output.includes('orientation_error'))).toContain('STATUS_SUCCEEDED');
    const { message } = (await seen(1))[0]!;
    expect([message.name, message.position]).toEqual([['gripper'], [0.5]]);
    expect(message.header.stamp.sec).toBeGreaterThan(1e9);
  });
});
