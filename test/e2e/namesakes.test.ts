import { expect, test } from 'vitest';
import { Witness } from '../ros/support/ros.ts';
import { BridgeProcess, HAS_ROS, ROS_DOMAIN, sleep } from './support/bridge.ts';

const PATIENCE = { timeout: 40_000, interval: 100 };

test.skipIf(!HAS_ROS)(
  'a second bridge with the same arms on one graph is noticed, and not driven by ROS 2 until the first has gone',
  async () => {
    const first = await BridgeProcess.start();
    const rosOf = async (bridge: BridgeProcess) => (await bridge.get('/status')).body.ros.enabled;
    await expect.poll(() => rosOf(first), PATIENCE).toBe(true);
    // Two that begin within five seconds are both taken for the later one.
    await sleep(6);
    const second = await BridgeProcess.start();
    const witness = await Witness.start({ ROS_DOMAIN_ID: ROS_DOMAIN, ROS_AUTOMATIC_DISCOVERY_RANGE: 'LOCALHOST' });
    try {
      await expect
        .poll(() => second.log, PATIENCE)
        .toMatch(
          /leader: another bridge on this graph has the node \/leader\/arm_bridge too, and ROS 2 does not drive this one/,
        );
      await expect
        .poll(() => first.log, PATIENCE)
        .toMatch(/leader: another bridge on this graph has the node .* too: rename/);
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

      await first.endStopped();
      await expect
        .poll(() => second.log, PATIENCE)
        .toContain('leader: no other bridge has an arm of this name any more');
      await witness.perform('/leader/arm_bridge/park');
      expect(await second.arm(0)).toMatchObject({ torque: false });
    } finally {
      await witness.close();
      await second.end('SIGINT');
    }
  },
  300_000,
);
