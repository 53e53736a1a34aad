import { expect, test } from 'vitest';
import type { Arm } from '../../src/arm/types.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { ArmNames } from '../../src/ros/names.ts';

const arm = {
  name: 'left',
  model: {
    urdf: `<robot name="r"><link name="base"/><link name="tip"/><joint name="turn" type="revolute">
      <parent link="base"/><child link="tip"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>`,
    joints: [{ name: 'turn' }, { name: 'left_over' }],
  },
} as unknown as Arm;

test('without a prefix joints are those of the URDF, and frames carry the name of the arm', () => {
  const names = new ArmNames(arm, null);
  expect(names.joints).toEqual(['turn', 'left_over']);
  expect(names.frame('base')).toBe('left/base');
  expect(names.urdf()).toBe(arm.model.urdf);
  expect(names.ofModel(['turn', 'left_turn'])).toEqual(['turn', 'left_turn']);
});

test.each([
  ['auto', 'left_'],
  ['a1_', 'a1_'],
])('with the prefix %s joints, links and frames begin with it, in the URDF too', (given, prefix) => {
  const names = new ArmNames(arm, given);
  expect(names.joints).toEqual([`${prefix}turn`, `${prefix}left_over`]);
  expect(names.frame('base')).toBe(`${prefix}base`);
  const { links, joints } = parseUrdf(names.urdf());
  expect([...links.keys()]).toEqual([names.frame('base'), names.frame('tip')]);
  expect(joints.map(({ name }) => name)).toEqual([`${prefix}turn`]);
});

test('messages may name joints with the prefix or without, and nothing else becomes a joint by it', () => {
  const names = new ArmNames(arm, 'a1_');
  expect(names.ofModel(['a1_turn', 'left_over', 'other', 'a1_other'])).toEqual([
    'turn',
    'left_over',
    'other',
    'a1_other',
  ]);
});
