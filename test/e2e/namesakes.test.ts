import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Witness } from '../ros/support/ros.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN } from './support/bridge.ts';

/** A bridge that was killed is on the graph until its lease is over, some 20 s. */
const PATIENCE = { timeout: 60_000, interval: 100 };
const REFUSED =
  /leader: another bridge on this graph has the node \/leader\/arm_bridge too, and ROS 2 does not drive this one/;
const MET = /leader: another bridge on this graph has the node \/leader\/arm_bridge too/;

const listen = () => Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });

test.skipIf(!HAS_ROS)(
  'of two bridges with the same arms that start together one is driven by ROS 2, and the other once the first was killed; a third knows neither arm meanwhile',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-namesakes-'));
    const config = join(folder, 'operator.json');
    writeFileSync(config, JSON.stringify({ arms: [{ name: 'leader', id: 0, bus: 'ros' }], http: { port: 0 } }));
    const bridges = await Promise.all([BridgeProcess.start(), BridgeProcess.start()]);
    const operator = await BridgeProcess.start('--config', config);
    const remote = async () => (await operator.get('/api/v1/arms')).body.arms[0].now;
    const witness = await listen();
    let later: Witness | null = null;
    try {
      await expect.poll(() => bridges.every(({ log }) => MET.test(log)), PATIENCE).toBe(true);
      expect(bridges.filter(({ log }) => REFUSED.test(log))).toHaveLength(1);
      const second = bridges.find(({ log }) => REFUSED.test(log))!;
      const first = bridges.find((bridge) => bridge !== second)!;
      const initialised = async () =>
        [(await first.arm(0)).initialised, (await second.arm(0)).initialised] as [boolean, boolean];
      // The second offers what reads and stops, and nothing that drives.
      const offered = () => Promise.all(['init', 'stop'].map((name) => witness.servers(`/leader/arm_bridge/${name}`)));
      await expect.poll(offered, PATIENCE).toEqual([1, 2]);
      // A call goes to those alone whom its client has found by then: it is asked again while the first does nothing.
      const obeyed = async () => {
        if ((await first.arm(0)).owner === null) await witness.trigger('/leader/arm_bridge/init');
        return initialised();
      };
      await expect.poll(obeyed, PATIENCE).toEqual([true, false]);
      expect((await second.post('/move/init?robot_id=0')).body.status).toBe('ok');
      await expect.poll(remote, PATIENCE).toMatchObject({
        state: 'disconnected',
        reason: expect.stringContaining('2 programs publish /leader/joint_states'),
      });

      await first.end('SIGKILL');
      await expect
        .poll(() => second.log, PATIENCE)
        .toContain('leader: no other bridge has an arm of this name any more');
      // It is what the one that is left says of it.
      await expect.poll(remote, PATIENCE).toMatchObject({ state: 'ready', reason: '' });
      // Who saw both may keep a ghost of the first.
      later = await listen();
      await later.perform('/leader/arm_bridge/park');
      expect(await second.arm(0)).toMatchObject({ torque: false });
    } finally {
      await later?.close();
      await witness.close();
      for (const bridge of [operator, ...bridges]) await bridge.end('SIGINT');
      rmSync(folder, { recursive: true });
    }
  },
  300_000,
);
