import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import loadMujoco from '@mujoco/mujoco';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualHost } from '../../explore/virtual-host.ts';
import { loadArmModel } from '../../src/arm/model.ts';
import { simulatedCounterpart } from '../../src/arm/simulated-counterpart.ts';
import { Cancelled } from '../../src/arm/types.ts';
import type { FrictionOutcome } from '../../src/calibration/friction-service.ts';
import type { GearOptions } from '../../src/sim/gear.ts';
import { LocalSimulation } from '../../src/sim/local-simulation.ts';
import { FEETECH_GEAR } from '../mirror/support/felt.ts';
import { calibrate } from '../support/calibration.ts';
import { VirtualBridge } from '../support/virtual-bridge.ts';

const mj = await loadMujoco();
const CALLER = { owner: { key: 'test', name: 'the test' }, takeOver: false };
/** Longest time that measuring all joints takes, s. */
const LIMIT = 400;
const PORT = 'serial:/dev/virtual/arm';

/** What a real arm's friction is by its model's. */
interface Truth {
  readonly friction: number;
  readonly damping: number;
  readonly gear?: GearOptions;
}

/** A calibrated arm at the far end of a serial port, whose friction is another than that of its data. */
async function armWith(truth: Truth, name = 'so101', folder?: string): Promise<VirtualBridge> {
  const model = loadArmModel(name);
  const host = new VirtualHost(mj);
  const simulation = new LocalSimulation({
    clock: host.simulationLane,
    mujoco: mj,
    line: { baudRate: 1_000_000 },
    tick: 0.005,
    catchUp: Number.POSITIVE_INFINITY,
    onFailure: (message) => {
      throw new Error(message);
    },
  });
  host.arms = simulation;
  onTestFinished(() => simulation.dispose());
  const twin = simulatedCounterpart(model, 'arm');
  simulation.build({
    ...twin,
    joints: twin.joints.map((joint) => ({
      ...joint,
      frictionLoss: joint.frictionLoss * truth.friction,
      damping: joint.damping * truth.damping,
      ...(truth.gear && { gear: truth.gear }),
    })),
  });
  host.portAt = () => simulation.portFor('arm');
  const kept = folder ?? mkdtempSync(join(tmpdir(), 'arm-bridge-friction-'));
  if (folder === undefined) onTestFinished(() => rmSync(kept, { recursive: true, force: true }));
  calibrate(kept, ['arm'], model);
  const bridge = await VirtualBridge.start({ arms: [{ name: 'arm', model: name, bus: PORT }] }, kept, host);
  await bridge.pass(1);
  return bridge;
}

const fileOf = (bridge: VirtualBridge): string => join(bridge.folder, 'calibration', 'arm.friction.json');

function measure(bridge: VirtualBridge, signal?: AbortSignal): Promise<FrictionOutcome> {
  const caller = { ...CALLER, ...(signal && { signal }) };
  return bridge.until(bridge.bridge.friction.measure(bridge.arm(), caller), LIMIT);
}

/** External torques of an arm that nobody touches and that goes from pose to pose: of 100 cycles and joints 95 tell less, Nm. */
async function errorInFreeMotion(bridge: VirtualBridge): Promise<number> {
  const arm = bridge.arm();
  const { motion } = bridge.bridge;
  const seen: number[] = [];
  for (const pose of ['init', 'hello', 'park', 'init']) {
    let over = false;
    const moved = motion.toPose(arm, pose, CALLER).finally(() => {
      over = true;
    });
    while (!over) {
      await bridge.pass(0.005);
      seen.push(...Array.from(arm.read().external, Math.abs));
    }
    expect(await moved).toMatchObject({ message: null });
  }
  return seen.toSorted((a, b) => a - b)[Math.floor(0.95 * seen.length)]!;
}

test.each([
  ['so101', 'without play', {}, 0.05],
  ['so101', 'of an STS3215', FEETECH_GEAR, 0.15],
  ['koch', 'without play', {}, 0.05],
])(
  'the friction of a %s with gears %s is found, and its external torques err less with it',
  async (name, _, gear, part) => {
    const truth = { friction: 2, damping: 1.4, gear };
    const bridge = await armWith(truth, name);
    const before = await errorInFreeMotion(bridge);
    const { joints, kept } = await measure(bridge);
    expect(kept).toBe(fileOf(bridge));
    const model = loadArmModel(name);
    expect(joints.map((joint) => joint.name)).toEqual(model.joints.map((joint) => joint.name));
    for (const [i, joint] of model.joints.entries()) {
      for (const speed of [0.2, 0.6]) {
        const wanted = truth.friction * joint.friction + truth.damping * joint.damping * speed;
        const found = joints[i]!.friction + joints[i]!.damping * speed;
        expect(Math.abs(found - wanted), `${joint.name} at ${speed} rad/s`).toBeLessThan(
          Math.max(0.015, part * wanted),
        );
      }
    }
    expect(bridge.arm().read()).toMatchObject({ state: 'ready', holding: true });
    await bridge.end();
    const again = await armWith(truth, name, bridge.folder);
    const after = await errorInFreeMotion(again);
    expect(after).toBeLessThan(before / 2);
  },
);

