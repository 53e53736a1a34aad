import { describe, expect, it } from 'vitest';
import { parseUrdf, UrdfError } from '../../src/kinematics/urdf.ts';

const joint = (inner: string, type = 'revolute', name = 'j'): string =>
  `<joint name="${name}" type="${type}"><parent link="a"/><child link="b"/>${inner}</joint>`;
const LIMIT = '<limit lower="-1" upper="1" effort="2" velocity="3"/>';
const robot = (inner: string): string => `<robot name="r"><link name="a"/><link name="b"/>${inner}</robot>`;

describe('reading a URDF', () => {
  it('takes the defaults of the format where attributes are left out', () => {
    const parsed = parseUrdf(robot(joint(LIMIT)));
    expect(parsed.root).toBe('a');
    expect(parsed.joints[0]).toMatchObject({
      origin: { position: { x: 0, y: 0, z: 0 } },
      axis: { x: 1, y: 0, z: 0 },
      limit: { lower: -1, upper: 1, effort: 2, velocity: 3 },
      mimic: null,
    });
    expect(parsed.links.get('a')).toEqual({ name: 'a', inertial: null, collisions: [] });
  });

  it('puts parents before children whatever their order in the file', () => {
    const text = `<robot name="r"><link name="c"/><link name="b"/><link name="a"/>
      <joint name="second" type="fixed"><parent link="b"/><child link="c"/></joint>
      <joint name="first" type="fixed"><parent link="a"/><child link="b"/></joint></robot>`;
    expect(parseUrdf(text).joints.map(({ name }) => name)).toEqual(['first', 'second']);
  });

  const faults: [string, string, string][] = [
    ['no XML', '<robot', 'not XML'],
    ['no robot', '<other/>', '<robot>'],
    ['no limit', robot(joint('')), 'joint j: a revolute joint needs <limit'],
    ['limits the wrong way', robot(joint('<limit lower="1" upper="0" effort="1" velocity="1"/>')), 'joint j: lower'],
    ['a word for a number', robot(joint('<limit lower="x" upper="0" effort="1" velocity="1"/>')), '"x", not a number'],
    ['two numbers for three', robot(joint(`<origin xyz="1 2"/>${LIMIT}`)), 'joint j: xyz needs three numbers'],
    ['an axis of length 0', robot(joint(`<axis xyz="0 0 0"/>${LIMIT}`)), 'joint j: the axis'],
    ['an unknown type', robot(joint(LIMIT, 'floating')), 'joint j: type "floating"'],
    ['an unknown link', robot('<joint name="j" type="fixed"><parent link="a"/><child link="x"/></joint>'), 'link x'],
    ['two roots', robot(''), 'one root link, it has 2: a, b'],
    ['two parents', robot(joint(LIMIT) + joint(LIMIT, 'revolute', 'k')), 'link b hangs on two joints: j and k'],
    ['an unknown leader', robot(joint(`${LIMIT}<mimic joint="m"/>`)), 'joint j: mimicked joint m'],
    [
      'an incomplete inertia',
      `<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1"/></inertial></link></robot>`,
      'link a: attribute iyy is missing',
    ],
  ];
  for (const [name, text, message] of faults) {
    it(`names link or joint and fault: ${name}`, () => {
      expect(() => parseUrdf(text)).toThrow(UrdfError);
      expect(() => parseUrdf(text)).toThrow(message);
    });
  }
});
