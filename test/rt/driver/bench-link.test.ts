import { describe, expect, test } from 'vitest';
import type { LinkJoint } from '../../../src/rt/driver/servo-slots.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { BenchArm, PERIOD } from '../support/bench-arm.ts';
import { Asking } from '../support/sources.ts';

const STEP = (2 * Math.PI) / 4096;
const { goal_position: GOAL, torque_enable: TORQUE, lock: LOCK } = STS3215.registers;

/** Servos that a sync write names: FF FF FE length 83 address width (id data)* checksum */
function idsOf(frame: Uint8Array): number[] {
  const ids: number[] = [];
  for (let at = 7; at < frame.length - 1; at += 1 + frame[6]!) ids.push(frame[at]!);
  return ids;
}

/** Servos that were sent goals in the last cycle. */
function goalsSent(bench: BenchArm): number[] {
  bench.port.sent.length = 0;
  bench.cycle();
  return bench.writes(GOAL).flatMap(idsOf);
}

/** The second joint has another servo, which counts down as the first one counts up. */
function doubled([first, second]: LinkJoint[]): LinkJoint[] {
  const [servo] = second!.servos;
  const calibration = { sign: -1, zero: 2048, stepsPerTurn: 4096 } as const;
  return [first!, { ...second!, servos: [servo!, { ...servo!, id: 3, calibration }] }];
}

describe('a register that somebody sets in a limp servo', () => {
  const { min_position: LOWEST, max_position: HIGHEST, acceleration: ACCELERATION } = STS3215.registers;
  const set = (
    bench: BenchArm,
    { address, size }: { readonly address: number; readonly size: number },
    counts: number,
  ) => bench.servos[1]!.write(address, Uint8Array.of(counts & 255, counts >> 8).subarray(0, size), 0, size);

  test('is found when torque is asked for: a joint beyond limits that were narrowed gets none, and does not move', async () => {
    const bench = await BenchArm.limp({ pose: [0, 0.5] });
    set(bench, LOWEST, 2048 - 100);
    set(bench, HIGHEST, 2048 + 100);
    await bench.hold();
    expect(bench.problem).toMatch(/servo 2 \(joint 2\)/);
    expect(bench.servos.map((servo) => servo.torqueOn)).toEqual([false, false]);
    expect(bench.angles[1]).toBeCloseTo(0.5, 2);
    // A goal alone gives this servo torque.
    expect(bench.writes(GOAL)).toEqual([]);
    expect(bench.link.limits.upper[1]).toBeLessThan(0.2);
  });

  test('in RAM is set back before torque goes on', async () => {
    const bench = await BenchArm.limp();
    const own = bench.servos[1]!.value('acceleration');
    set(bench, ACCELERATION, own + 20);
    await bench.hold();
    expect([bench.problem, bench.servos[1]!.value('acceleration')]).toEqual(['', own]);
  });

  test('is told once, however often torque is asked for, and again after the arm was away', async () => {
    const bench = await BenchArm.limp();
    set(bench, LOWEST, 2048 - 100);
    const told = (): number =>
      bench.warnings.filter((text) => text.includes('keeps to its own position limits')).length;
    for (let k = 0; k < 3; k++) {
      await bench.hold();
      bench.arm.setTorque(false);
      bench.run(0.3);
    }
    expect(told()).toBe(1);
    bench.link.close('disconnected by a person');
    await bench.cycles(() => !bench.link.up);
    bench.link.reopen();
    await bench.connect();
    expect(told()).toBe(2);
  });
});

