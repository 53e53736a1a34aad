import { describe, expect, test } from 'vitest';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { StopWord } from '../../../src/rt/snapshot/shared-snapshot.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { BenchArm, PERIOD } from '../support/bench-arm.ts';
import { ZERO } from '../support/bench-servos.ts';
import { Asking, Floating, moveTo } from '../support/sources.ts';

/** What the servos' steps leave open, rad. */
const STEPS = 0.003;
/** A joint at rest is no quicker than this, rad/s. */
const REST = 0.1;
const SYNC_READ = 0x82;
const TORQUE = STS3215.registers.torque_enable;
const GOAL = STS3215.registers.goal_position;

const near = (angles: ArrayLike<number>, wanted: readonly number[], band = 0.01): void => {
  for (const [j, angle] of wanted.entries()) expect(Math.abs(angles[j]! - angle), `joint ${j + 1}`).toBeLessThan(band);
};

describe('torque', () => {
  test('goes on where the arm is, with goals that carry its weight, and nothing moves', async () => {
    const bench = await BenchArm.limp({ pose: [0.3, -0.4], weight: [0, 0.6] });
    const { arm } = bench;
    expect([arm.state, arm.holding, arm.link.power]).toEqual([StateCode.connected, false, 'limp']);
    const states: number[] = [];
    arm.onState = () => states.push(arm.state);
    const { motion } = arm;
    await bench.hold();
    expect(bench.problem).toBe('');
    expect([arm.state, arm.holding, states]).toEqual([StateCode.ready, true, [StateCode.ready]]);
    expect(arm.motion).toBe(motion + 1);
    bench.run(1);
    near(bench.angles, [0.3, -0.4], STEPS);
    near(arm.setpoints, [0.3, -0.4], STEPS);
    // 0.6 Nm bend a spring of 17.8 Nm/rad.
    near(arm.goals, [0.3, -0.4 + 0.6 / 17.8], STEPS);
    expect(arm.goalTime).toBeCloseTo(bench.time.now - PERIOD, 6);
  });

  test('that is there already is answered at once, and changes nothing', async () => {
    const bench = await BenchArm.holding();
    const { motion } = bench.arm;
    let told: string | null = null;
    bench.arm.setTorque(true, (problem) => {
      told = problem;
    });
    expect(told).toBe('');
    expect([bench.arm.motion, bench.arm.holding]).toEqual([motion, true]);
  });

  test('that goes off ends what drives the arm', async () => {
    const bench = await BenchArm.holding();
    const source = new Asking();
    bench.arm.drive(source);
    bench.run(0.1);
    expect(bench.arm.state).toBe(StateCode.mirroring);
    bench.arm.setTorque(false);
    // At once, and not when the servos say so.
    expect(bench.ended).toEqual([{ motion: bench.arm.motion, reason: 'torque_off', text: '' }]);
    bench.run(0.1);
    expect(bench.ended).toHaveLength(1);
    expect([bench.arm.state, bench.arm.source, bench.arm.holding]).toEqual([StateCode.connected, null, false]);
    expect(bench.servos.map((servo) => servo.torqueOn)).toEqual([false, false]);
    bench.port.sent.length = 0;
    bench.run(0.1);
    expect(bench.writes(GOAL)).toEqual([]);
  });

  test('that is lost by itself ends what drives the arm', async () => {
    const bench = await BenchArm.holding();
    bench.arm.drive(new Asking('move', [0.5, 0]));
    bench.run(0.1);
    for (const servo of bench.servos) servo.powerCycle();
    bench.run(1);
    expect(bench.ended.map(({ reason }) => reason)).toEqual(['disconnected']);
    expect(bench.servos.map((servo) => servo.torqueOn)).toEqual([false, false]);
  });

  test('is refused with the reason while the arm is not there', async () => {
    const bench = new BenchArm();
    await bench.hold();
    expect(bench.problem).toBe('not opened yet');
    await bench.connect();
    await bench.hold();
    expect(bench.problem).toBe('');
  });

  test('of an arm that has been moved by hand goes on where it is now', async () => {
    const bench = await BenchArm.limp();
    bench.run(0.1);
    bench.shafts[0]!.angle = 0.7;
    bench.run(0.2);
    await bench.hold();
    near(bench.angles, [0.7, 0], STEPS);
    near(bench.arm.goals, [0.7, 0], STEPS);
    bench.arm.setTorque(false);
    bench.run(0.2);
    bench.shafts[1]!.angle = -0.9;
    bench.run(0.2);
    await bench.hold();
    near(bench.angles, [0.7, -0.9], STEPS);
  });

  test('that is asked for while a hand still moves the arm goes on where the hand leaves it', async () => {
    const bench = await BenchArm.limp();
    bench.problem = null;
    bench.arm.setTorque(true, (problem) => {
      bench.problem = problem;
    });
    await bench.cycles(() => bench.link.settling);
    bench.run(0.1, () => {
      bench.shafts[0]!.angle += 0.02;
    });
    expect([bench.arm.link.power, bench.servos.some((servo) => servo.torqueOn)]).toEqual(['arming', false]);
    const [left] = bench.angles;
    bench.run(0.3);
    expect(bench.problem).toBe('');
    near(bench.angles, [left!, 0], STEPS);
    near(bench.arm.goals, [left!, 0], STEPS);
  });

  test('that is on its way is undone by a stop, which is told', async () => {
    const bench = await BenchArm.limp();
    bench.problem = null;
    bench.arm.setTorque(true, (problem) => {
      bench.problem = problem;
    });
    await bench.cycles(() => bench.link.settling);
    bench.run(2 * PERIOD);
    expect(bench.arm.link.power).toBe('arming');
    bench.shared.latchStop(0, StopWord.asked);
    bench.run(0.3);
    expect(bench.problem).toBe('it is stopped');
    expect([bench.arm.state, bench.arm.link.power]).toEqual([StateCode.stopped, 'limp']);
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
  });

  test('that was asked for in an epoch that is over does not go on', async () => {
    const bench = await BenchArm.limp();
    bench.shared.endEpoch(0);
    bench.problem = null;
    bench.arm.setTorque(true, (problem) => {
      bench.problem = problem;
    });
    await bench.cycles(() => bench.link.settling);
    bench.run(2 * PERIOD);
    expect(bench.problem).toBe(null);
    bench.shared.endEpoch(0);
    bench.run(0.3);
    expect(bench.problem).toBe('whoever asked for torque has lost the arm meanwhile');
    expect(bench.arm.link.power).toBe('limp');
  });
});

