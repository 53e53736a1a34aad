import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { VirtualTime } from '../../explore/virtual-clock.ts';
import { parseUrdf } from '../../src/kinematics/urdf.ts';
import { ControlThread } from '../../src/rt/control-thread.ts';
import { RemoteLink } from '../../src/rt/driver/remote-link.ts';
import type {
  ArmSetup,
  Command,
  CommandResult,
  FromControl,
  JointSetup,
  Sample,
  SourceSpec,
} from '../../src/rt/messages.ts';
import { linkJoints, openLink, servoLink } from '../../src/rt/open-link.ts';
import { StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { SharedState, StopWord } from '../../src/rt/snapshot/shared-snapshot.ts';
import { STS3215_MOTOR } from '../../src/sim/sts3215-motor.ts';
import { BenchServos, INERTIA, STEP } from './support/bench-servos.ts';

const { stiffness, damping, frictionLoss, stallTorque } = STS3215_MOTOR;
const RATE = 200;
const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';
const ELSEWHERE = 'its servos belong to the bridge of another machine: ask that one';

const urdf = (shape: string): string => `<robot name="two_links">
  <link name="base"/><link name="upper"/>
  <link name="tool"><collision><geometry>${shape}</geometry></collision></link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="tilt" type="revolute">
    <parent link="upper"/><child link="tool"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>`;

const joint = (name: string, id: number): JointSetup => ({
  ...{ name, settings: {}, stall: null, torqueLimit: stallTorque, stiffness, damping, friction: frictionLoss },
  servos: [{ id, model: 'STS3215', sign: 1, zero: 2048, shadow: false }],
  ...{ inertia: INERTIA, lower: -2, upper: 2, moveVelocity: 1.5, moveAcceleration: 6, moveJerk: null },
  ...{ mirrorVelocity: 3, mirrorAcceleration: 25 },
});

const setupOf = (name: string, kind: 'remote' | 'port', shape = '<sphere radius="0.01"/>'): ArmSetup => ({
  ...{ name, urdf: parseUrdf(urdf(shape)), baseLink: 'base', toolLink: 'tool' },
  ...{ joints: [joint('turn', 1), joint('tilt', 2)], calibrated: true, leftGains: null, detached: null, gripper: 1 },
  bus: kind === 'remote' ? { kind } : { kind, url: 'test:' },
});

const at = (...angles: readonly number[]): Float64Array => Float64Array.from(angles);
const trajectory = (...goal: readonly number[]): SourceSpec => ({ kind: 'trajectory', goal: at(...goal), speed: null });

let time: VirtualTime;
let bench: BenchServos;
let shared: SharedState;
let control: ControlThread;
let posted: FromControl[];
let beating: boolean;

/** A control thread with an arm of its own (0) and one of another machine (1), whose state arrives all the time. */
beforeEach(async () => {
  time = new VirtualTime();
  await time.run(10);
  const lane = time.lane('control');
  const arms = [setupOf('own', 'port'), setupOf('far', 'remote')];
  bench = new BenchServos(linkJoints('own', arms[0]!.joints), [0, 0], [0, 0], time.lane('bus'), {}, 0.001);
  shared = new SharedState([2, 2], lane);
  posted = [];
  const setup = { rate: RATE, priority: null, shared: shared.buffers, arms };
  control = new ControlThread(
    setup,
    lane,
    (arm, clock) =>
      arm.bus.kind === 'remote' ? openLink(arm, clock) : servoLink(bench.port, linkJoints(arm.name, arm.joints)),
    (message) => void posted.push(message),
  );
  beating = true;
  const main = time.lane('main');
  main.every(0.005, () => {
    for (let k = 0; k < 5; k++) bench.turn(0.001);
  });
  main.every(0.05, () => {
    if (beating) shared.beat();
  });
  main.every(0.02, () => sample({ kind: 'state', arm: 1, positions: at(0.5, -0.5), velocities: null, efforts: null }));
  control.start();
  onTestFinished(() => control.loop.stop());
  await until(() => control.arms[0]!.controller.link.up);
  await pass(0.05);
});

const pass = (seconds: number): Promise<void> => time.run(time.now + seconds);

async function until(check: () => boolean, limit = 10): Promise<void> {
  const deadline = time.now + limit;
  while (!check()) {
    if (time.now > deadline) throw new Error(`not within ${limit} s`);
    await pass(0.005);
  }
}

function sample(message: Sample): void {
  control.receive({ sample: message });
}

let requests = 0;

/** What a command is answered: its result, or why it is refused. */
async function ask(command: Command): Promise<CommandResult | string> {
  const request = ++requests;
  control.receive({ request, command });
  const answer = () => posted.find((message) => 'request' in message && message.request === request);
  await until(() => answer() !== undefined);
  const found = answer()!;
  return found.kind === 'refused' ? found.reason : (found as { result: CommandResult }).result;
}

const drive = (source: SourceSpec, arm = 0, lowering = false): Promise<CommandResult | string> =>
  ask({ kind: 'drive', arm, source, joints: 'all', epoch: shared.epoch(arm), lowering });
const torque = (on: boolean, arm = 0): Promise<CommandResult | string> =>
  ask({ kind: 'torque', arm, on, joints: 'all', epoch: shared.epoch(arm) });
const own = () => control.arms[0]!.controller;
const ended = () => posted.flatMap((message) => (message.kind === 'ended' ? [message] : []));
const warnings = () => posted.flatMap((message) => (message.kind === 'warning' ? [message.text] : []));

test('a torque of the gripper is refused where its servos keep to none', async () => {
  await torque(true);
  const grip = (gripperTorque?: number): SourceSpec => ({ ...trajectory(0, 0.2), gripperTorque }) as SourceSpec;
  expect(await drive(grip(0.3))).toMatchObject({ motion: expect.any(Number) });
  const refused = 'the servos of tilt keep to no largest torque: ask for none';
  expect(await drive(grip(0.3), 1)).toBe(refused);
  expect(await drive(grip(Number.POSITIVE_INFINITY), 1)).toMatchObject({ motion: expect.any(Number) });
});

describe('torque', () => {
  test('goes on and off, and is answered once it has', async () => {
    expect(await torque(true)).toMatchObject({ duration: 0 });
    expect([own().holding, own().state]).toEqual([true, StateCode.ready]);
    expect(await torque(false)).toMatchObject({ duration: 0 });
    expect(bench.servos.map((servo) => servo.torqueOn)).toEqual([false, false]);
  });

  test('goes on for nobody whose epoch is over, of a stopped arm, or of one whose servos say no', async () => {
    const { motion } = own();
    expect(await ask({ kind: 'torque', arm: 0, on: true, joints: 'all', epoch: shared.epoch(0) - 1 })).toBe(OVER);
    shared.latchStop(0, StopWord.asked);
    expect(await torque(true)).toBe('it is stopped');
    shared.releaseStop(0, shared.stopMark(0));
    bench.servos[1]!.fault({ volts: 3.9 });
    await pass(0.5);
    expect(await torque(true)).toMatch(/^no torque: servo 2 \(tilt\) measures 3\.9 V/);
    expect(own().motion).toBe(motion);
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
    bench.port.unplug();
    await pass(0.05);
    expect(await torque(true)).toBe('test: has been pulled out');
    expect(await torque(false)).toBe('test: has been pulled out');
  });

  test('goes off while the arm is stopped for whoever asks now, and not for what was under way', async () => {
    await torque(true);
    shared.latchStop(0, StopWord.asked);
    const before = shared.epoch(0);
    shared.endEpoch(0);
    expect(await ask({ kind: 'torque', arm: 0, on: false, joints: 'all', epoch: before })).toBe(OVER);
    expect(bench.servos.every((servo) => servo.torqueOn)).toBe(true);
    expect(await torque(false)).toMatchObject({ duration: 0 });
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
  });
});

describe('an arm is driven', () => {
  test('to where it is asked, which is told with its number and its duration, and when it has ended', async () => {
    await torque(true);
    const result = await drive(trajectory(0.6, -0.3));
    expect(result).toEqual({ motion: own().motion, duration: expect.closeTo(0.74, 1) });
    expect(own().state).toBe(StateCode.moving);
    await pass(1.2);
    expect(ended()).toEqual([{ kind: 'ended', arm: 0, motion: own().motion, reason: 'done', text: '' }]);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.6, 1);
    expect(posted.some((message) => message.kind === 'state' && message.state === StateCode.moving)).toBe(true);
  });

  test('slower where that is asked for, and so long as people have slowed it', async () => {
    await torque(true);
    const slow = (await drive({ kind: 'trajectory', goal: at(0.6, 0), speed: 0.2 })) as CommandResult;
    expect(slow.duration).toBeGreaterThan(3);
    shared.limitSpeed(0, 0.1);
    expect(((await drive({ kind: 'trajectory', goal: at(0.6, 0), speed: 0.2 })) as CommandResult).duration).toBeCloseTo(
      slow.duration,
      0,
    );
    await ask({ kind: 'cancel', arm: 0, what: own().motion });
    await pass(0.5);
    // Of 1.5 rad/s, 0.15 are left.
    const limited = (await drive(trajectory(0.6, 0))) as CommandResult;
    expect(limited.duration).toBeGreaterThan(4);
    shared.limitSpeed(0, 1);
    await ask({ kind: 'cancel', arm: 0, what: own().motion });
    await pass(0.5);
    shared.limitAcceleration(0, 0.05);
    const gentle = (await drive(trajectory(0.6, 0))) as CommandResult;
    expect(gentle.duration).toBeGreaterThan(1.5);
    await pass(0.6);
    // An arm that moves keeps all of its acceleration: it may have to brake first.
    const next = (await drive(trajectory(0.6, 0))) as CommandResult;
    expect(next.duration).toBeLessThan(1);
    // Nobody knows where this one is, so that it crawls.
    own().calibrated = false;
    expect(((await drive(trajectory(-0.6, 0))) as CommandResult).duration).toBeGreaterThan(2);
  });

  test('by a motion that is cancelled by its number', async () => {
    await torque(true);
    await drive(trajectory(1, 0));
    await ask({ kind: 'cancel', arm: 0, what: own().motion - 1 });
    expect(ended()).toEqual([]);
    await ask({ kind: 'cancel', arm: 0, what: own().motion });
    expect(ended()).toMatchObject([{ reason: 'cancelled' }]);
  });

  test('by nobody while it is limp, away, stopped or lost to whoever asks', async () => {
    const none = own().motion;
    expect(await drive(trajectory(0.1, 0))).toBe('its torque is off');
    await torque(true);
    const { motion } = own();
    expect(motion).toBe(none + 1);
    expect(
      await ask({ kind: 'drive', arm: 0, source: trajectory(0.1, 0), joints: 'all', epoch: shared.epoch(0) - 1 }),
    ).toBe(OVER);
    shared.latchStop(0, StopWord.asked);
    expect(await drive(trajectory(0.1, 0))).toBe('it is stopped');
    expect(await drive(trajectory(0.1, 0), 0, true)).toBe('it is stopped');
    shared.releaseStop(0, shared.stopMark(0));
    expect(await drive(trajectory(Number.NaN, 0))).toBe('a goal position is no number');
    expect(await drive({ kind: 'waypoints', times: at(1), positions: at(3, 0), velocities: null })).toMatch(/turn/);
    const first = { times: at(1, 1), positions: at(0, 0, 0.1, 0), velocities: at(0, 0, 0, 0), blend: 0 };
    expect(await drive({ kind: 'chunks', first })).toBe('the times of the chunk do not increase');
    bench.port.unplug();
    await pass(0.05);
    expect(await drive(trajectory(0.1, 0))).toBe('test: has been pulled out');
    // Its number counts on for an arm that may have been moved, and not for what has been refused.
    expect(own().motion).toBe(motion);
  });

  test('down after its servos have stopped it, and nowhere else', async () => {
    await torque(true);
    shared.latchStop(0, StopWord.fault);
    await pass(0.05);
    expect(await drive(trajectory(0.3, 0))).toBe('it is stopped');
    shared.releaseStop(0, shared.stopMark(0));
    await pass(0.05);
    shared.latchStop(0, StopWord.fault);
    expect(await drive(trajectory(0.3, 0), 0, true)).toMatchObject({ motion: own().motion });
  });

  test('along poses at their times, however people have slowed it down', async () => {
    await torque(true);
    shared.limitAcceleration(0, 0.1);
    const spec: SourceSpec = {
      ...{ kind: 'waypoints', times: at(1, 2), positions: at(0.2, 0.1, 0.4, 0.2), velocities: null },
    };
    expect(await drive(spec)).toEqual({ motion: own().motion, duration: 2 });
    await pass(2.6);
    expect(ended()).toMatchObject([{ reason: 'done' }]);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.4, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.2, 1);
  });

  test('by setpoints as they come, until none comes for too long', async () => {
    await torque(true);
    sample({ kind: 'setpoints', arm: 0, group: 'arm', positions: at(1, 1) });
    expect(await drive({ kind: 'stream', timeout: 0.2 })).toEqual({ motion: own().motion, duration: 0 });
    await pass(0.3);
    // What came before it was begun is nobody's wish.
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    for (let k = 0; k < 20; k++) {
      sample({ kind: 'setpoints', arm: 0, group: 'arm', positions: at(0.3, Number.NaN) });
      await pass(0.05);
    }
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.3, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0, 2);
    expect(own().state).toBe(StateCode.moving);
  });

  test('by speeds as they come, within the limits of its joints', async () => {
    await torque(true);
    sample({ kind: 'jog', arm: 0, group: 'arm', velocity: { kind: 'joints', velocities: at(0.5, 0) } });
    await drive({ kind: 'jog', timeout: 0.2 });
    await pass(0.3);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    for (let k = 0; k < 20; k++) {
      sample({ kind: 'jog', arm: 0, group: 'arm', velocity: { kind: 'joints', velocities: at(0.5, 0) } });
      await pass(0.05);
    }
    expect(bench.shafts[0]!.angle).toBeGreaterThan(0.35);
    expect(bench.shafts[0]!.angle).toBeLessThan(0.55);
  });

  test('by a leader, by the map of their joints', async () => {
    await torque(true);
    const maps = [0, 1].map((from) => ({ from, scale: -1, offset: 0.1, lower: -2, upper: 2 }));
    const options = { lowPass: 0, deadBand: 0, velocity: 3, mismatch: 9, reapproach: false };
    expect(await drive({ kind: 'mirror', leader: 1, maps, options, feedback: { arm: 0, gripper: 0 } })).toMatchObject({
      duration: 0,
    });
    await pass(2);
    expect(own().state).toBe(StateCode.mirroring);
    expect(bench.shafts[0]!.angle).toBeCloseTo(-0.4, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.6, 1);
  });

  test('by a hand, which may have its weight given', async () => {
    await torque(true);
    await drive({ kind: 'float', support: at(1, 1), fade: 0.5, gains: at(0.5, 0.5) });
    expect(own().state).toBe(StateCode.floating);
    await pass(1);
    expect(ended()).toMatchObject([{ reason: 'done' }]);
    expect(own().state).toBe(StateCode.connected);
  });

  test('by nobody while what its servos count from is not what it was calibrated with, nor after such a leader', async () => {
    const detach = async (homing: number): Promise<void> => {
      await ask({ kind: 'disconnect', arm: 0, reason: 'for a moment' });
      bench.servos[0]!.fault({ registers: { homing_offset: homing } });
      await ask({ kind: 'connect', arm: 0 });
      await until(() => own().link.up);
      await pass(0.05);
    };
    const joints = [0, 1].map(() => ({
      ...{ offset: 0, operatingMode: 0, expected: true, sign: 1 as const, zero: 2048 },
    }));
    await ask({ kind: 'calibrate', arm: 0, joints, calibrated: true });
    await torque(true);
    await detach(7);
    expect(own().holding).toBe(true);
    expect(await drive(trajectory(0.1, 0))).toMatch(/^servo 1 \(turn\) has homing offset 7/);
    const maps = [0, 1].map((from) => ({ from, scale: 1, offset: 0, lower: -2, upper: 2 }));
    const options = { lowPass: 0, deadBand: 0, velocity: 3, mismatch: 9, reapproach: false };
    const feedback = { arm: 0, gripper: 0 };
    expect(await drive({ kind: 'mirror', leader: 0, maps, options, feedback }, 1)).toMatch(
      /^its leader: servo 1 \(turn\)/,
    );
  });
});

