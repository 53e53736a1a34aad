import { expect, test } from 'vitest';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { withPrefix, withVelocityLimits } from '../../src/kinematics/urdf-text.ts';

const URDF = `<robot name="r">
  <!-- <joint name="a"><limit velocity="9"/></joint> stays as it is -->
  <material name='grey'><color rgba="1 1 1 1"/></material>
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry><material name="grey"/></visual></link>
  <link name = 'one'/><link name="two"/><link name="three"/>
  <transmission name="t"><joint name="c"/></transmission>
  <joint type="revolute" name='a'><parent link="base"/><child link="one"/>
    <axis xyz="0 0 1"/><limit velocity='5' lower="-1" upper="1" effort="2"/></joint>
  <joint name="b" type="prismatic"><parent link="one"/><child link="two"/>
    <limit lower="0" upper="1" effort="2" velocity="7"/><mimic joint="a" multiplier="-0.5" offset="0.1"/></joint>
  <joint name="c" type="revolute"><parent link="two"/><child link="three"/><limit lower="0" upper="1" effort="2" velocity="7"/></joint>
</robot>`;

const velocities = (text: string) =>
  Object.fromEntries(parseUrdf(text).joints.map(({ name, limit }) => [name, limit!.velocity]));

test('a velocity limit is changed where it stands, a joint that mimics follows by its multiplier, nothing else changes', () => {
  const changed = withVelocityLimits(URDF, new Map([['a', 1.5]]));
  expect(velocities(changed)).toEqual({ a: 1.5, b: 0.75, c: 7 });
  expect(changed.replace('velocity="1.5"', "velocity='5'").replace('velocity="0.75"', 'velocity="7"')).toBe(URDF);
});

test('a prefix stands before every name of a link, joint and material, wherever it is named', () => {
  const { links, joints, root } = parseUrdf(withPrefix(URDF, 'left_'));
  expect([...links.keys(), root]).toEqual(['left_base', 'left_one', 'left_two', 'left_three', 'left_base']);
  expect(joints.map(({ name, parent, child, mimic }) => [name, parent, child, mimic?.joint])).toEqual([
    ['left_a', 'left_base', 'left_one', undefined],
    ['left_b', 'left_one', 'left_two', 'left_a'],
    ['left_c', 'left_two', 'left_three', undefined],
  ]);
  expect(withPrefix(URDF, 'left_').match(/left_grey/g)).toHaveLength(2);
  expect(withPrefix(URDF, 'left_')).toContain('<!-- <joint name="a">');
  expect(withPrefix(URDF, '')).toBe(URDF);
});
