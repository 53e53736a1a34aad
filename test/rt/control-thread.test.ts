import { beforeEach, describe, expect, test } from 'vitest';
import { ControlThread } from '../../src/rt/control-thread.ts';
import { RemoteLink } from '../../src/rt/driver/remote-link.ts';
import type { Command, CommandResult, SourceSpec } from '../../src/rt/messages.ts';
import { openLink } from '../../src/rt/open-link.ts';
import { StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { SharedState, StopWord } from '../../src/rt/snapshot/shared-snapshot.ts';
import { STEP } from './support/bench-servos.ts';
import { at, ControlBench, setupOf, trajectory } from './support/control-bench.ts';

const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';
const ELSEWHERE = 'its servos belong to the bridge of another machine: ask that one';

let bench: ControlBench;
beforeEach(async () => {
  bench = await ControlBench.connected();
});

test('a torque of the gripper is refused where its servos keep to none', async () => {
  await bench.torque(true);
  const grip = (gripperTorque?: number): SourceSpec => ({ ...trajectory(0, 0.2), gripperTorque }) as SourceSpec;
  expect(await bench.drive(grip(0.3))).toMatchObject({ motion: expect.any(Number) });
  const refused = 'the servos of tilt keep to no largest torque: ask for none';
  expect(await bench.drive(grip(0.3), 1)).toBe(refused);
  expect(await bench.drive(grip(Number.POSITIVE_INFINITY), 1)).toMatchObject({ motion: expect.any(Number) });
});

describe('torque', () => {
  test('goes on and off, and is answered once it has', async () => {
    expect(await bench.torque(true)).toMatchObject({ duration: 0 });
    expect([bench.own.holding, bench.own.state]).toEqual([true, StateCode.ready]);
    expect(await bench.torque(false)).toMatchObject({ duration: 0 });
    expect(bench.servos.map((servo) => servo.torqueOn)).toEqual([false, false]);
  });

  test('goes on for nobody whose epoch is over, of a stopped arm, or of one whose servos say no', async () => {
    const { motion } = bench.own;
    expect(await bench.ask({ kind: 'torque', arm: 0, on: true, joints: 'all', epoch: bench.shared.epoch(0) - 1 })).toBe(
      OVER,
    );
    bench.shared.latchStop(0, StopWord.asked);
    expect(await bench.torque(true)).toBe('it is stopped');
    bench.shared.releaseStop(0, bench.shared.stopMark(0));
    bench.servos[1]!.fault({ volts: 3.9 });
    await bench.pass(0.5);
    expect(await bench.torque(true)).toMatch(/^no torque: servo 2 \(tilt\) measures 3\.9 V/);
    expect(bench.own.motion).toBe(motion);
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
    bench.port.unplug();
    await bench.pass(0.05);
    expect(await bench.torque(true)).toBe('test: has been pulled out');
    expect(await bench.torque(false)).toBe('test: has been pulled out');
  });

  test('goes off where it would not go on', async () => {
    await bench.torque(true);
    bench.servos[1]!.fault({ volts: 3.9 });
    await bench.pass(0.5);
    expect(bench.own.link.torqueRefusal).toMatch(/measures 3\.9 V/);
    expect(await bench.torque(false)).toMatchObject({ duration: 0 });
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
  });

  test('that is stopped on its way is answered with the reason', async () => {
    const answer = bench.torque(true);
    bench.shared.latchStop(0, StopWord.asked);
    expect(await answer).toBe('it is stopped');
  });

  test('goes off while the arm is stopped for whoever asks now, and not for what was under way', async () => {
    await bench.torque(true);
    bench.shared.latchStop(0, StopWord.asked);
    const before = bench.shared.epoch(0);
    bench.shared.endEpoch(0);
    expect(await bench.ask({ kind: 'torque', arm: 0, on: false, joints: 'all', epoch: before })).toBe(OVER);
    expect(bench.servos.every((servo) => servo.torqueOn)).toBe(true);
    expect(await bench.torque(false)).toMatchObject({ duration: 0 });
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
  });
});

describe('an arm is driven', () => {
  test('to where it is asked, which is told with its number and its duration, and when it has ended', async () => {
    await bench.torque(true);
    const result = await bench.drive(trajectory(0.6, -0.3));
    expect(result).toEqual({ motion: bench.own.motion, duration: expect.closeTo(0.74, 1) });
    expect(bench.own.state).toBe(StateCode.moving);
    await bench.pass(1.2);
    expect(bench.ended).toEqual([{ kind: 'ended', arm: 0, motion: bench.own.motion, reason: 'done', text: '' }]);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.6, 1);
    expect(bench.posted.some((message) => message.kind === 'state' && message.state === StateCode.moving)).toBe(true);
  });

  test('slower where that is asked for, and so long as people have slowed it', async () => {
    await bench.torque(true);
    const slow = (await bench.drive({ kind: 'trajectory', goal: at(0.6, 0), speed: 0.2 })) as CommandResult;
    expect(slow.duration).toBeGreaterThan(3);
    bench.shared.limitSpeed(0, 0.1);
    expect(
      ((await bench.drive({ kind: 'trajectory', goal: at(0.6, 0), speed: 0.2 })) as CommandResult).duration,
    ).toBeCloseTo(slow.duration, 0);
    await bench.ask({ kind: 'cancel', arm: 0, what: bench.own.motion });
    await bench.pass(0.5);
    // Of 1.5 rad/s, 0.15 are left.
    const limited = (await bench.drive(trajectory(0.6, 0))) as CommandResult;
    expect(limited.duration).toBeGreaterThan(4);
    bench.shared.limitSpeed(0, 1);
    await bench.ask({ kind: 'cancel', arm: 0, what: bench.own.motion });
    await bench.pass(0.5);
    bench.shared.limitAcceleration(0, 0.05);
    const gentle = (await bench.drive(trajectory(0.6, 0))) as CommandResult;
    expect(gentle.duration).toBeGreaterThan(1.5);
    await bench.pass(0.6);
    // An arm that moves keeps all of its acceleration: it may have to brake first.
    const next = (await bench.drive(trajectory(0.6, 0))) as CommandResult;
    expect(next.duration).toBeLessThan(1);
    // Nobody knows where this one is, so that it crawls.
    bench.own.calibrated = false;
    expect(((await bench.drive(trajectory(-0.6, 0))) as CommandResult).duration).toBeGreaterThan(2);
  });

  test('by a motion that is cancelled by its number', async () => {
    await bench.torque(true);
    await bench.drive(trajectory(1, 0));
    await bench.ask({ kind: 'cancel', arm: 0, what: bench.own.motion - 1 });
    expect(bench.ended).toEqual([]);
    await bench.ask({ kind: 'cancel', arm: 0, what: bench.own.motion });
    expect(bench.ended).toMatchObject([{ reason: 'cancelled' }]);
  });

  test('by nobody while it is limp, away, stopped or lost to whoever asks', async () => {
    const none = bench.own.motion;
    expect(await bench.drive(trajectory(0.1, 0))).toBe('its torque is off');
    await bench.torque(true);
    const { motion } = bench.own;
    expect(motion).toBe(none + 1);
    expect(
      await bench.ask({
        kind: 'drive',
        arm: 0,
        source: trajectory(0.1, 0),
        joints: 'all',
        epoch: bench.shared.epoch(0) - 1,
      }),
    ).toBe(OVER);
    bench.shared.latchStop(0, StopWord.asked);
    expect(await bench.drive(trajectory(0.1, 0))).toBe('it is stopped');
    expect(await bench.drive(trajectory(0.1, 0), 0, true)).toBe('it is stopped');
    bench.shared.releaseStop(0, bench.shared.stopMark(0));
    expect(await bench.drive(trajectory(Number.NaN, 0))).toBe('a goal position is no number');
    expect(await bench.drive({ kind: 'waypoints', times: at(1), positions: at(3, 0), velocities: null })).toMatch(
      /turn/,
    );
    const first = { times: at(1, 1), positions: at(0, 0, 0.1, 0), velocities: at(0, 0, 0, 0), blend: 0 };
    expect(await bench.drive({ kind: 'chunks', first })).toBe('the times of the chunk do not increase');
    bench.port.unplug();
    await bench.pass(0.05);
    expect(await bench.drive(trajectory(0.1, 0))).toBe('test: has been pulled out');
    // Its number counts on for an arm that may have been moved, and not for what has been refused.
    expect(bench.own.motion).toBe(motion);
  });

  test('down after its servos have stopped it, and nowhere else', async () => {
    await bench.torque(true);
    bench.shared.latchStop(0, StopWord.fault);
    await bench.pass(0.05);
    expect(await bench.drive(trajectory(0.3, 0))).toBe('it is stopped');
    bench.shared.releaseStop(0, bench.shared.stopMark(0));
    await bench.pass(0.05);
    bench.shared.latchStop(0, StopWord.fault);
    expect(await bench.drive(trajectory(0.3, 0), 0, true)).toMatchObject({ motion: bench.own.motion });
  });

  test('along poses at their times, however people have slowed it down', async () => {
    await bench.torque(true);
    bench.shared.limitAcceleration(0, 0.1);
    const spec: SourceSpec = {
      ...{ kind: 'waypoints', times: at(1, 2), positions: at(0.2, 0.1, 0.4, 0.2), velocities: null },
    };
    expect(await bench.drive(spec)).toEqual({ motion: bench.own.motion, duration: 2 });
    await bench.pass(2.6);
    expect(bench.ended).toMatchObject([{ reason: 'done' }]);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.4, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.2, 1);
  });

  test('by setpoints as they come, until none comes for too long', async () => {
    await bench.torque(true);
    bench.sample({ kind: 'setpoints', arm: 0, group: 'arm', positions: at(1, 1) });
    expect(await bench.drive({ kind: 'stream', timeout: 0.2 })).toEqual({ motion: bench.own.motion, duration: 0 });
    await bench.pass(0.3);
    // What came before it was begun is nobody's wish.
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    for (let k = 0; k < 20; k++) {
      bench.sample({ kind: 'setpoints', arm: 0, group: 'arm', positions: at(0.3, Number.NaN) });
      await bench.pass(0.05);
    }
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.3, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0, 2);
    expect(bench.own.state).toBe(StateCode.moving);
  });

  test('by speeds as they come, within the limits of its joints', async () => {
    await bench.torque(true);
    bench.sample({ kind: 'jog', arm: 0, group: 'arm', velocity: { kind: 'joints', velocities: at(0.5, 0) } });
    await bench.drive({ kind: 'jog', timeout: 0.2 });
    await bench.pass(0.3);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    for (let k = 0; k < 20; k++) {
      bench.sample({ kind: 'jog', arm: 0, group: 'arm', velocity: { kind: 'joints', velocities: at(0.5, 0) } });
      await bench.pass(0.05);
    }
    expect(bench.shafts[0]!.angle).toBeGreaterThan(0.35);
    expect(bench.shafts[0]!.angle).toBeLessThan(0.55);
  });

  test('by a leader, by the map of their joints', async () => {
    await bench.torque(true);
    const maps = [0, 1].map((from) => ({ from, scale: -1, offset: 0.1, lower: -2, upper: 2 }));
    const options = { lowPass: 0, deadBand: 0, velocity: 3, mismatch: 9, reapproach: false };
    expect(
      await bench.drive({ kind: 'mirror', leader: 1, maps, options, feedback: { arm: 0, gripper: 0 } }),
    ).toMatchObject({
      duration: 0,
    });
    await bench.pass(2);
    expect(bench.own.state).toBe(StateCode.mirroring);
    expect(bench.shafts[0]!.angle).toBeCloseTo(-0.4, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.6, 1);
  });

  test('by a hand, which may have its weight given', async () => {
    await bench.torque(true);
    await bench.drive({ kind: 'float', support: at(1, 1), fade: 0.5, gains: at(0.5, 0.5) });
    expect(bench.own.state).toBe(StateCode.floating);
    await bench.pass(1);
    expect(bench.ended).toMatchObject([{ reason: 'done' }]);
    expect(bench.own.state).toBe(StateCode.connected);
  });

  test('by nobody while what its servos count from is not what it was calibrated with, nor after such a leader', async () => {
    const detach = async (homing: number): Promise<void> => {
      await bench.ask({ kind: 'disconnect', arm: 0, reason: 'for a moment' });
      bench.servos[0]!.fault({ registers: { homing_offset: homing } });
      await bench.ask({ kind: 'connect', arm: 0 });
      await bench.until(() => bench.own.link.up);
      await bench.pass(0.05);
    };
    const joints = [0, 1].map(() => ({
      ...{ offset: 0, operatingMode: 0, expected: true, sign: 1 as const, zero: 2048 },
    }));
    await bench.ask({ kind: 'calibrate', arm: 0, joints, calibrated: true });
    await bench.torque(true);
    await detach(7);
    expect(bench.own.holding).toBe(true);
    expect(await bench.drive(trajectory(0.1, 0))).toMatch(/^servo 1 \(turn\) has homing offset 7/);
    const maps = [0, 1].map((from) => ({ from, scale: 1, offset: 0, lower: -2, upper: 2 }));
    const options = { lowPass: 0, deadBand: 0, velocity: 3, mismatch: 9, reapproach: false };
    const feedback = { arm: 0, gripper: 0 };
    expect(await bench.drive({ kind: 'mirror', leader: 0, maps, options, feedback }, 1)).toMatch(
      /^its leader: servo 1 \(turn\)/,
    );
  });
});