describe('an arm of another machine', () => {
  test('is moved by what its owner is told, within the limits that hold here', async () => {
    expect(await drive(trajectory(0.8, -0.5), 1)).toMatchObject({ duration: expect.closeTo(0.5, 0) });
    const far = control.arms[1]!.controller;
    expect([...far.setpoints].map((angle) => Math.round(10 * angle))).toEqual([5, -5]);
    await pass(1);
    expect(far.goals[0]).toBeCloseTo(0.8, 2);
    expect(ended()).toMatchObject([{ arm: 1, reason: 'done' }]);
    // From where it is by then, whatever it was asked for before.
    await drive(trajectory(0.9, -0.5), 1);
    await pass(0.01);
    expect(far.goals[0]).toBeLessThan(0.55);
  });

  test('is not driven while its owner says no, which ends what drives it', async () => {
    const far = control.arms[1]!.controller;
    await drive(trajectory(0.8, -0.5), 1);
    await pass(0.1);
    sample({ kind: 'owner', arm: 1, torque: true, blocked: 'it is stopped there' });
    await pass(0.02);
    expect(ended()).toMatchObject([{ reason: 'blocked', text: 'it is stopped there' }]);
    expect(far.reason).toBe('it is stopped there');
    expect(await drive(trajectory(0.8, -0.5), 1)).toBe('it is stopped there');
    sample({ kind: 'owner', arm: 1, torque: false, blocked: '' });
    await pass(0.02);
    expect([far.state, await drive(trajectory(0.8, -0.5), 1)]).toEqual([StateCode.connected, 'its torque is off']);
  });

  test('has no servos to be asked here', async () => {
    const parts = at(1, 1);
    expect(await torque(true, 1)).toMatchObject({ duration: 0 });
    expect(await ask({ kind: 'gains', arm: 1, parts })).toBe('its servos belong to another machine');
    expect(await ask({ kind: 'work_gains', arm: 1, parts })).toBe('its servos belong to another machine');
    expect(await ask({ kind: 'servos', arm: 1 })).toBe(ELSEWHERE);
    expect(await ask({ kind: 'limit_temperatures', arm: 1, limits: parts })).toBe(ELSEWHERE);
    expect(control.arms[1]!.controller.link).toBeInstanceOf(RemoteLink);
    // Samples of another kind of arm are nobody's.
    sample({ kind: 'owner', arm: 0, torque: false, blocked: 'no' });
    sample({ kind: 'state', arm: 0, positions: at(1, 1), velocities: null, efforts: null });
    expect(own().link.readings.positions[0]).toBeCloseTo(0, 2);
  });
});

