import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ArmModelError, armChain, loadArmModel, ROBOTS_DIRECTORY } from '../../src/arm/model.ts';

const root = mkdtempSync(join(tmpdir(), 'arm-model-'));
afterAll(() => rmSync(root, { recursive: true }));

/** An SO-101 folder with a changed file; returns the folder that holds it. */
function changed(edit: (yaml: string) => string, file = 'arm.yaml'): string {
  const directory = mkdtempSync(join(root, 'robots-'));
  cpSync(join(ROBOTS_DIRECTORY, 'so101'), join(directory, 'so101'), { recursive: true });
  const path = join(directory, 'so101', file);
  writeFileSync(path, edit(readFileSync(path, 'utf8')));
  return directory;
}

describe('the SO-101 as data', () => {
  const model = loadArmModel('so101');

  it('has the joints of the arm in order, with servos 1 to 6', () => {
    expect(model.joints.map(({ name }) => name)).toEqual([
      'shoulder_pan',
      'shoulder_lift',
      'elbow_flex',
      'wrist_flex',
      'wrist_roll',
      'gripper',
    ]);
    expect(model.joints.map(({ servos }) => servos)).toEqual(
      [1, 2, 3, 4, 5, 6].map((id) => [
        { id, model: 'STS3215', stepsPerTurn: 4096, sign: 1, zero: 2048, shadow: false },
      ]),
    );
    expect(model.family).toBe('feetech');
    expect(model.gripper).toEqual({ index: 5, closed: -0.17, open: 1.74 });
  });

  it('takes position and velocity limits from the URDF', () => {
    expect(model.joints.map(({ lower, upper }) => [lower, upper])).toEqual([
      [-1.91986, 1.91986],
      [-1.74533, 1.74533],
      [-1.69, 1.69],
      [-1.65806, 1.65806],
      [-2.74385, 2.84121],
      [-0.174533, 1.74533],
    ]);
    for (const joint of model.joints) {
      expect(joint.stiffness).toBe(17.8);
      expect(joint.move).toEqual({ velocity: 1.5, acceleration: 6 });
      expect(joint.mirror).toEqual({ velocity: 3, acceleration: 25 });
      expect(joint.velocity).toBeGreaterThan(joint.mirror.velocity);
    }
  });

  it('limits the jerk of planned motion where its data ask for it', () => {
    const directory = changed((text) => text.replace('acceleration: 6 }', 'acceleration: 6, jerk: 60 }'));
    const { joints } = loadArmModel(join(directory, 'so101'));
    expect(joints.map(({ move }) => move.jerk)).toEqual([60, undefined, undefined, undefined, undefined, undefined]);
  });

  it('has the poses that the bridge needs, each with a value for each joint', () => {
    expect([...model.poses.keys()]).toEqual(expect.arrayContaining(['init', 'rest', 'park', 'hello']));
    for (const pose of model.poses.values()) expect(pose).toHaveLength(6);
  });

  it('has a chain whose order is that of the joints', () => {
    const chain = armChain(model);
    expect(chain.joints).toEqual(model.joints.map(({ name }) => name));
    expect(chain.movesTool).toEqual([true, true, true, true, true, false]);
  });
});