describe('a servo that does not answer', () => {
  test('for a moment gets no goals until its torque has been read; the others go on', async () => {
    const bench = await BenchArm.holding();
    bench.arm.drive(new Asking('mirror', [0.5, 0.5]));
    bench.run(0.1);
    bench.bus.faults.dead.add(1);
    bench.run(0.04);
    expect(goalsSent(bench)).toEqual([1, 2]);
    bench.run(0.05);
    expect(goalsSent(bench)).toEqual([2]);
    expect([...bench.link.withheld]).toEqual([1, 0]);
    const [kept] = bench.arm.goals;
    bench.run(0.1);
    expect(bench.arm.goals[0]).toBe(kept);
    expect(bench.arm.goals[1]).toBeGreaterThan(0.2);
    bench.bus.faults.dead.clear();
    bench.run(0.02);
    expect(goalsSent(bench)).toEqual([1, 2]);
    expect([...bench.link.withheld]).toEqual([0, 0]);
    bench.run(0.5);
    expect(bench.arm.goals[0]).toBeCloseTo(0.5, 3);
    expect(bench.largestStep).toBeLessThan(3 * PERIOD + 1e-9);
    expect(bench.link.up).toBe(true);
  });

  test('for half a second is lost: it is told once, and the others carry the arm for 35 s', async () => {
    const bench = await BenchArm.holding();
    bench.bus.faults.dead.add(2);
    bench.run(0.4);
    expect(bench.ailing).toEqual([]);
    const { sampleTime } = bench.link.readings;
    bench.run(0.2);
    expect(bench.ailing).toEqual([
      [1, 'servo 2 (joint 2) has not answered for 0.5 s: check the cable into it', 'silent'],
    ]);
    expect([...bench.link.withheld]).toEqual([0, 2]);
    bench.run(34);
    expect([bench.link.up, bench.arm.holding, bench.ailing.length]).toEqual([true, true, 1]);
    // Nobody follows such an arm, but it is steered by those that answer.
    expect(bench.link.readings.sampleTime).toBe(sampleTime);
    expect(bench.link.readings.steerTime).toBeGreaterThan(sampleTime + 34);
    expect(goalsSent(bench)).toEqual([1]);
    bench.run(1.2);
    expect([bench.link.up, bench.link.reason]).toEqual([
      false,
      'servo 2 (joint 2) has not answered for 0.5 s: check the cable into it',
    ]);
    expect(bench.arm.state).toBe(StateCode.disconnected);
  });

  test('of a limp arm has the arm checked anew at once; so has one that nobody lowers any more', async () => {
    const limp = await BenchArm.limp();
    limp.bus.faults.dead.add(2);
    limp.run(0.6);
    expect([limp.link.up, limp.ailing]).toEqual([false, []]);
    const holding = await BenchArm.holding();
    holding.bus.faults.dead.add(2);
    holding.run(0.6);
    expect(holding.link.up).toBe(true);
    holding.link.giveUp();
    holding.run(PERIOD);
    expect(holding.link.up).toBe(false);
  });

  test('and then answers again is checked before it is counted on', async () => {
    const bench = await BenchArm.holding();
    bench.bus.faults.dead.add(2);
    bench.run(1);
    bench.bus.faults.dead.clear();
    bench.run(0.02);
    expect([bench.link.up, bench.link.reason]).toEqual([
      false,
      'a servo that had fallen silent answers again: the arm is checked anew',
    ]);
    await bench.connect();
    expect([bench.arm.holding, bench.arm.state]).toEqual([true, StateCode.ready]);
  });

  test('is no servo at all when none answers: the arm is gone', async () => {
    const bench = await BenchArm.holding();
    bench.bus.faults.dead.add(1).add(2);
    bench.run(0.6);
    expect([bench.link.up, bench.link.reason]).toEqual([
      false,
      'no servo has answered for 0.5 s: check its power and its bus cable',
    ]);
  });

  test('though it was limp makes torque wait for a check, which finds what it is set to', async () => {
    const bench = await BenchArm.limp();
    bench.bus.faults.dead.add(2);
    bench.run(0.2);
    bench.bus.faults.dead.clear();
    bench.servos[1]!.powerCycle();
    bench.run(0.1);
    bench.problem = null;
    bench.arm.setTorque(true, (problem) => {
      bench.problem = problem;
    });
    expect([bench.link.power, bench.link.up]).toEqual(['arming', true]);
    await bench.cycles(() => bench.problem !== null);
    expect([bench.problem, bench.link.power]).toEqual(['', 'holding']);
    // It had forgotten its RAM, and its lock is closed again.
    expect(bench.servos[1]!.value('lock')).toBe(1);
    expect(bench.port.sent.some((frame) => frame[2] === 2 && frame[5] === LOCK.address)).toBe(true);
  });

  test('gets no torque while others hold, which a check would make deaf to a stop, but once all are limp', async () => {
    const bench = await BenchArm.holding();
    bench.servos[1]!.write(TORQUE.address, Uint8Array.of(0), 0, 1);
    bench.run(0.35);
    bench.link.giveUp();
    bench.run(PERIOD);
    await bench.connect();
    expect(bench.link.power).toBe('partial');
    bench.bus.faults.dead.add(2);
    bench.run(0.2);
    bench.bus.faults.dead.clear();
    bench.servos[1]!.powerCycle();
    bench.run(0.1);
    const asked = async (on: boolean): Promise<string> => {
      bench.problem = null;
      bench.arm.setTorque(on, (problem) => {
        bench.problem = problem;
      });
      await bench.cycles(() => bench.problem !== null);
      return bench.problem!;
    };
    expect(await asked(true)).toMatch(/^servo 2 \(joint 2\) may have restarted while the others hold/);
    expect(bench.servos[1]!.torqueOn).toBe(false);
    expect([await asked(false), await asked(true)]).toEqual(['', '']);
    expect([bench.link.power, bench.servos[1]!.value('lock')]).toEqual(['holding', 1]);
  });

  test('makes torque that waits for that check fail when it stays silent', async () => {
    const bench = await BenchArm.limp();
    bench.bus.faults.dead.add(2);
    bench.run(0.2);
    bench.problem = null;
    bench.arm.setTorque(true, (problem) => {
      bench.problem = problem;
    });
    await bench.cycles(() => bench.problem !== null);
    expect(bench.problem).toMatch(/servo 2|joint 2/);
    expect(bench.servos[0]!.torqueOn).toBe(false);
  });
});