describe('an arm of another machine', () => {
  test('is moved by what its owner is told, within the limits that hold here', async () => {
    expect(await bench.drive(trajectory(0.8, -0.5), 1)).toMatchObject({ duration: expect.closeTo(0.5, 0) });
    const { far } = bench;
    expect([...far.setpoints].map((angle) => Math.round(10 * angle))).toEqual([5, -5]);
    await bench.pass(1);
    expect(far.goals[0]).toBeCloseTo(0.8, 2);
    expect(bench.ended).toMatchObject([{ arm: 1, reason: 'done' }]);
    // From where it is by then, whatever it was asked for before.
    await bench.drive(trajectory(0.9, -0.5), 1);
    await bench.pass(0.01);
    expect(far.goals[0]).toBeLessThan(0.55);
  });

  test('is not driven while its owner says no, which ends what drives it', async () => {
    const { far } = bench;
    await bench.drive(trajectory(0.8, -0.5), 1);
    await bench.pass(0.1);
    bench.sample({ kind: 'owner', arm: 1, torque: true, blocked: 'it is stopped there' });
    await bench.pass(0.02);
    expect(bench.ended).toMatchObject([{ reason: 'blocked', text: 'it is stopped there' }]);
    expect(far.reason).toBe('it is stopped there');
    expect(await bench.drive(trajectory(0.8, -0.5), 1)).toBe('it is stopped there');
    bench.sample({ kind: 'owner', arm: 1, torque: false, blocked: '' });
    await bench.pass(0.02);
    expect([far.state, await bench.drive(trajectory(0.8, -0.5), 1)]).toEqual([
      StateCode.connected,
      'its torque is off',
    ]);
  });

  test('has no servos to be asked here', async () => {
    const parts = at(1, 1);
    expect(await bench.torque(true, 1)).toMatchObject({ duration: 0 });
    expect(await bench.ask({ kind: 'gains', arm: 1, parts })).toBe('its servos belong to another machine');
    expect(await bench.ask({ kind: 'work_gains', arm: 1, parts })).toBe('its servos belong to another machine');
    expect(await bench.ask({ kind: 'servos', arm: 1 })).toBe(ELSEWHERE);
    expect(await bench.ask({ kind: 'limit_temperatures', arm: 1, limits: parts })).toBe(ELSEWHERE);
    expect(bench.far.link).toBeInstanceOf(RemoteLink);
    // Samples of another kind of arm are nobody's.
    bench.sample({ kind: 'owner', arm: 0, torque: false, blocked: 'no' });
    bench.sample({ kind: 'state', arm: 0, positions: at(1, 1), velocities: null, efforts: null });
    expect(bench.own.link.readings.positions[0]).toBeCloseTo(0, 2);
  });
});

