import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { describeRos } from './support/ros.ts';

/** Type hashes (REP-2011) of the packages tf2_msgs and control_msgs of ROS 2 Jazzy. */
const HASHES: Readonly<Record<string, string>> = {
  'tf2_msgs/msg/TFMessage': 'e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087',
  'control_msgs/action/FollowJointTrajectory': '738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6',
  'control_msgs/action/ParallelGripperCommand': 'adfd3c1ebe8abc38ebcc0e454b6423d291d4010dd5697d14eca5b9be4726ae18',
  'control_msgs/action/GripperCommand': 'e17c0e644eccf14bea84a0a93e0977182872c2eb7873ca6694900059b46dbc84',
  'control_msgs/msg/JointTolerance': 'c254f9cece0f3b733017b6990fd46d1326e25242d6b8844398c97d9a88e7d648',
  'control_msgs/msg/JointComponentTolerance': '739ea7566931944d33830fa10f1bf5e7a7fbdc3172bce7a7eaac642bd6e3ffa4',
  'control_msgs/msg/JointJog': 'ba249455a20f70168a1acb7bf43b776b72ff1f7eb5fc4cfea443f749e963c6e7',
  'control_msgs/msg/GripperCommand': '57eb8f326c9889ca8bb34ead82cc94cc09bf6bc5c3b6c09546dca3a00b589890',
};

interface TypeDescription {
  readonly type_hashes: readonly { readonly type_name: string; readonly hash_string: string }[];
}

function hashOf(type: string): string | undefined {
  const places = (process.env.AMENT_PREFIX_PATH ?? '').split(delimiter);
  const file = places.map((prefix) => join(prefix, 'share', `${type}.json`)).find(existsSync);
  if (file === undefined) return undefined;
  const { type_hashes } = JSON.parse(readFileSync(file, 'utf8')) as TypeDescription;
  return type_hashes.find(({ type_name }) => type_name === type)?.hash_string;
}

describeRos('interface packages', () => {
  test('those built here are the ones that every other ROS 2 has: a peer with another hash would hear nothing', () => {
    const found = Object.fromEntries(Object.keys(HASHES).map((type) => [type, hashOf(type)]));
    expect(found).toEqual(Object.fromEntries(Object.entries(HASHES).map(([type, hash]) => [type, `RIHS01_${hash}`])));
  });
});