describe('a servo that loses its torque by itself', () => {
  test('is told, gets no goals, and leaves the others to carry on', async () => {
    const bench = await BenchArm.holding();
    bench.servos[0]!.write(TORQUE.address, Uint8Array.of(0), 0, 1);
    bench.run(0.35);
    expect(bench.ailing).toEqual([
      [0, 'servo 1 (joint 1) has lost its torque by itself: check its supply and its cable', 'limp'],
    ]);
    expect([bench.arm.holding, bench.link.up, [...bench.link.withheld]]).toEqual([true, true, [2, 0]]);
    expect(goalsSent(bench)).toEqual([2]);
    // Once it has been lowered the arm is found as it is: a part of it holds.
    bench.link.giveUp();
    bench.run(PERIOD);
    expect(bench.link.up).toBe(false);
    await bench.connect();
    expect([bench.link.power, bench.link.torque, bench.link.anyTorque, [...bench.link.held]]).toEqual([
      'partial',
      false,
      true,
      [0, 1],
    ]);
    expect(bench.link.trouble).toBe(
      'servo 1 (joint 1) is limp, the others hold: lower the arm, or switch its torque on',
    );
    expect(bench.warnings).toEqual(['servo 1 (joint 1) without torque, the others hold']);
    expect(bench.arm.state).toBe(StateCode.connected);
    await bench.hold();
    expect([bench.problem, bench.link.power, bench.link.trouble]).toEqual(['', 'holding', '']);
  });

  test('is not believed to have lost it by one reading', async () => {
    const bench = await BenchArm.holding();
    const servo = bench.servos[0]!;
    for (let k = 0; k < 10; k++) {
      // Limp in one read of its state, which is read again in the next cycle.
      bench.port.sent.length = 0;
      servo.memory[TORQUE.address] = 0;
      const asksState = (): boolean =>
        bench.port.sent.some((frame) => frame[4] === 0x82 && frame[5] === TORQUE.address);
      for (let c = 0; !asksState(); c++) {
        expect(c).toBeLessThan(100);
        bench.cycle();
      }
      servo.memory[TORQUE.address] = 1;
      bench.run(0.05);
    }
    expect([bench.ailing, bench.link.up, bench.link.torque]).toEqual([[], true, true]);
  });

  test('of an arm with torque that nobody asked for is checked: does another program use the bus?', async () => {
    const bench = await BenchArm.limp();
    bench.servos[1]!.write(TORQUE.address, Uint8Array.of(1), 0, 1);
    bench.run(0.3);
    expect([bench.link.up, bench.link.reason]).toEqual([
      false,
      'servo 2 (joint 2) has torque that nobody asked for: does another program use the bus?',
    ]);
    await bench.connect();
    expect([bench.link.power, bench.arm.state]).toEqual(['partial', StateCode.connected]);
  });

  test('for an overload is brought back by a person, and is told to fail before', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.5] });
    expect(bench.link.recover(bench.time.now, () => true)).toBe('');
    expect(bench.link.up).toBe(true);
    bench.servos[1]!.raiseOverload();
    bench.run(0.1);
    expect(bench.ailing).toEqual([[1, 'servo 2 (joint 2) is overloaded', 'failing']]);
    expect(bench.link.readings.alarms[1]).toBe(1 << 5);
    expect(bench.warnings).toHaveLength(1);
    expect(bench.link.recover(bench.time.now, () => true)).toBe('');
    expect([bench.link.up, bench.link.reason]).toEqual([false, 'its overloaded servos are being brought back']);
    await bench.connect();
    expect([bench.link.readings.alarms[1], bench.link.power]).toEqual([0, 'holding']);
    bench.servos[1]!.raiseOverload();
    bench.run(0.1);
    expect(bench.link.recover(bench.time.now, () => true)).toMatch(/try again in 5 s/);
  });
});