describe('what is asked of servos', () => {
  test('is refused with the reason while the arm is away', async () => {
    await bench.ask({ kind: 'disconnect', arm: 0, reason: 'taken off by a person' });
    const parts = at(1, 1);
    for (const command of [
      { kind: 'gains', arm: 0, parts },
      { kind: 'work_gains', arm: 0, parts },
      { kind: 'servos', arm: 0 },
      { kind: 'limit_temperatures', arm: 0, limits: at(60, 60) },
      { kind: 'calibrate', arm: 0, joints: [], calibrated: true },
    ] satisfies Command[]) {
      expect(await bench.ask(command), command.kind).toBe('taken off by a person');
    }
    await bench.ask({ kind: 'connect', arm: 0 });
    await bench.until(() => bench.own.link.up);
  });

  test('is answered with what they are, what they are given, and when it is written', async () => {
    const answer = (await bench.ask({ kind: 'servos', arm: 0 })) as CommandResult;
    expect(answer.servos!.map((facts) => facts.joint)).toEqual(['turn', 'tilt']);
    const { gains } = (await bench.ask({ kind: 'gains', arm: 0, parts: at(0.5, 1) })) as CommandResult;
    const full = bench.servos[1]!.value('p_coefficient');
    expect(gains).toMatchObject({ own: [full, full], soft: [full / 2, full], restored: true });
    expect(await bench.ask({ kind: 'limit_temperatures', arm: 0, limits: at(60, 61) })).toMatchObject({ duration: 0 });
    expect(bench.servos.map((servo) => servo.value('max_temperature'))).toEqual([60, 61]);
    expect(await bench.ask({ kind: 'limit_temperatures', arm: 0, limits: at(60, 99) })).toMatch(
      /takes no limit above 70/,
    );
    await bench.ask({ kind: 'work_gains', arm: 0, parts: at(0.5, 0.5) });
    await bench.torque(true);
    await bench.until(() => bench.servos[0]!.value('p_coefficient') === full / 2);
    expect(((await bench.ask({ kind: 'gains', arm: 0, parts: at(1, 1) })) as CommandResult).gains!.restored).toBe(
      false,
    );
  });

  test('says from then on where the joints are', async () => {
    bench.own.calibrated = false;
    const joints = [0, 1].map(() => ({
      ...{ offset: 50, operatingMode: 0, expected: true, sign: 1 as const, zero: 2048 },
    }));
    await bench.torque(true);
    expect(await bench.ask({ kind: 'calibrate', arm: 0, joints, calibrated: true })).toMatch(/holds torque/);
    expect(bench.own.calibrated).toBe(false);
    await bench.torque(false);
    expect(await bench.ask({ kind: 'calibrate', arm: 0, joints, calibrated: true })).toMatchObject({ duration: 0 });
    expect(bench.own.calibrated).toBe(true);
    await bench.pass(0.05);
    expect(bench.own.link.readings.positions[0]).toBeCloseTo(-50 * STEP, 6);
  });

  test('after an overload is done for a stopped arm alone: its torque gives way for a moment', async () => {
    await bench.torque(true);
    bench.servos[1]!.raiseOverload();
    await bench.until(() => bench.own.link.readings.alarms[1] !== 0);
    expect(bench.posted.find((message) => message.kind === 'ailing')).toEqual({
      ...{ kind: 'ailing', arm: 0, joint: 1, text: 'servo 2 (tilt) is overloaded', ailment: 'failing' },
    });
    expect(await bench.ask({ kind: 'recover', arm: 0, mark: bench.shared.stopMark(0) })).toMatchObject({ duration: 0 });
    expect(bench.own.link.up).toBe(true);
    bench.shared.latchStop(0, StopWord.asked);
    const mark = bench.shared.stopMark(0);
    bench.shared.latchStop(0, StopWord.asked);
    await bench.ask({ kind: 'recover', arm: 0, mark });
    expect(bench.own.link.up).toBe(true);
    await bench.ask({ kind: 'recover', arm: 0, mark: bench.shared.stopMark(0) });
    expect(bench.own.link.up).toBe(false);
    await bench.until(() => bench.own.link.up);
    bench.servos[1]!.raiseOverload();
    await bench.until(() => bench.own.link.readings.alarms[1] !== 0);
    expect(await bench.ask({ kind: 'recover', arm: 0, mark: bench.shared.stopMark(0) })).toMatch(/try again in/);
  });

  test('of one that is lost ends with the way down', async () => {
    await bench.torque(true);
    bench.bus.faults.dead.add(2);
    await bench.until(() => bench.posted.some((message) => message.kind === 'ailing'));
    expect(bench.own.link.up).toBe(true);
    await bench.ask({ kind: 'give_up', arm: 0 });
    await bench.pass(0.02);
    expect(bench.own.link.up).toBe(false);
  });
});

