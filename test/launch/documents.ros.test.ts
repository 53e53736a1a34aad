import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
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
});