describe('what is read', () => {
  test('of a joint with two servos is the first one’s position, what they give together, and the worst of both', async () => {
    const bench = await BenchArm.holding({ pose: [0, 0.2], weight: [0, 1], joints: doubled });
    expect(bench.problem).toBe('');
    bench.run(0.2);
    expect(bench.link.readings.positions[1]).toBeCloseTo(0.2, 1);
    expect(bench.link.readings.efforts[1]).toBeCloseTo(1, 1);
    // Two springs are twice as stiff as one, for which the model has been made.
    expect(goalsSent(bench)).toEqual([1, 2, 3]);
    bench.arm.drive(new Asking('mirror', [0, 0.5]));
    bench.run(0.5);
    expect(bench.link.readings.positions[1]).toBeCloseTo(0.5, 1);
    expect(bench.link.readings.heard[1]).toBeCloseTo(bench.time.now - PERIOD, 9);
    bench.servos[2]!.fault({ heat: 50 });
    bench.servos[2]!.raiseOverload();
    bench.run(0.3);
    expect(bench.link.readings.temperatures[1]).toBeGreaterThan(45);
    expect(bench.link.readings.alarms[1]).toBe(1 << 5);
    expect([...bench.link.held]).toEqual([1, 1]);
    bench.servos[2]!.write(TORQUE.address, Uint8Array.of(0), 0, 1);
    bench.run(0.4);
    expect(bench.ailing.map(([joint]) => joint)).toEqual([1, 1]);
    expect([...bench.link.withheld]).toEqual([0, 2]);
  });

  test('of a servo that is driven is its speed and its effort, by the sign of its joint', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.6] });
    bench.run(0.2);
    expect(bench.link.readings.efforts[0]).toBe(0);
    expect(bench.link.readings.efforts[1]).toBeCloseTo(0.6, 1);
    expect(bench.link.readings.voltages[0]).toBeCloseTo(7.4, 1);
    bench.arm.drive(new Asking('mirror', [-1.5, 0]));
    bench.run(0.35);
    expect(bench.link.readings.velocities[0]).toBeLessThan(-1.5);
    expect(bench.arm.resting).toBe(false);
  });

  test('is fresh each cycle, with details every 50 ms', async () => {
    const bench = await BenchArm.limp();
    const seen = new Set<number>();
    bench.run(1, () => {
      expect(bench.link.readings.sampleTime).toBeCloseTo(bench.time.now - PERIOD, 9);
      seen.add(bench.link.readings.detailTime);
    });
    expect(seen.size).toBeGreaterThan(15);
    expect(seen.size).toBeLessThan(22);
    expect(bench.link.readings.heard[0]).toBeCloseTo(bench.time.now - PERIOD, 9);
  });

  test('of one joint has its own time, also once the servo of another is lost', async () => {
    const bench = await BenchArm.holding();
    bench.run(0.2);
    bench.bus.faults.dead.add(2);
    bench.run(1.5);
    const { detailed, detailTime } = bench.link.readings;
    expect(bench.time.now - detailed[0]!).toBeLessThan(0.06);
    expect(bench.time.now - detailed[1]!).toBeGreaterThan(1.4);
    expect(bench.time.now - detailTime).toBeGreaterThan(1.4);
  });

  test('is no sample of the arm in a cycle in which one position cannot be believed', async () => {
    const bench = await BenchArm.holding();
    const { sampleTime } = bench.link.readings;
    bench.cycle();
    expect(bench.link.readings.sampleTime).toBeGreaterThan(sampleTime);
    const [before, steered] = [bench.link.readings.sampleTime, bench.link.readings.steerTime];
    const { angle } = bench.shafts[1]!;
    bench.servos[1]!.step(0, 1.5 + 2048 * STEP, 0);
    bench.cycle();
    expect([bench.link.readings.sampleTime, bench.link.readings.steerTime]).toEqual([before, steered]);
    expect(bench.link.readings.positions[1]).toBeCloseTo(angle, 2);
    bench.cycle();
    expect(bench.link.readings.sampleTime).toBeGreaterThan(before);
  });

  test('is not believed where no joint can be, until readings agree; many such are told', async () => {
    const bench = await BenchArm.limp();
    const [shaft] = bench.shafts;
    for (let k = 0; k < 12; k++) {
      shaft!.angle = 1.5;
      bench.cycle();
      shaft!.angle = 0;
      // What was read last counts.
      expect(bench.link.readings.positions[0]).toBeCloseTo(0, 2);
      bench.cycle();
    }
    expect(bench.warnings).toEqual([]);
    for (let k = 0; k < 12; k++) {
      shaft!.angle = k % 2 === 0 ? 1.5 : -1.5;
      bench.run(0.02);
    }
    expect(bench.warnings).toEqual([
      'the position of servo 1 (joint 1) jumps: is there a second servo with id 1, or a broken cable?',
    ]);
    expect(bench.link.readings.positions[0]).toBeCloseTo(-1.5, 2);
  });
});

