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
  offerMirroring(
    node,
    '/arm_bridge',
    mirror,
    arms,
    () => [],
    () => true,
  );
  for (const id of [0, 1]) await bridge.post(`/move/init?robot_id=${id}`);
  bridge.arm('follower').barred = ({ owner }) =>
    (owner.client ?? owner).key.startsWith('ros') ? 'another bridge has its name' : '';
  const move = bridge.post('/move/absolute?robot_id=0', { x: 3, y: 8, z: 3 });
  await bridge.pass(0.3);
  const taking = { ...REQUEST, take_over: true };
  expect(await services.get('~/start_mirroring')!(REQUEST)).toMatchObject({ success: false, code: 'owned' });
  expect(await services.get('~/start_mirroring')!(taking)).toMatchObject({ success: false, code: 'owned' });
  expect((await move).body, 'the leader keeps its owner').toMatchObject({ status: 'ok' });
  expect((await bridge.get('/status')).body.mirror.pairs).toEqual([]);
  const pairs = [{ leader_id: 0, follower_id: 1 }];
  expect((await bridge.post('/move/leader/start', { robot_pairs: pairs })).body.status).toBe('ok');
});
