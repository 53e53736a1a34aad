import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import type { ArmSetup, Command, ControlSetup, FromControl, JointSetup, ToControl } from '../../src/rt/messages.ts';
import { ARM_FIELD_NAMES, JOINT_FIELD_NAMES, StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { SharedState } from '../../src/rt/snapshot/shared-snapshot.ts';
import { compileSources } from '../sim/compiled.ts';

const urdf = (shape: string): string => `<robot name="two_links">
  <link name="base"/>
  <link name="tool"><collision><geometry>${shape}</geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="tool"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>`;

const joint: JointSetup = {
  name: 'turn',
  servos: [],
  settings: {},
  stall: null,
  torqueLimit: 1,
  stiffness: 1,
  damping: 1,
  friction: 0,
  inertia: 1,
  lower: -1,
  upper: 1,
  moveVelocity: 1,
  moveAcceleration: 1,
  moveJerk: null,
  mirrorVelocity: 1,
  mirrorAcceleration: 1,
};

function remoteArm(name: string, shape: string): ArmSetup {
  const links = { urdf: parseUrdf(urdf(shape)), baseLink: 'base', toolLink: 'tool' };
  return {
    name,
    gripper: null,
    ...links,
    joints: [joint],
    calibrated: true,
    leftGains: null,
    detached: null,
    bus: { kind: 'remote' },
  };
}

test('an arm whose shapes cannot be checked for contacts is not added by half: the next one has its place', async () => {
  const sources = compileSources('rt', 'kinematics', 'mirror', 'motion', 'servo');
  onTestFinished(() => sources.remove());
  const shared = new SharedState([], systemClock);
  const setup: ControlSetup = { rate: 200, priority: null, shared: shared.buffers, arms: [] };
  const worker = new Worker(sources.url('rt/entry.ts'), { workerData: setup });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const said: FromControl[] = [];
  worker.on('message', (message: FromControl) => said.push(message));
  const send = (message: ToControl): void => worker.postMessage(message);
  const answer = async (request: number, command: Command): Promise<FromControl> => {
    send({ request, command });
    let found: FromControl | undefined;
    await expect
      .poll(() => {
        found = said.find((message) => 'request' in message && message.request === request);
        return found;
      })
      .toBeDefined();
    return found!;
  };
  const add = (arm: ArmSetup): Command => ({ kind: 'add', arm: 0, setup: arm, shared: shared.add(1) });

  const refused = await answer(1, add(remoteArm('meshed', '<mesh filename="tool.stl"/>')));
  expect(refused).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/tool/) });
  shared.drop();
  expect(await answer(2, add(remoteArm('boxed', '<box size="0.1 0.1 0.1"/>')))).toMatchObject({ kind: 'reply' });

  const { scalars, arrays } = shared.arm(0);
  await expect
    .poll(() => {
      send({ sample: { kind: 'state', arm: 0, positions: Float64Array.of(0.3), velocities: null, efforts: null } });
      return scalars[ARM_FIELD_NAMES.indexOf('state')];
    })
    .toBe(StateCode.ready);
  expect(arrays[JOINT_FIELD_NAMES.indexOf('positions')]![0]).toBe(0.3);
  const drive = {
    kind: 'drive',
    arm: 0,
    source: { kind: 'trajectory', goal: Float64Array.of(0.3), speed: null },
    joints: 'all',
    epoch: 0,
  } as const;
  expect(await answer(3, drive)).toMatchObject({ kind: 'reply' });
});