test('a limp joint gets its torque at a goal within its servo’s own limits, though it hangs nearer to them than it sags', async () => {
  const steps = Math.round((0.01 / (2 * Math.PI)) * STS3215.stepsPerTurn);
  const bench = await BenchArm.holding({
    weight: [0, 0.6],
    eeprom: { min_position: ZERO - 100, max_position: ZERO + steps },
  });
  expect(bench.problem).toBe('');
  expect(bench.arm.goals[1]).toBeGreaterThan(0);
  expect(bench.arm.goals[1]).toBeLessThanOrEqual((steps / STS3215.stepsPerTurn) * 2 * Math.PI + 1e-9);
  // It would need a goal of 0.034 rad, and sags by the rest.
  near(bench.angles, [0, 0], 0.035);
});

test('an arm that is stopped while its servos take torque does not rest before they have let go', async () => {
  const bench = await BenchArm.limp();
  bench.arm.setTorque(true);
  await bench.cycles(() => bench.link.frozen);
  bench.cycle();
  expect(bench.link.anyTorque).toBe(true);
  // What lets them go is lost on the wire.
  bench.port.lose = (frame) => frame[4] !== SYNC_READ;
  bench.shared.latchStop(0, StopWord.asked);
  bench.cycle();
  expect([bench.arm.state, bench.arm.resting]).toEqual([StateCode.stopped, false]);
  bench.port.lose = () => false;
  bench.run(0.1);
  expect([bench.arm.resting, bench.servos.some((servo) => servo.torqueOn)]).toEqual([true, false]);
});