describe('what is asked of servos', () => {
  test('is refused with the reason while the arm is away', async () => {
    await ask({ kind: 'disconnect', arm: 0, reason: 'taken off by a person' });
    const parts = at(1, 1);
    for (const command of [
      { kind: 'gains', arm: 0, parts },
      { kind: 'work_gains', arm: 0, parts },
      { kind: 'servos', arm: 0 },
      { kind: 'limit_temperatures', arm: 0, limits: at(60, 60) },
      { kind: 'calibrate', arm: 0, joints: [], calibrated: true },
    ] satisfies Command[]) {
      expect(await ask(command), command.kind).toBe('taken off by a person');
    }
    await ask({ kind: 'connect', arm: 0 });
    await until(() => own().link.up);
  });

  test('is answered with what they are, what they are given, and when it is written', async () => {
    const answer = (await ask({ kind: 'servos', arm: 0 })) as CommandResult;
    expect(answer.servos!.map((facts) => facts.joint)).toEqual(['turn', 'tilt']);
    const { gains } = (await ask({ kind: 'gains', arm: 0, parts: at(0.5, 1) })) as CommandResult;
    const full = bench.servos[1]!.value('p_coefficient');
    expect(gains).toMatchObject({ own: [full, full], soft: [full / 2, full], restored: true });
    expect(await ask({ kind: 'limit_temperatures', arm: 0, limits: at(60, 61) })).toMatchObject({ duration: 0 });
    expect(bench.servos.map((servo) => servo.value('max_temperature'))).toEqual([60, 61]);
    expect(await ask({ kind: 'limit_temperatures', arm: 0, limits: at(60, 99) })).toMatch(/takes no limit above 70/);
    await ask({ kind: 'work_gains', arm: 0, parts: at(0.5, 0.5) });
    await torque(true);
    await until(() => bench.servos[0]!.value('p_coefficient') === full / 2);
    expect(((await ask({ kind: 'gains', arm: 0, parts: at(1, 1) })) as CommandResult).gains!.restored).toBe(false);
  });

  test('says from then on where the joints are', async () => {
    own().calibrated = false;
    const joints = [0, 1].map(() => ({
      ...{ offset: 50, operatingMode: 0, expected: true, sign: 1 as const, zero: 2048 },
    }));
    await torque(true);
    expect(await ask({ kind: 'calibrate', arm: 0, joints, calibrated: true })).toMatch(/holds torque/);
    expect(own().calibrated).toBe(false);
    await torque(false);
    expect(await ask({ kind: 'calibrate', arm: 0, joints, calibrated: true })).toMatchObject({ duration: 0 });
    expect(own().calibrated).toBe(true);
    await pass(0.05);
    expect(own().link.readings.positions[0]).toBeCloseTo(-50 * STEP, 6);
  });

  test('after an overload is done for a stopped arm alone: its torque gives way for a moment', async () => {
    await torque(true);
    bench.servos[1]!.raiseOverload();
    await until(() => own().link.readings.alarms[1] !== 0);
    expect(posted.find((message) => message.kind === 'ailing')).toEqual({
      ...{ kind: 'ailing', arm: 0, joint: 1, text: 'servo 2 (tilt) is overloaded', ailment: 'failing' },
    });
    expect(await ask({ kind: 'recover', arm: 0, mark: shared.stopMark(0) })).toMatchObject({ duration: 0 });
    expect(own().link.up).toBe(true);
    shared.latchStop(0, StopWord.asked);
    const mark = shared.stopMark(0);
    shared.latchStop(0, StopWord.asked);
    await ask({ kind: 'recover', arm: 0, mark });
    expect(own().link.up).toBe(true);
    await ask({ kind: 'recover', arm: 0, mark: shared.stopMark(0) });
    expect(own().link.up).toBe(false);
    await until(() => own().link.up);
    bench.servos[1]!.raiseOverload();
    await until(() => own().link.readings.alarms[1] !== 0);
    expect(await ask({ kind: 'recover', arm: 0, mark: shared.stopMark(0) })).toMatch(/try again in/);
  });

  test('of one that is lost ends with the way down', async () => {
    await torque(true);
    bench.bus.faults.dead.add(2);
    await until(() => posted.some((message) => message.kind === 'ailing'));
    expect(own().link.up).toBe(true);
    await ask({ kind: 'give_up', arm: 0 });
    await pass(0.02);
    expect(own().link.up).toBe(false);
  });
});