describe('goals', () => {
  test('are not sent when the host has stood still between read and write', async () => {
    const bench = await BenchArm.holding();
    bench.port.sent.length = 0;
    bench.link.begin(bench.time.now);
    bench.time.runSync(bench.time.now + 0.11);
    bench.link.write(bench.arm.goals);
    expect([bench.writes(GOAL), [...bench.link.withheld]]).toEqual([[], [1, 1]]);
    bench.link.begin(bench.time.now);
    bench.time.runSync(bench.time.now + 0.09);
    bench.link.write(bench.arm.goals);
    // After the pause nobody knows what has become of the servos.
    expect(bench.writes(GOAL).flatMap(idsOf)).toEqual([]);
    bench.run(0.05);
    expect(goalsSent(bench)).toEqual([1, 2]);
  });

  test('that a servo does not take are told of its joint', async () => {
    const bench = await BenchArm.holding();
    expect([bench.link.takesGoals(0, false), bench.link.takesGoals(1, false)]).toEqual([true, true]);
    bench.servos[0]!.fault({ ignoresGoals: true });
    bench.arm.drive(new Asking('mirror', [0.3, 0.3]));
    for (let k = 0; k < 60; k++) {
      bench.link.probe();
      bench.cycle();
    }
    expect([bench.link.takesGoals(0, false), bench.link.takesGoals(1, false)]).toEqual([false, true]);
  });

  test('keep to the limits that a servo has itself, which is told', async () => {
    const bench = await BenchArm.holding({ eeprom: { min_position: 2048 - 600, max_position: 2048 + 700 } });
    expect(bench.warnings.some((text) => text.includes('keeps to its own position limits, -0.92 to 1.07 rad'))).toBe(
      true,
    );
    const source = new Asking('mirror', [2, -2]);
    bench.arm.drive(source);
    bench.run(1.5);
    expect(bench.arm.goals[0]).toBeCloseTo(700 * STEP, 6);
    expect(bench.arm.goals[1]).toBeCloseTo(-600 * STEP, 6);
    source.status = SourceStatus.done;
    bench.run(0.1);
    expect(bench.ended.map(({ reason }) => reason)).toEqual(['done']);
  });
});

describe('an arm that is taken off its bus', () => {
  test('leaves it alone until it is to be on it again', async () => {
    const bench = await BenchArm.holding();
    let done = false;
    bench.link.close('disconnected by a person', () => {
      done = true;
    });
    expect([bench.link.up, bench.link.reason]).toEqual([false, 'disconnected by a person']);
    bench.port.sent.length = 0;
    for (let k = 0; k < 100; k++) {
      bench.cycle();
      await Promise.resolve();
    }
    expect([done, bench.port.sent, bench.arm.state]).toEqual([true, [], StateCode.disconnected]);
    await bench.hold();
    expect(bench.problem).toBe('disconnected by a person');
    bench.link.reopen();
    expect(bench.link.reason).toBe('not opened yet');
    await bench.connect();
    expect([bench.arm.state, bench.link.reason]).toEqual([StateCode.ready, '']);
    bench.link.reopen();
    expect(bench.link.up).toBe(true);
  });

  test('while torque goes on is told so to whoever asked', async () => {
    const bench = await BenchArm.limp();
    bench.problem = null;
    bench.arm.setTorque(true, (problem) => {
      bench.problem = problem;
    });
    bench.run(2 * PERIOD);
    bench.link.close('disconnected by a person');
    expect(bench.problem).toBe('disconnected by a person');
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
  });
});