describe('what drives an arm', () => {
  test('begins where the arm holds, is asked in each cycle with what it asked for last, and is followed', async () => {
    const bench = await BenchArm.holding({ pose: [0.2, -0.1], weight: [0, 0.6] });
    const { arm } = bench;
    const before = arm.motion;
    const source = new Asking('mirror');
    arm.drive(source);
    expect([arm.state, arm.motion, arm.source]).toEqual([StateCode.mirroring, before + 1, source]);
    near(source.begun!.setpoints, [0.2, -0.1], STEPS);
    expect([source.begun!.velocities, source.begun!.accelerations]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const began = source.begun!.now;
    source.wanted = [0.4, -0.3];
    bench.run(0.5);
    expect(source.asked).toHaveLength(100);
    expect(source.asked[0]!.last).toEqual(source.begun!.setpoints);
    expect(source.asked[5]!.last).toEqual([0.4, -0.3]);
    expect(source.asked.at(-1)!.dt).toBe(PERIOD);
    // Its time is that which the cycles have lasted.
    expect(source.asked[0]!.now - began).toBeCloseTo(PERIOD, 9);
    expect(source.asked[10]!.now - source.asked[0]!.now).toBeCloseTo(10 * PERIOD, 9);
    near(bench.angles, [0.4, -0.3]);
    near(arm.setpoints, [0.4, -0.3], 1e-6);
    near(arm.goals, [0.4, -0.3 + 0.6 / 17.8], 1e-3);
  });

  test('comes to its end once the gate has let its goal through; the arm holds there and is ready for the next', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    const source = new Asking('move', [0.5, 0]);
    source.status = SourceStatus.done;
    arm.drive(source);
    expect(arm.state).toBe(StateCode.moving);
    bench.run(0.3);
    // The source has nothing more to say, but its goal has not been reached.
    expect([arm.state, bench.ended]).toEqual([StateCode.moving, []]);
    while (bench.ended.length === 0) bench.run(PERIOD);
    expect(bench.ended).toEqual([{ motion: arm.motion, reason: 'done', text: '' }]);
    expect([arm.state, arm.source]).toEqual([StateCode.ready, null]);
    // Its joints still follow: that they rest is measured.
    expect(arm.resting).toBe(false);
    bench.run(0.5);
    near(bench.angles, [0.5, 0]);
    expect(arm.resting).toBe(true);
    expect(bench.largestStep).toBeLessThan(1.5 * PERIOD + 1e-9);
  });

  test('goes on to its goal when it is over before the joints are there, and they rest', async () => {
    const bench = await BenchArm.holding({ pose: [0, 0], weight: [0, 0.6] });
    bench.arm.drive(moveTo(0.4, -0.4));
    bench.run(2);
    expect(bench.ended.map(({ reason }) => reason)).toEqual(['done']);
    near(bench.angles, [0.4, -0.4]);
    bench.run(2);
    near(bench.angles, [0.4, -0.4]);
    expect(bench.arm.resting).toBe(true);
  });

  test('is superseded by what drives it next, which begins with the speed that it has', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    arm.drive(new Asking('move', [1.5, 0]));
    bench.run(0.2);
    const first = arm.motion;
    const next = new Asking('move', [1.5, 0]);
    arm.drive(next);
    expect(bench.ended).toEqual([{ motion: first, reason: 'superseded', text: '' }]);
    expect(next.begun!.velocities[0]).toBeCloseTo(0.2 * 6, 1);
    expect(next.begun!.accelerations[0]).toBeCloseTo(6, 3);
  });

  test('that has no setpoints for a moment is held for, and goes on', async () => {
    const bench = await BenchArm.holding();
    const source = new Asking('mirror', [0.6, 0]);
    bench.arm.drive(source);
    bench.run(0.15);
    source.status = SourceStatus.hold;
    bench.run(0.3);
    const [held] = bench.angles;
    expect(held).toBeLessThan(0.58);
    const { goals } = bench.arm;
    const kept = [...goals];
    bench.run(0.2);
    expect([...goals]).toEqual(kept);
    expect([bench.arm.state, bench.ended]).toEqual([StateCode.mirroring, []]);
    // It is told where the joints are asked to be, and not where they were to go.
    near(source.asked.at(-1)!.last, [...bench.arm.setpoints], 1e-9);
    source.status = SourceStatus.running;
    bench.run(0.5);
    near(bench.angles, [0.6, 0]);
    expect(bench.largestStep).toBeLessThan(3 * PERIOD + 1e-9);
  });

  test('is ended by whoever names its motion, and by nobody else; the arm brakes and holds', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    arm.drive(new Asking('move', [1.5, 0]));
    bench.run(0.2);
    arm.cancel(arm.motion - 1, 'cancelled');
    expect(bench.ended).toEqual([]);
    arm.cancel(arm.motion, 'cancelled');
    expect(bench.ended).toEqual([{ motion: arm.motion, reason: 'cancelled', text: '' }]);
    expect(arm.state).toBe(StateCode.ready);
    arm.cancel(arm.motion, 'cancelled');
    expect(bench.ended).toHaveLength(1);
    bench.run(0.5);
    for (const { velocity } of bench.shafts) expect(Math.abs(velocity)).toBeLessThan(REST);
    near(bench.angles, [...arm.setpoints], 0.01);
    expect(bench.angles[0]).toBeLessThan(0.5);
    expect(arm.resting).toBe(true);
    // Nothing is left to be ended: its joints go on resting.
    arm.cancel(arm.motion, 'cancelled');
    arm.abandon();
    expect([arm.resting, bench.ended.length]).toEqual([true, 1]);
  });

  test('is given up when nobody would hear a stop: it ends, and what was asked of the arm is over', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    const told: (readonly [number, boolean, number])[] = [];
    arm.onAbandoned = (epoch, driven) => told.push([epoch, driven, bench.ended.length]);
    const epoch = bench.shared.epoch(0);
    arm.drive(new Asking('move', [1.5, 0]));
    bench.run(0.1);
    arm.abandon();
    expect(bench.ended).toEqual([{ motion: arm.motion, reason: 'unattended', text: '' }]);
    arm.abandon();
    // It is told before its motion ends, and with the epoch that has begun.
    expect(told).toEqual([
      [epoch + 1, true, 0],
      [epoch + 2, false, 1],
    ]);
    expect(bench.shared.epoch(0)).toBe(epoch + 2);
    expect(bench.ended).toHaveLength(1);
    bench.run(0.3);
    expect(Math.abs(bench.shafts[0]!.velocity)).toBeLessThan(REST);
  });
});