describe('a main thread that does not run', () => {
  test('has every arm brake, which is told when it runs again', async () => {
    await torque(true);
    await drive(trajectory(1.5, 0));
    await pass(0.1);
    beating = false;
    await pass(0.4);
    expect(ended()).toMatchObject([{ arm: 0, reason: 'unattended' }]);
    const abandoned = posted.filter((message) => message.kind === 'abandoned');
    expect(abandoned).toEqual([
      { kind: 'abandoned', arm: 0, epoch: shared.epoch(0), driven: true },
      { kind: 'abandoned', arm: 1, epoch: shared.epoch(1), driven: false },
    ]);
    expect(posted.some((message) => message.kind === 'notice')).toBe(false);
    beating = true;
    await pass(0.1);
    const notices = posted.flatMap((message) => (message.kind === 'notice' ? [message.text] : []));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      /^the main thread did not run for 0\.[45] s .* stop: own had to brake and hold; nothing goes on by itself$/,
    );
    // Of arms that nothing drove there is nothing to say.
    beating = false;
    await pass(0.4);
    beating = true;
    await pass(0.1);
    expect(posted.filter((message) => message.kind === 'notice')).toHaveLength(1);
  });
});

describe('arms', () => {
  test('that are added come after those that there are; one that cannot be used leaves no trace', async () => {
    const memory = shared.add(2);
    const before = control.arms.length;
    const broken = setupOf('broken', 'remote', '<mesh filename="nowhere.stl"/>');
    expect(await ask({ kind: 'add', arm: 2, setup: broken, shared: memory })).toBeTypeOf('string');
    expect(control.arms).toHaveLength(before);
    const setup = { ...setupOf('third', 'remote'), calibrated: false, detached: 'not wanted yet' };
    expect(await ask({ kind: 'add', arm: 2, setup, shared: memory })).toEqual({ motion: 0, duration: 0 });
    const third = control.arms[2]!.controller;
    expect([third.index, third.calibrated, third.link.reason]).toEqual([2, false, 'not wanted yet']);
    await ask({ kind: 'connect', arm: 2 });
    sample({ kind: 'state', arm: 2, positions: at(0, 0), velocities: at(0, 0), efforts: null });
    await pass(0.02);
    expect(third.state).toBe(StateCode.ready);
  });

  test('are all let go of at the end', async () => {
    let closed = 0;
    control.onClosed = () => closed++;
    await ask({ kind: 'close' });
    await pass(0.1);
    expect(closed).toBe(1);
    expect(bench.port.closed).toBeGreaterThan(0);
    expect(control.arms.map(({ controller }) => controller.link.reason)).toEqual([
      'the bridge is ending',
      'the bridge is ending',
    ]);
    const { cycle } = shared;
    await pass(0.1);
    expect(shared.cycle).toBe(cycle);
  });

  test('that give way to what they press on say so', () => {
    own().motions.onContactRelief(1);
    expect(warnings()).toEqual(['tilt has pressed on something without moving: it gives way']);
  });
});