test.each([
  ['a stop', async (bridge: VirtualBridge) => void (await bridge.post('/stop')), 'stopped', 'Nothing has been kept'],
  [
    'the end of the program',
    async (_: VirtualBridge, cut: AbortController) => cut.abort(new Cancelled('the program was told to end')),
    'ready',
    'the program was told to end',
  ],
  ['a joint that is held', (bridge: VirtualBridge) => bridge.lead('arm', { shoulder_pan: 0 }), 'ready', 'shoulder_pan'],
] as const)('%s ends it: the arm holds, and nothing is kept', async (_, end, state, text) => {
  const bridge = await armWith({ friction: 1, damping: 1 });
  const arm = bridge.arm();
  const cut = new AbortController();
  const measured = measure(bridge, cut.signal).then(
    () => 'it was measured',
    (error: Error) => error.message,
  );
  // In the midst of the first joint's sweeps.
  await bridge.becomes(() => expect(Math.abs(arm.read().setpoints[0]!)).toBeGreaterThan(0.25));
  await bridge.pass(1);
  await end(bridge, cut);
  expect(await measured).toContain(text);
  await bridge.becomes(() => expect(arm.read()).toMatchObject({ state, holding: true }));
  expect(existsSync(fileOf(bridge))).toBe(false);
});

test('a joint that something pushes now and then is refused by its name', async () => {
  const bridge = await armWith({ friction: 1, damping: 1 });
  const { physics } = bridge.host.arms!.get('arm').sim;
  const step = physics.step.bind(physics);
  physics.step = () => {
    if (physics.positions[1]! > bridge.arm().model.poses.get('init')![1]! && physics.velocities[1]! > 0.05)
      physics.torques[1] = physics.torques[1]! - 0.8;
    return step();
  };
  await expect(measure(bridge)).rejects.toThrow(/shoulder_lift: .*Nothing has been kept/);
  expect(existsSync(fileOf(bridge))).toBe(false);
  expect(bridge.arm().read()).toMatchObject({ state: 'ready', holding: true });
});

test('an arm without a calibration, or one that may only crawl, is not measured', async () => {
  const bridge = await armWith({ friction: 1, damping: 1 });
  bridge.arm().limitSpeed(0.1);
  await expect(measure(bridge)).rejects.toThrow(/shoulder_pan of arm arm may move at 0.15 rad\/s.*speed_scale/);
  await bridge.end();
  rmSync(join(bridge.folder, 'calibration'), { recursive: true });
  const bare = await VirtualBridge.start(
    { arms: [{ name: 'arm', model: 'so101', bus: PORT }] },
    bridge.folder,
    bridge.host.killed(),
  );
  await bare.pass(1);
  await expect(measure(bare)).rejects.toThrow('The friction of arm arm is not measured: it has no calibration');
});

test('numbers of another model are refused at the start, and an arm without them has those of its model', async () => {
  const bridge = await armWith({ friction: 1, damping: 1 });
  const { joints } = loadArmModel('so101');
  expect(bridge.arm().model.joints.map(({ friction }) => friction)).toEqual(joints.map(({ friction }) => friction));
  await bridge.end();
  const about = { version: 1, arm: 'arm', variant: 'follower', written: '2026-01-01T00:00:00Z' };
  const write = (file: object): void => writeFileSync(fileOf(bridge), JSON.stringify({ ...about, ...file }));
  write({ model: 'koch', joints: {} });
  await expect(armWith({ friction: 1, damping: 1 }, 'so101', bridge.folder)).rejects.toThrow(
    /arm\.friction\.json: it was made for a koch.*Measure it again/,
  );
  write({ model: 'so101', joints: { elbow_flex: { friction: -1, damping: 0.5 } } });
  await expect(armWith({ friction: 1, damping: 1 }, 'so101', bridge.folder)).rejects.toThrow(
    'joints.elbow_flex.friction',
  );
  write({ model: 'so101', joints: { elbow_flex: { friction: 0.2, damping: 0.5 } } });
  const own = await armWith({ friction: 1, damping: 1 }, 'so101', bridge.folder);
  expect(own.arm().model.joints[2]).toMatchObject({ name: 'elbow_flex', friction: 0.2, damping: 0.5 });
  expect(own.arm().model.joints[1]!.friction).toBe(joints[1]!.friction);
});

test.each([
  ['wx250s', 'follower'],
  ['so101', 'leader'],
])('a simulated %s (%s) is found to have the friction of its data, which is kept nowhere', async (model, variant) => {
  const bridge = await VirtualBridge.startLight({ arms: [{ name: 'arm', model, variant, bus: `sim:${model}` }] });
  await bridge.pass(1);
  const { joints, kept } = await measure(bridge);
  expect(kept).toBeNull();
  expect(existsSync(fileOf(bridge))).toBe(false);
  for (const { name, friction, damping, before } of joints) {
    const [found, wanted] = [friction + 0.4 * damping, before.friction + 0.4 * before.damping];
    expect(Math.abs(found - wanted), name).toBeLessThan(Math.max(0.015, 0.05 * wanted));
  }
});

test('an arm that is too weak for the pose init is not measured, and says which joint is', async () => {
  const arm = { name: 'arm', model: 'koch', variant: 'leader', bus: 'sim:koch' };
  const bridge = await VirtualBridge.startLight({ arms: [arm] });
  await bridge.pass(1);
  await expect(measure(bridge)).rejects.toThrow(
    /pose init \(.*shoulder_lift is too weak.*\)\. Nothing has been kept\.$/,
  );
});

test('nothing is measured that was asked for before a stop', async () => {
  const bridge = await armWith({ friction: 1, damping: 1 });
  const arm = bridge.arm();
  const before = arm.read().positions.slice();
  const { friction } = bridge.bridge;
  const plan = friction.plan.bind(friction);
  friction.plan = async (planned) => {
    const ways = await plan(planned);
    await arm.stopAtRest('the test stops it');
    await arm.reset();
    return ways;
  };
  const measured = friction.measure(arm, CALLER).then(
    () => 'it was measured',
    () => 'it was not',
  );
  expect(await bridge.until(measured, LIMIT)).toBe('it was not');
  await bridge.pass(1);
  for (const [i, angle] of arm.read().positions.entries()) expect(Math.abs(angle - before[i]!)).toBeLessThan(0.02);
});