describe('a stop', () => {
  test('brings a quick arm to rest at once, keeps it from being driven on, and is over when it is reset', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    arm.drive(new Asking('mirror', [1.9, -1.9]));
    bench.run(0.2);
    expect(bench.shafts[0]!.velocity).toBeGreaterThan(1.5);
    bench.shared.latchStop(0, StopWord.asked);
    bench.run(0.15);
    expect([...arm.gate.velocities]).toEqual([0, 0]);
    bench.run(0.25);
    expect(bench.ended).toEqual([{ motion: arm.motion, reason: 'stopped', text: '' }]);
    expect([arm.state, arm.resting, arm.holding]).toEqual([StateCode.stopped, true, true]);
    for (const { velocity } of bench.shafts) expect(Math.abs(velocity)).toBeLessThan(REST);
    const kept = [...arm.goals];
    bench.run(1);
    expect([...arm.goals]).toEqual(kept);
    bench.shared.releaseStop(0, bench.shared.stopMark(0));
    bench.run(PERIOD);
    expect(arm.state).toBe(StateCode.ready);
    bench.run(1);
    expect([...arm.goals]).toEqual(kept);
  });

  test('of a limp arm is over when it is reset, and it is limp', async () => {
    const bench = await BenchArm.limp();
    bench.shared.latchStop(0, StopWord.asked);
    bench.run(PERIOD);
    expect([bench.arm.state, bench.arm.resting]).toEqual([StateCode.stopped, true]);
    bench.shared.releaseStop(0, bench.shared.stopMark(0));
    bench.run(PERIOD);
    expect(bench.arm.state).toBe(StateCode.connected);
  });

  test('is latched by a servo that is about to switch itself off, and ends what was asked of the arm', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    arm.drive(new Asking('mirror', [0.2, 0]));
    bench.run(0.1);
    const epoch = bench.shared.epoch(0);
    const said: string[] = [];
    arm.onState = () => said.push(arm.reason);
    bench.servos[1]!.fault({ heat: 69 });
    bench.run(0.5);
    expect(bench.shared.stop(0)).toBe(StopWord.fault);
    expect(bench.shared.epoch(0)).toBe(epoch + 1);
    expect([arm.state, bench.ended.map(({ reason }) => reason)]).toEqual([StateCode.stopped, ['stopped']]);
    expect(arm.reason).toMatch(/^servo 2 \(joint 2\) has 69 degC and switches off at 70/);
    expect(said.at(-1)).toBe(arm.reason);
    // A stop that somebody asks for meanwhile is that person's.
    bench.shared.latchStop(0, StopWord.asked);
    bench.run(0.1);
    expect([bench.shared.stop(0), bench.shared.epoch(0)]).toEqual([StopWord.asked, epoch + 1]);
    bench.servos[1]!.fault({ heat: 40 });
    bench.run(1);
    expect(arm.reason).toBe('');
    expect(said.at(-1)).toBe('');
  });

  test('of a servo leaves the arm to what lowers it, until a person stops it too, or resets it once it is cool', async () => {
    const bench = await BenchArm.holding();
    const { arm, shared } = bench;
    bench.servos[1]!.fault({ heat: 69 });
    bench.run(0.5);
    expect([shared.stop(0), arm.resting]).toEqual([StopWord.fault, true]);
    arm.drive(new Asking('move', [0.6, 0]), { lowers: true });
    bench.run(0.2);
    expect([arm.state, arm.resting]).toEqual([StateCode.stopped, false]);
    expect(arm.gate.velocities[0]).toBeGreaterThan(0.5);
    shared.latchStop(0, StopWord.asked);
    bench.run(PERIOD);
    expect([arm.source, arm.resting, bench.ended.at(-1)!.reason]).toEqual([null, false, 'stopped']);
    bench.run(0.4);
    expect([arm.resting, [...arm.gate.velocities]]).toEqual([true, [0, 0]]);

    bench.servos[1]!.fault({ heat: 30 });
    shared.releaseStop(0, shared.stopMark(0));
    bench.run(0.1);
    bench.servos[1]!.fault({ heat: 69 });
    bench.run(0.5);
    expect(shared.stop(0)).toBe(StopWord.fault);
    const way = new Asking('move', [0, 0]);
    arm.drive(way, { lowers: true });
    bench.run(0.2);
    shared.releaseStop(0, shared.stopMark(0));
    bench.run(PERIOD);
    expect([arm.source, arm.state, shared.stop(0)]).toEqual([way, StateCode.stopped, StopWord.fault]);
    bench.servos[1]!.fault({ heat: 30 });
    bench.run(0.5);
    shared.releaseStop(0, shared.stopMark(0));
    bench.run(PERIOD);
    expect([arm.source, bench.ended.at(-1)!.reason]).toEqual([null, 'stopped']);
  });

  test('of a servo that fails between two parts of the way down does not end it', async () => {
    const bench = await BenchArm.holding();
    const { arm, shared } = bench;
    const way = new Asking('move', [0.2, 0]);
    arm.drive(way, { lowers: true });
    bench.run(0.5);
    way.status = SourceStatus.done;
    bench.run(0.3);
    const epoch = shared.epoch(0);
    bench.servos[1]!.fault({ heat: 69 });
    bench.run(0.5);
    expect([shared.stop(0), shared.epoch(0)]).toEqual([StopWord.fault, epoch]);
  });

  test('is latched too by a servo of an arm that nothing drives', async () => {
    const bench = await BenchArm.holding();
    bench.servos[0]!.fault({ heat: 69 });
    bench.run(0.5);
    expect([bench.arm.state, bench.shared.stop(0)]).toEqual([StateCode.stopped, StopWord.fault]);
  });

  test('for a hot servo waits until an arm that is being lowered is down', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    const way = new Asking('move', [0.2, 0]);
    arm.drive(way, { lowers: true });
    bench.servos[1]!.fault({ heat: 69 });
    bench.run(0.5);
    expect([arm.state, bench.shared.stop(0)]).toEqual([StateCode.moving, StopWord.none]);
    way.status = SourceStatus.done;
    bench.run(0.3);
    expect(bench.ended.map(({ reason }) => reason)).toEqual(['done']);
    expect([arm.state, bench.shared.stop(0)]).toEqual([StateCode.stopped, StopWord.fault]);
  });
});