describe('a main thread that does not run', () => {
  test('has every arm brake, which is told when it runs again', async () => {
    await bench.torque(true);
    await bench.drive(trajectory(1.5, 0));
    await bench.pass(0.1);
    bench.beating = false;
    await bench.pass(0.4);
    expect(bench.ended).toMatchObject([{ arm: 0, reason: 'unattended' }]);
    const abandoned = bench.posted.filter((message) => message.kind === 'abandoned');
    expect(abandoned).toEqual([
      { kind: 'abandoned', arm: 0, epoch: bench.shared.epoch(0), driven: true },
      { kind: 'abandoned', arm: 1, epoch: bench.shared.epoch(1), driven: false },
    ]);
    expect(bench.posted.some((message) => message.kind === 'notice')).toBe(false);
    bench.beating = true;
    await bench.pass(0.1);
    const notices = bench.posted.flatMap((message) => (message.kind === 'notice' ? [message.text] : []));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      /^the main thread did not run for 0\.[45] s .* stop: own had to brake and hold; nothing goes on by itself$/,
    );
    // Of arms that nothing drove there is nothing to say.
    bench.beating = false;
    await bench.pass(0.4);
    bench.beating = true;
    await bench.pass(0.1);
    expect(bench.posted.filter((message) => message.kind === 'notice')).toHaveLength(1);
  });
});

