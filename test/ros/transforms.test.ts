import { expect, test } from 'vitest';
import type { Arm } from '../../src/arm/types.ts';
import type { ArmConfig } from '../../src/config/schema.ts';
import { ArmNames } from '../../src/ros/names.ts';
import type { Qualities } from '../../src/ros/qos.ts';
import type { RosNode } from '../../src/ros/rclnodejs.ts';
import { Broadcaster } from '../../src/ros/transforms.ts';
import { so101 } from '../kinematics/so101.ts';

test('where an arm stands is told also where another node tells the frames of its links', () => {
  const arm = { name: 'arm', model: so101 } as unknown as Arm;
  const told = (links: boolean): Record<string, string> => {
    const topics: Record<string, string> = {};
    const node = {
      createPublisher(_: string, topic: string) {
        const publish = (bytes: Buffer): void => {
          topics[topic] = bytes.toString('latin1');
        };
        return { publish };
      },
    } as unknown as RosNode;
    const mount: ArmConfig['mount'] = { xyz: [0, 0.25, 0], rpy: [0, 0, 0] };
    const broadcaster = new Broadcaster(node, arm, new ArmNames(arm, null), mount, links, {} as Qualities);
    broadcaster.publish(1, new Float64Array(so101.joints.length));
    return topics;
  };
  const frames = (text: string) => new Set(text.match(/arm\/\w+|world/g));
  const standing = told(false);
  expect(Object.keys(standing)).toEqual(['/tf_static']);
  expect(frames(standing['/tf_static']!)).toEqual(new Set(['world', 'arm/base_link']));
  const whole = told(true);
  expect(frames(whole['/tf_static']!)).toContain('arm/tool');
  expect(frames(whole['/tf']!)).toContain('arm/gripper_link');
});