describe('an arm whose servos are gone', () => {
  test('is disconnected: what drives it ends, what was asked of it is over, and it comes back as one that has been moved', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    arm.drive(new Asking('mirror', [0.2, 0]));
    bench.run(0.1);
    const epoch = bench.shared.epoch(0);
    const { motion } = arm;
    bench.port.unplug();
    bench.cycle();
    expect([arm.state, bench.ended]).toEqual([StateCode.disconnected, [{ motion, reason: 'disconnected', text: '' }]]);
    expect(bench.shared.epoch(0)).toBe(epoch + 1);
    expect(arm.reason).toBe('test: has been pulled out');
    expect([arm.holding, arm.resting]).toEqual([false, true]);
    bench.port.gone = false;
    const held = bench.taken;
    await bench.connect();
    expect([arm.state, arm.holding, arm.reason]).toEqual([StateCode.ready, true, '']);
    expect(arm.motion).toBe(motion + 1);
    // It goes on holding what its servos hold.
    near(arm.goals, held, STEPS);
    bench.run(0.5);
    near(bench.taken, held, STEPS);
  });

  test('that does not answer for a quarter of a second brakes, and its motion ends', async () => {
    const bench = await BenchArm.holding();
    const { arm } = bench;
    arm.drive(new Asking('mirror', [1.9, 0]));
    bench.run(0.1);
    bench.port.lose = (frame) => frame[4] === SYNC_READ;
    bench.run(0.24);
    expect(bench.ended).toEqual([]);
    bench.run(0.03);
    expect(bench.ended).toEqual([{ motion: arm.motion, reason: 'silent', text: '' }]);
    expect(arm.state).toBe(StateCode.ready);
    bench.port.lose = () => false;
    bench.run(0.5);
    for (const { velocity } of bench.shafts) expect(Math.abs(velocity)).toBeLessThan(REST);
  });

  test('has numbers of motions that go on from those of a control thread before', async () => {
    const bench = await BenchArm.holding();
    bench.arm.drive(new Asking());
    bench.run(0.1);
    expect(bench.shared.lastMotion(0)).toBe(bench.arm.motion);
  });
});