describe('arms', () => {
  test('that are added come after those that there are; one that cannot be used leaves no trace', async () => {
    const memory = bench.shared.add(2);
    const before = bench.control.arms.length;
    const broken = setupOf('broken', 'remote', '<mesh filename="nowhere.stl"/>');
    expect(await bench.ask({ kind: 'add', arm: 2, setup: broken, shared: memory })).toBeTypeOf('string');
    expect(bench.control.arms).toHaveLength(before);
    const setup = { ...setupOf('third', 'remote'), calibrated: false, detached: 'not wanted yet' };
    expect(await bench.ask({ kind: 'add', arm: 2, setup, shared: memory })).toEqual({ motion: 0, duration: 0 });
    const third = bench.control.arms[2]!.controller;
    expect([third.index, third.calibrated, third.link.reason]).toEqual([2, false, 'not wanted yet']);
    await bench.ask({ kind: 'connect', arm: 2 });
    bench.sample({ kind: 'state', arm: 2, positions: at(0, 0), velocities: at(0, 0), efforts: null });
    await bench.pass(0.02);
    expect(third.state).toBe(StateCode.ready);
  });

  test('are all let go of at the end', async () => {
    let closed = 0;
    bench.control.onClosed = () => closed++;
    const answer = bench.ask({ kind: 'close' });
    // One of them takes its time.
    expect(closed).toBe(0);
    expect(await answer).toEqual({ motion: 0, duration: 0 });
    await bench.pass(0.1);
    expect(closed).toBe(1);
    expect(bench.port.closed).toBeGreaterThan(0);
    expect(bench.control.arms.map(({ controller }) => controller.link.reason)).toEqual([
      'the bridge is ending',
      'the bridge is ending',
    ]);
    const { cycle } = bench.shared;
    await bench.pass(0.1);
    expect(bench.shared.cycle).toBe(cycle);
  });

  test('need not be there for the end', () => {
    const shared = new SharedState([], bench.time.lane('empty'));
    const setup = { rate: 200, priority: null, shared: shared.buffers, arms: [] };
    const empty = new ControlThread(setup, bench.time.lane('empty'), openLink, () => {});
    let closed = 0;
    empty.onClosed = () => closed++;
    empty.receive({ request: 1, command: { kind: 'close' } });
    expect(closed).toBe(1);
  });

  test('that are set up need somebody who does it beside the cycles', async () => {
    const task: Command = {
      ...{ kind: 'bench', bus: { kind: 'port', url: 'test:' }, family: 'feetech', baudRate: null },
      task: { call: 'presence', servos: [], reassign: false },
    };
    expect(await bench.ask(task)).toBe('nothing is set up here');
    bench.control.runBench = (command, clock, settle) => {
      expect([command, clock]).toEqual([task, bench.control.clock]);
      settle({ motion: 0, duration: 0, bench: { result: [] } });
    };
    expect(await bench.ask(task)).toEqual({ motion: 0, duration: 0, bench: { result: [] } });
  });

  test('tell what their servos warn of', async () => {
    bench.servos[1]!.fault({ heat: 60 });
    await bench.until(() => bench.warnings.length > 0);
    expect(bench.warnings[0]).toMatch(/^servo 2 \(tilt\)/);
  });

  test('that give way to what they press on say so', () => {
    bench.own.motions.onContactRelief(1);
    expect(bench.warnings).toEqual(['tilt has pressed on something without moving: it gives way']);
  });
});