describe('what people ask of single servos', () => {
  test('is answered while the arm holds, one transaction in a cycle', async () => {
    const bench = await BenchArm.holding();
    const facts: unknown[] = [];
    bench.link.servos((outcome) => facts.push(outcome));
    await bench.cycles(() => facts.length > 0);
    expect(facts[0]).toMatchObject({ result: [{ joint: 'joint 1' }, { joint: 'joint 2' }] });
    expect([bench.link.up, bench.arm.holding]).toEqual([true, true]);
  });

  test('is told of the first servo of each joint', async () => {
    const bench = await BenchArm.limp({ joints: doubled });
    const facts: unknown[] = [];
    bench.link.servos((outcome) => facts.push(outcome));
    await bench.cycles(() => facts.length > 0);
    expect(facts[0]).toMatchObject({ result: [{ joint: 'joint 1' }, { joint: 'joint 2' }] });
  });

  test('fails when the arm goes meanwhile', async () => {
    const bench = await BenchArm.holding();
    const facts: unknown[] = [];
    bench.link.servos((outcome) => facts.push(outcome));
    bench.port.unplug();
    await bench.cycles(() => facts.length > 0, 1);
    expect(facts[0]).toMatchObject({ problem: 'test: has been pulled out' });
  });

  test('to count from somewhere else is refused while the arm holds, and holds at once when it is limp', async () => {
    const bench = await BenchArm.holding();
    const outcomes: unknown[] = [];
    const joints = [0, 1].map((j) => ({
      ...{ offset: j === 0 ? 100 : 0, operatingMode: 0, expected: true, sign: 1 as const, zero: 2000 },
    }));
    bench.link.calibrate(joints, (outcome) => outcomes.push(outcome));
    expect(outcomes).toEqual([
      { problem: 'servo 1 (joint 1), 2 (joint 2) holds torque: support the arm and let it go limp first' },
    ]);
    bench.arm.setTorque(false);
    bench.run(0.1);
    bench.link.calibrate(joints, (outcome) => outcomes.push(outcome));
    await bench.cycles(() => outcomes.length === 2);
    expect(outcomes[1]).toEqual({ result: undefined });
    bench.run(0.05);
    expect(bench.servos.map((servo) => servo.value('homing_offset'))).toEqual([100, 0]);
    expect(bench.link.readings.positions[0]).toBeCloseTo((48 - 100) * STEP, 6);
    expect(bench.link.readings.positions[1]).toBeCloseTo(48 * STEP, 6);
    // An offset that another program writes does not pass for this one.
    bench.servos[0]!.fault({ registers: { homing_offset: 90 } });
    bench.link.close('over');
    bench.link.reopen();
    await bench.connect();
    expect(bench.link.miscalibrated).toMatch(
      /^servo 1 \(joint 1\) has homing offset 90, its calibration file says 100/,
    );
    expect(bench.link.torqueRefusal).toBe(bench.link.miscalibrated);
    expect(bench.warnings.at(-1)).toBe(`no torque: ${bench.link.miscalibrated}`);
  });

  test('to switch off at other temperatures is written to all, and judged by from then on', async () => {
    const bench = await BenchArm.holding();
    const outcomes: unknown[] = [];
    bench.link.limitTemperatures(Float64Array.of(60, 50), (outcome) => outcomes.push(outcome));
    await bench.cycles(() => outcomes.length === 1);
    expect(outcomes).toEqual([{ result: undefined }]);
    expect([...bench.link.readings.temperatureLimits]).toEqual([60, 50]);
    bench.servos[1]!.fault({ heat: 48 });
    bench.run(0.5);
    expect(bench.link.fault).toMatch(/^servo 2 \(joint 2\) has 4\d degC and switches off at 50/);
  });
});