describe('an arm that floats', () => {
  test('supports its weight where a hand has led it, and is soft', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.6] });
    const { arm } = bench;
    arm.drive(new Floating([1, 1], [0.5, 0.5]));
    expect(arm.state).toBe(StateCode.floating);
    bench.run(0.5);
    expect(bench.link.gain[0]).toBeCloseTo(0.5, 2);
    near(bench.angles, [0, 0]);
    // A hand pushes it for a moment; there it stays.
    bench.shafts[0]!.pull = 0.2;
    bench.run(1);
    bench.shafts[0]!.pull = 0;
    bench.run(0.5);
    const [led] = bench.angles;
    expect(led).toBeGreaterThan(0.05);
    near([...arm.goals], [led!, 0.6 / (17.8 * 0.5)], 0.01);
    near(arm.setpoints, bench.angles, 0.01);
    bench.run(1);
    near(bench.angles, [led!, 0]);
  });

  test('is given its stiffness back when it is over, without a jump, and holds where it was led', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.6] });
    const { arm } = bench;
    arm.drive(new Floating([1, 1], [0.5, 0.5]));
    bench.run(0.5);
    const before = bench.angles;
    bench.largestStep = 0;
    arm.cancel(arm.motion, 'cancelled');
    bench.run(1);
    expect([...bench.link.gain]).toEqual([1, 1]);
    expect(bench.link.gains.pending).toBe(false);
    near(bench.angles, before);
    near(arm.goals, [before[0]!, before[1]! + 0.6 / 17.8], 0.01);
    expect(bench.largestStep).toBeLessThan(0.01);
    expect(arm.resting).toBe(true);
  });

  test('goes limp when its weight has been given to the hand', async () => {
    const bench = await BenchArm.holding();
    const source = new Floating([1, 1]);
    bench.arm.drive(source);
    bench.run(0.1);
    expect([...bench.link.gain]).toEqual([1, 1]);
    source.over = true;
    bench.run(0.1);
    expect(bench.ended.map(({ reason }) => reason)).toEqual(['done']);
    expect([bench.arm.state, bench.servos.some((servo) => servo.torqueOn)]).toEqual([StateCode.connected, false]);
    expect(bench.writes(TORQUE).length).toBeGreaterThan(0);
  });
});
