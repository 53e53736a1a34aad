import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { sitePackages, WITNESS_PYTHON, witness } from '../support/witness.ts';
import { BridgeProcess, HAS_ROS, rosProgram } from './support/bridge.ts';

vi.setConfig({ testTimeout: 480_000 });

interface Drawn {
  readonly latched: boolean;
  readonly links: readonly string[];
  readonly lost: readonly string[];
  readonly base: readonly number[];
  readonly shapes: number;
  readonly error: number;
}

interface Seen {
  readonly messages: number;
  readonly decoded: number;
  readonly topics: readonly string[];
  readonly static: boolean;
  readonly arms: Readonly<Record<string, Drawn>>;
}

/** What must have come before the recording ends: topic, what stands in the message, how often. Latched ones come once. */
const WANTED = [
  ...['joint_states', 'joint_goals', 'end_effector/pose', 'external_wrench', 'arm_controller/controller_state'].map(
    (name) => [`/follower/${name}`, '', 20] as const,
  ),
  ['/diagnostics', '', 1],
  ['/arm_bridge/mirror_state', '', 1],
  ...['leader', 'follower'].flatMap((arm) => [
    [`/${arm}/joint_states`, '', 20] as const,
    [`/${arm}/robot_description`, '', 1] as const,
    [`/${arm}/arm_bridge/status`, '', 1] as const,
    ['/tf_static', `${arm}/`, 1] as const,
    ['/tf', `${arm}/`, 20] as const,
  ]),
] as const;

test.skipIf(!HAS_ROS || !WITNESS_PYTHON)(
  'a bag of everything that is on the graph opens in other programs, which draw the arms',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-bag-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const arms = [
      { name: 'leader', bus: 'sim:so101', mount: { xyz: [0, 0.25, 0] } },
      { name: 'follower', bus: 'sim:so101', mount: { xyz: [0.1, -0.25, 0.02], rpy: [0, 0, 1.5] } },
    ];
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ arms }));
    const bridge = await BridgeProcess.start('--config', join(folder, 'config.yaml'));
    onTestFinished(() => bridge.endStopped());
    // Goals and wrenches are told of an arm that has torque.
    await bridge.raise('?robot_id=1');

    const bag = join(folder, 'bag');
    const recorded = await rosProgram('record_bag.py', bag, sitePackages(), JSON.stringify(WANTED));
    const seen = (await witness(new URL('support/read_bag.py', import.meta.url), bag, 'leader', 'follower')) as Seen;
    expect(seen.messages).toBe(recorded.messages);
    expect(seen.decoded).toBe(recorded.messages);
    expect(seen.topics).toEqual(expect.arrayContaining(WANTED.map(([topic]) => topic)));
    expect(seen.static).toBe(true);
    const { links } = parseUrdf(loadArmModel('so101').urdf);
    for (const { name, mount } of arms) {
      const drawn = seen.arms[name]!;
      expect(drawn.latched).toBe(true);
      expect(drawn.links.toSorted()).toEqual([...links.keys()].sort());
      expect(drawn.lost).toEqual([]);
      mount.xyz.forEach((value, axis) => {
        expect(drawn.base[axis]).toBeCloseTo(value, 9);
      });
      expect(drawn.shapes).toBeGreaterThan(links.size);
      // Nothing but rounding where both messages are of one reading, and steps of the servos where not.
      expect(drawn.error).toBeLessThan(0.01);
    }
  },
);
