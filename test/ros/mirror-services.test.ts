import { expect, test } from 'vitest';
import { offerMirroring } from '../../src/ros/mirror-services.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { PAIR, VirtualBridge } from '../support/virtual-bridge.ts';

const REQUEST = {
  ...{ pairs: [{ leader: 'leader', follower: 'follower' }], invert_controls: false },
  ...{ gravity_compensation: false, gravity_shoulder: 0, gravity_elbow: 0, gravity_wrist: 0 },
  ...{ on_mismatch: '', mismatch_threshold: 0, align: '', take_over: false },
};

test('ROS 2 starts no pair with an arm whose name another bridge has on the graph; HTTP does', async () => {
  const bridge = await VirtualBridge.startLight(PAIR);
  const services = new Map<string, (request: object) => Promise<{ success: boolean; code: string }>>();
  const node = {
    createService: (_: string, name: string, act: (request: object) => Promise<{ success: boolean; code: string }>) =>
      services.set(name, act),
    getPublishersInfoByTopic: () => [],
  } as unknown as RosNode;
  const { arms, mirror } = bridge.bridge;
  offerMirroring(node, '/arm_bridge', mirror, arms, [], () => true);
  await bridge.post('/move/init?robot_id=1');
  bridge.arm('follower').barred = ({ owner }) =>
    (owner.client ?? owner).key.startsWith('ros') ? 'another bridge has its name' : '';
  expect(await services.get('~/start_mirroring')!(REQUEST)).toMatchObject({ success: false, code: 'owned' });
  expect((await bridge.get('/status')).body.mirror.pairs).toEqual([]);
  const pairs = [{ leader_id: 0, follower_id: 1 }];
  expect((await bridge.post('/move/leader/start', { robot_pairs: pairs })).body.status).toBe('ok');
});
