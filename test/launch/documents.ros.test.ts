import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bashBlocks, commands } from '../docs/support/blocks.ts';
import { BridgeProcess, ROS_DOMAIN } from '../e2e/support/bridge.ts';
import { Witness } from '../ros/support/ros.ts';
import { NO_ROS2, ROOT, Ros2 } from './support/ros2.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const DOCUMENTS = ['README.md', ...readdirSync(`${ROOT}docs`).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
/** Every command of the documents that ros2 is to carry out, in their order: those of `npm run ros` are its own. */
const TOLD = DOCUMENTS.flatMap((document) =>
  bashBlocks(document)
    .filter(({ kind }) => kind === 'ros2' || kind === 'full-ros')
    .flatMap((block) => commands(block).map((command) => ({ where: `${document}:${block.line}`, command }))),
)
  .map(({ where, command }) => ({ where, command: command.replace(/^npm run ros -- /, 'ros2 ') }))
  .filter(({ command }) => command.startsWith('ros2 '));

/** As a shell takes them apart. */
function words(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(1);
}

describe.skipIf(NO_ROS2 !== null)('the ros2 commands of the documents', () => {
  let ros2: Ros2;
  let bridge: BridgeProcess;
  beforeAll(async () => {
    ros2 = new Ros2();
    bridge = await BridgeProcess.start();
    const witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    await witness.perform('/follower/arm_bridge/init');
    await witness.close();
  });
  afterAll(async () => {
    await bridge?.endStopped();
    await ros2?.close();
  });

  test('are not few', () => expect(TOLD.length).toBeGreaterThan(12));

  test.each(TOLD.filter(({ command }) => command.startsWith('ros2 launch ')))(
    '$where $command names a file and arguments that there are',
    async ({ command }) => {
      const [, name, file, ...given] = words(command);
      const { code, output } = await ros2.run('launch', name!, file!, '--show-args');
      expect([code, output]).toEqual([0, expect.stringContaining('Arguments')]);
      for (const argument of given) expect(output).toContain(`'${argument.split(':=')[0]}':`);
    },
  );

  test.each(TOLD.filter(({ command }) => !command.startsWith('ros2 launch ')))(
    '$where $command',
    async ({ command }) => {
      // Only the stand-in for ros2 knows --seconds.
      const given = words(command.replace(/ --seconds \d+/, ''));
      const endless = /^(topic (hz|echo|bw|delay)|param dump)/.test(given.join(' ')) && !given.includes('--once');
      if (!endless) {
        const { code, output } = await ros2.runFound(...given);
        expect([code, output]).toEqual([
          0,
          expect.not.stringMatching(/success[=:] ?False|ABORTED|not set successfully|failed/i),
        ]);
        return;
      }
      const [program, ...rest] = ros2.command(given);
      let output = '';
      do {
        output = '';
        const child = spawn(program!, rest, { env: ros2.environment, cwd: ros2.folder });
        const ended = once(child, 'close');
        child.stdout.on('data', (text) => {
          output += text;
        });
        while (!/average rate|position:/.test(output) && child.exitCode === null) await setTimeout(50);
        child.kill('SIGINT');
        await ended;
        // The tool has looked for the topic for a moment only, which a busy machine may take longer for.
      } while (/does not appear to be published yet/.test(output));
      expect(output).toMatch(/average rate|position:/);
    },
  );

  describe('ros2 param', () => {
    const ARM = '/follower/arm_bridge';
    const param = async (...args: readonly string[]): Promise<string> => (await ros2.runFound('param', ...args)).output;
    /** What became of each parameter of a file: empty for one that was set, else the reason. */
    const load = async (node: string, text: string): Promise<Record<string, string>> => {
      const file = join(ros2.folder, 'parameters.yaml');
      writeFileSync(file, text);
      const output = await param('load', node, file);
      const lines = [...output.matchAll(/^Set parameter (\S+) (?:successful|failed: (.*))$/gm)];
      return Object.fromEntries(lines.map(([, name, reason]) => [name!, reason ?? '']));
    };

    test('lists, tells and describes what a node has, and takes back what it has written down', async () => {
      const [listed, rate, described, dumped] = await Promise.all([
        param('list', ARM),
        param('get', '/arm_bridge', 'ros.joint_state_rate'),
        param('describe', ARM, 'speed_scale', 'uncalibrated', 'joint_limits.gripper.max_velocity'),
        param('dump', ARM),
      ]);
      expect(listed).toMatch(/^ {2}position_gains\.gripper\n[\s\S]*^ {2}speed_scale\n/m);
      expect(rate).toBe('Double value is: 100.0\n');
      expect(described).toMatch(/^Parameter name: speed_scale\n {2}Type: double\n {2}Description: \S/m);
      expect(described).toMatch(/Min value: 0\.1\n {4}Max value: 1\.0\n/);
      expect(described).toMatch(/^Parameter name: uncalibrated\n {2}Type: boolean\n/m);
      expect(described).toMatch(
        /^Parameter name: joint_limits\.gripper\.max_velocity\n(?: .*\n)+? {4}Read only: true\n/m,
      );
      const took = await load(ARM, dumped);
      const { speed_scale, uncalibrated, 'position_gains.gripper': gain } = took;
      expect([speed_scale, uncalibrated, gain]).toEqual(['', '', '']);
      expect(took['joint_limits.gripper.max_velocity']).toMatch(/follows from the arm's data: set speed_scale/);
    });

    test('sets an integer for a number, and says why it does not set something', async () => {
      const took = await load(
        ARM,
        `${ARM}:
  ros__parameters:
    speed_scale: 1
    acceleration_scale: 2
    uncalibrated: 3
    force_feedback: { arm: [1, 2], gripper: much }
    position_gains: { gripper: 0.1 }
    thumb: 1
    use_sim_time: 1
`,
      );
      expect(took).toEqual({
        speed_scale: '',
        acceleration_scale: expect.stringMatching(/acceleration_scale of arm follower cannot be 2: .* from 0\.1 to 1/),
        uncalibrated: expect.stringMatching(/uncalibrated of arm follower cannot be 3: true or false is needed/),
        'force_feedback.arm': expect.stringMatching(/cannot be \[1,2\]: a number from 0 to 1/),
        'force_feedback.gripper': expect.stringMatching(/cannot be "much": a number from 0 to 1/),
        'position_gains.gripper': expect.stringMatching(/cannot be 0\.1: a number from 0\.5 to 1/),
        thumb: expect.stringMatching(/thumb is no parameter of this node: it has speed_scale, /),
        use_sim_time: 'use_sim_time is true or false, and was given another type',
      });
      const [set, nameless, deleted, level] = await Promise.all([
        param('set', ARM, 'acceleration_scale', '1'),
        param('set', ARM, '', '1'),
        param('delete', ARM, 'speed_scale'),
        param('set', '/arm_bridge', 'log.level', '5'),
      ]);
      expect(set).toBe('Set parameter successful\n');
      expect(nameless).toMatch(/^Setting parameter failed: .*name/);
      expect(deleted).toMatch(/speed_scale cannot be deleted/);
      expect(level).toMatch(/^Setting parameter failed: log\.level cannot be 5: /);
      expect(bridge.child.exitCode).toBeNull();
    });
  });
});
