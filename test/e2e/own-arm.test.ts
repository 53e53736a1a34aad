import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BridgeProcess, runToEnd } from './support/bridge.ts';

const box = (x: number, y: number, z: number, height: number): string =>
  `<collision><origin xyz="0 0 ${height}"/><geometry><box size="${x} ${y} ${z}"/></geometry></collision>`;
const inertial = (mass: number, height: number): string =>
  `<inertial><origin xyz="0 0 ${height}"/><mass value="${mass}"/>
   <inertia ixx="0.0002" iyy="0.0002" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial>`;
const joint = (name: string, parent: string, child: string, height: number, axis: string, lower: number): string =>
  `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><origin xyz="0 0 ${height}"/>
   <axis xyz="${axis}"/><limit lower="${lower}" upper="2" effort="2.9" velocity="4.7"/></joint>`;

/** Somebody's arm: a turntable, two links of 15 and 20 cm, a claw. */
const URDF = `<robot name="crane">
  <link name="foot">${box(0.12, 0.12, 0.06, 0.03)}</link>
  <link name="table">${inertial(0.1, 0)}${box(0.04, 0.04, 0.03, 0)}</link>
  <link name="mast">${inertial(0.1, 0.07)}${box(0.03, 0.03, 0.12, 0.075)}</link>
  <link name="jib">${inertial(0.1, 0.07)}${box(0.03, 0.03, 0.12, 0.08)}</link>
  <link name="hook"/>
  <link name="claw_link">${inertial(0.01, 0.02)}</link>
  ${joint('slew', 'foot', 'table', 0.08, '0 0 1', -2)}
  ${joint('luff', 'table', 'mast', 0, '0 1 0', -1)}
  ${joint('fold', 'mast', 'jib', 0.15, '0 1 0', -1)}
  ${joint('claw', 'jib', 'claw_link', 0.15, '0 1 0', -1)}
  <joint name="hook_fixed" type="fixed"><parent link="jib"/><child link="hook"/>
    <origin xyz="0 0 0.2" rpy="0 -1.5707963267948966 0"/></joint>
</robot>`;

const JOINTS = [
  ['slew', 'shoulder_pan'],
  ['luff', 'shoulder_lift'],
  ['fold', 'elbow_flex'],
  ['claw', 'gripper'],
] as const;
const ARM = `model: crane
title: Crane
urdf: crane.urdf
base_link: foot
tool_link: hook
servo_family: feetech
joints:
${JOINTS.map(
  ([name, role], i) => `  - name: ${name}
    role: ${role}
    servos: [{ id: ${11 + i}, model: STS3215, sign: ${i === 1 ? -1 : 1}, zero: 2100 }]
    stiffness: 17.8
    damping: 0.6
    friction: 0.052
    inertia: 0.03
    move: { velocity: 1.5, acceleration: 6 }
    mirror: { velocity: 3, acceleration: 25 }
    torque_limit: 2
`,
).join('')}gripper: { joint: claw, closed: 0, open: 1 }
poses:
  init: { slew: 0, luff: 0, fold: 1.570796, claw: 0 }
  rest: { slew: 0, luff: -0.6, fold: 1.9, claw: 0 }
  park: { slew: 0, luff: -0.5, fold: 1.8, claw: 0 }
  hello: { slew: 0, luff: 0, fold: 1, claw: 1 }
sources: [{ what: all of it, origin: this test, licence: Apache-2.0 }]
variants:
  tall: { gripper: { open: 0.5 }, joints: { claw: { torque_limit: 1 } } }
  broken: { joints: { boom: { stiffness: 3 } } }
`;

const folder = mkdtempSync(join(tmpdir(), 'arm-bridge-models-'));
mkdirSync(join(folder, 'crane'));
writeFileSync(join(folder, 'crane', 'arm.yaml'), ARM);
writeFileSync(join(folder, 'crane', 'crane.urdf'), URDF);
const configuration = join(folder, 'bridge.yaml');
writeFileSync(
  configuration,
  `arms:
  - { name: own, model: ./crane, variant: tall, bus: "sim:crane" }
  - { name: leader, model: so101, variant: leader, bus: "sim:so101" }
`,
);

let bridge: BridgeProcess;
beforeAll(async () => {
  bridge = await BridgeProcess.start('--no-ros', '--config', configuration);
});
afterAll(async () => {
  await bridge?.endStopped();
  rmSync(folder, { recursive: true, force: true });
});

async function truth(id: number): Promise<number[]> {
  const { body } = await bridge.get(`/sim/truth?robot_id=${id}`);
  const { x, y, z } = body.tool.position;
  return [x, y, z];
}

/** Tool at init, m: of the crane by its drawing above, of the SO-101 as robots/README.md says. */
const INIT: [string, number[]][] = [
  ['own', [0.2, 0, 0.23]],
  ['leader', [0.3123, -0.0004, 0.218]],
];

describe("somebody's own arm, given by path, and a leader with other gears", () => {
  test.each(INIT)(
    '%s goes to init and 3 cm to the left, as MuJoCo sees it',
    { timeout: 40_000 },
    async (name, init) => {
      const id = INIT.findIndex(([other]) => other === name);
      expect((await bridge.post(`/move/init?robot_id=${id}`)).body).toMatchObject({ status: 'ok' });
      const start = await truth(id);
      for (const [i, value] of init.entries()) expect(Math.abs(start[i]! - value)).toBeLessThan(0.003);
      const body = { x: 0, y: 3, z: 0, position_tolerance: 0.2 };
      expect((await bridge.post(`/move/absolute?robot_id=${id}`, body)).body).toMatchObject({ status: 'ok' });
      const end = await truth(id);
      for (const [i, way] of [0, 0.03, 0].entries()) expect(Math.abs(end[i]! - start[i]! - way)).toBeLessThan(0.005);
    },
  );
});

describe("somebody's own arm that cannot be used", () => {
  const cases: [string, string, RegExp][] = [
    [
      'a variant that there is not',
      'model: ./crane, variant: small',
      /arm\.yaml: variant is "small"; allowed: follower, tall/,
    ],
    [
      'a variant of an unknown joint',
      'model: ./crane, variant: broken',
      /arm\.yaml, variant broken: joints\[4\]\.role is missing/,
    ],
    ['a folder that is not there', 'model: ./derrick', /there is no arm model "derrick" in .*, only crane/],
  ];
  test.each(cases)('%s', async (_, model, message) => {
    const file = join(folder, 'faulty.yaml');
    writeFileSync(file, `arms:\n  - { name: own, ${model}, bus: "sim:crane" }\n`);
    const { code, errors } = await runToEnd('--config', file);
    expect(code).toBe(2);
    expect(errors).toMatch(message);
  });
});