describe('a wrong arm is refused by file, place, value and what is allowed', () => {
  const faults: [string, (yaml: string) => string, string[]][] = [
    [
      'sign',
      (t) => t.replace('id: 3, model: STS3215, sign: 1', 'id: 3, model: STS3215, sign: 3'),
      ['joints[2].servos[0].sign is 3', '1 or -1'],
    ],
    ['unknown key', (t) => t.replace('title: SO-101', 'title: SO-101\ncolour: red'), ['colour']],
    ['role', (t) => t.replace('role: elbow_flex', 'role: elbow'), ['joints[2].role is "elbow"', 'elbow_flex']],
    ['half a role frame', (t) => t.replace('    role_sign: -1\n', ''), ['joints[0].role_sign is missing', 'role_zero']],
    [
      'servo of another family',
      (t) => t.replace('id: 3, model: STS3215', 'id: 3, model: XL330-M288'),
      ['joints[2].servos[0].model is "XL330-M288"', 'a feetech servo: STS3215, STS3250'],
    ],
    [
      'zero beyond the turn of its servo',
      (t) => t.replace('id: 3, model: STS3215, sign: 1, zero: 2048', 'id: 3, model: STS3215, sign: 1, zero: 4096'),
      ['joints[2].servos[0].zero is 4096', '0 .. 4095'],
    ],
    [
      'a first servo that is a shadow',
      (t) =>
        t.replace(
          '{ id: 3, model: STS3215, sign: 1, zero: 2048 }',
          '{ id: 3, model: STS3215, sign: 1, zero: 2048, shadow: true }',
        ),
      ['joints[2].servos[0].shadow is true'],
    ],
    [
      'servo id twice',
      (t) => t.replace('id: 3,', 'id: 2,'),
      ['joints[2].servos[0].id is 2', 'an id no other servo has'],
    ],
    [
      'pose out of limits',
      (t) => t.replace('elbow_flex: 0.7', 'elbow_flex: 1.7'),
      ['poses.init.elbow_flex is 1.7', '-1.69 .. 1.69 rad'],
    ],
    ['joint missing in a pose', (t) => t.replace('elbow_flex: 0.7, ', ''), ['poses.init.elbow_flex is missing']],
    [
      'unknown joint in a pose',
      (t) => t.replace('elbow_flex: 0.7', 'elbow: 0.7'),
      ['poses.init is "elbow"', 'elbow_flex'],
    ],
    ['pose missing', (t) => t.replace('  park:', '  other:'), ['poses.park is missing']],
    ['too fast', (t) => t.replace('velocity: 3,', 'velocity: 9,'), ['joints[0].mirror.velocity is 9', 'at most 4.7']],
    [
      'joint not in the URDF',
      (t) => t.replaceAll('elbow_flex', 'elbow_bend').replaceAll('role: elbow_bend', 'role: elbow_flex'),
      ['elbow_bend', 'so101.urdf'],
    ],
    ['tool not in the URDF', (t) => t.replace('tool_link: tool', 'tool_link: hand'), ['hand', 'so101.urdf']],
    ['other folder name', (t) => t.replace('model: so101', 'model: so100'), ['model is "so100"', 'so101']],
    ['gripper without a joint', (t) => t.replace('joint: gripper', 'joint: claw'), ['gripper.joint is "claw"']],
    [
      'gripper that cannot close',
      (t) => t.replace('closed: -0.17', 'closed: -0.3'),
      ['gripper.closed is -0.3', '-0.174533'],
    ],
    [
      'a long title',
      (t) => t.replace('title: SO-101', `title: ${'z'.repeat(65)}`),
      ['title is "zzz', 'at most 64 characters'],
    ],
    [
      'many poses',
      (t) => {
        const [pose] = /^ {2}init:.*$/m.exec(t)!;
        const more = Array.from({ length: 32 }, (_, i) => pose.replace('init', `pose_${i}`));
        return t.replace(pose, [pose, ...more].join('\n'));
      },
      ['poses', 'at most 32 poses'],
    ],
    ['no YAML', () => 'a: [', ['is not YAML']],
  ];
  for (const [name, edit, messages] of faults) {
    it(name, () => {
      const directory = changed(edit);
      expect(() => loadArmModel(join(directory, 'so101'))).toThrow(ArmModelError);
      for (const message of [join(directory, 'so101', 'arm.yaml'), ...messages]) {
        expect(() => loadArmModel(join(directory, 'so101'))).toThrow(message);
      }
    });
  }

  it('a broken URDF', () => {
    const directory = changed((text) => text.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>'), 'so101.urdf');
    expect(() => loadArmModel(join(directory, 'so101'))).toThrow('shoulder_pan');
  });

  it('an arm that is not there', () => {
    expect(() => loadArmModel('so999')).toThrow(/no arm model "so999".*so101/);
    expect(() => loadArmModel('../so101')).toThrow(ArmModelError);
  });
});
