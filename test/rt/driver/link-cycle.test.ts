import { describe, expect, test } from 'vitest';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { BenchArm, PERIOD } from '../support/bench-arm.ts';

const { goal_position: GOAL, p_coefficient: GAIN, torque_enable: TORQUE } = STS3215.registers;
const READ_ALL = 0x82;
const READ = 2;

/** Asks for torque. @returns what was told, each time */
function ask(bench: BenchArm): string[] {
  const told: string[] = [];
  bench.arm.setTorque(true, (problem) => void told.push(problem));
  return told;
}

/** Reads of all servos' torque. */
function stateReads(bench: BenchArm): number {
  return bench.port.sent.filter((frame) => frame[4] === READ_ALL && frame[5] === TORQUE.address).length;
}

/** An arm of which the second joint alone holds, because the first one's servo has lost its torque by itself. */
async function holdingInPart(): Promise<BenchArm> {
  const bench = await BenchArm.holding();
  bench.servos[0]!.write(TORQUE.address, Uint8Array.of(0), 0, 1);
  bench.run(0.35);
  bench.link.giveUp();
  bench.cycle();
  await bench.connect();
  expect(bench.link.power).toBe('partial');
  return bench;
}

describe('while torque goes on', () => {
  test('goals stay as they are from when it is sent, whatever moves the joints, since any servo may have it already', async () => {
    const bench = await BenchArm.limp({ pose: [0.3, 0.5], weight: [0.2, 0.9] });
    bench.shafts[1]!.pull -= 0.3;
    let lost = 0;
    // What gives torque is lost once, and sent again four reads later; a hand moves a joint until then.
    bench.port.lose = (frame) => frame[4] === 0x83 && frame[5] === TORQUE.address && lost++ === 0;
    const told = ask(bench);
    await bench.cycles(() => lost === 1);
    bench.port.sent.length = 0;
    const before = bench.angles[1]!;
    bench.shafts[0]!.angle += 0.015;
    await bench.cycles(() => told.length > 0);
    expect(lost).toBe(2);
    const goals = bench.writes(GOAL);
    expect(goals.length).toBeGreaterThan(5);
    for (const frame of goals) expect(frame).toEqual(goals[0]);
    expect([told, Math.abs(bench.angles[1]! - before) > 0.005]).toEqual([[''], true]);
  });

  test('a servo that holds and was sent elsewhere by another program stays there; a limp one’s old goal counts for nothing', async () => {
    const bench = await holdingInPart();
    const set = (servo: number, steps: number): void =>
      bench.servos[servo]!.write(GOAL.address, Uint8Array.of(steps & 255, steps >> 8), 0, 2);
    set(0, 2048 + 400);
    set(1, 2048 + 200);
    bench.run(0.4);
    const before = bench.angles;
    expect(before[1]).toBeGreaterThan(0.25);
    const told = ask(bench);
    await bench.cycles(() => told.length > 0);
    bench.run(0.5);
    expect([told, bench.link.power]).toEqual([[''], 'holding']);
    for (const [j, angle] of bench.angles.entries()) expect(angle).toBeCloseTo(before[j]!, 1);
  });

  test.each([
    ['sent', (bench: BenchArm) => bench.writes(TORQUE).length > 0],
    ['taken by all', (bench: BenchArm) => bench.link.torque],
  ])('it is not told to be there before all servos have been heard to hold still after it was %s', async (_, until) => {
    const bench = await BenchArm.limp();
    const told = ask(bench);
    await bench.cycles(() => until(bench));
    bench.bus.faults.dead.add(2);
    bench.run(0.3);
    expect([told, bench.link.power, bench.link.frozen]).toEqual([[], 'arming', true]);
    bench.bus.faults.dead.clear();
    bench.run(0.1);
    expect([told, bench.link.power, bench.link.frozen]).toEqual([[''], 'holding', false]);
  });

  test('a joint that moves by more than its droop is limp again, and how far it moved is told', async () => {
    const bench = await BenchArm.limp();
    const told = ask(bench);
    await bench.cycles(() => bench.writes(TORQUE).length > 0);
    bench.shafts[1]!.angle += 0.15;
    await bench.cycles(() => told.length > 0);
    expect(told).toEqual([expect.stringMatching(/^servo 2 \(joint 2\) moved 0\.1\d rad when it got torque/)]);
    bench.run(0.1);
    expect([bench.link.power, bench.servos.some((servo) => servo.torqueOn)]).toEqual(['limp', false]);
  });

  test('it is checked once, also if it is asked for again while limp joints settle', async () => {
    const bench = await BenchArm.limp();
    const first = ask(bench);
    await bench.cycles(() => bench.link.settling);
    bench.port.sent.length = 0;
    const second = ask(bench);
    await bench.cycles(() => second.length > 0);
    expect([first, second, bench.port.sent.filter((frame) => frame[4] === READ)]).toEqual([[''], [''], []]);
  });

  test('nothing is sent to servos that are being checked, and a stop ends it', async () => {
    const bench = await BenchArm.limp();
    const told = ask(bench);
    bench.link.gains.work([0.5, 0.5]);
    bench.cycle();
    bench.port.sent.length = 0;
    bench.link.write(bench.arm.goals);
    expect([bench.port.sent, [...bench.link.withheld], told]).toEqual([[], [1, 1], []]);
    bench.link.endArming('it is stopped');
    expect([told, bench.link.power]).toEqual([['it is stopped'], 'limp']);
    const end = bench.time.now + 1;
    await bench.cycles(() => bench.time.now > end);
    expect([told, bench.servos.some((servo) => servo.torqueOn)]).toEqual([['it is stopped'], false]);
    // A stop of an arm on which nothing goes on tells nobody anything.
    bench.link.endArming('it is stopped');
    expect(told).toHaveLength(1);
  });

  test('an arm is not calibrated, which would make it run', async () => {
    const bench = await BenchArm.limp();
    const homing = { offset: 50, operatingMode: 0, expected: true, sign: 1, zero: 2048 } as const;
    const told = ask(bench);
    for (const until of [() => true, () => bench.link.settling]) {
      await bench.cycles(until);
      const outcomes: unknown[] = [];
      bench.link.calibrate([homing, homing], (outcome) => outcomes.push(outcome));
      expect(outcomes).toEqual([{ problem: 'its torque is being switched on: switch it off first' }]);
    }
    await bench.cycles(() => told.length > 0);
    expect([told, bench.servos.map((servo) => servo.value('homing_offset'))]).toEqual([[''], [0, 0]]);
  });
});

test('torque that is asked for while an arm is being calibrated waits until its servos are written, and then holds it', async () => {
  const bench = await BenchArm.limp();
  const homing = { offset: 50, operatingMode: 0, expected: true, sign: 1, zero: 2048 } as const;
  const outcomes: unknown[] = [];
  expect(bench.link.torqueRefusal).toBe('');
  bench.link.calibrate([homing, homing], (outcome) => outcomes.push(outcome));
  expect(bench.link.torqueRefusal).toBe('its calibration is being written to its servos: ask again in a second');
  await bench.cycles(() => bench.servos.some((servo) => servo.value('lock') === 0));
  const told = ask(bench);
  await bench.cycles(() => {
    if (outcomes.length === 0) expect([told, bench.writes(TORQUE)]).toEqual([[], []]);
    return told.length > 0;
  });
  expect([outcomes, told, bench.link.power]).toEqual([[{ result: undefined }], [''], 'holding']);
  expect(bench.servos.map((servo) => [servo.value('homing_offset'), servo.value('lock')])).toEqual([
    [50, 1],
    [50, 1],
  ]);
});

test('a calibration that fails leaves what was found wrong with the arm, and torque is refused for that', async () => {
  const bench = await BenchArm.limp();
  const homing = { offset: 0, operatingMode: 0, expected: true, sign: 1, zero: 2048 } as const;
  const outcomes: object[] = [];
  const calibrate = async (): Promise<object> => {
    bench.link.calibrate([homing, homing], (outcome) => outcomes.push(outcome));
    const { length } = outcomes;
    await bench.cycles(() => outcomes.length > length);
    return outcomes.at(-1)!;
  };
  expect(await calibrate()).toEqual({ result: undefined });
  bench.servos[1]!.fault({ registers: { homing_offset: 300 } });
  const told = ask(bench);
  await bench.cycles(() => told.length > 0);
  const { miscalibrated } = bench.link;
  expect(told).toEqual([`no torque: ${miscalibrated}`]);
  bench.port.lose = (frame) => frame[2] === 2 && frame[4] === 3;
  expect(await calibrate()).toMatchObject({ problem: expect.stringContaining('servo 2') });
  expect([bench.link.miscalibrated, bench.link.torqueRefusal]).toEqual([miscalibrated, miscalibrated]);
  bench.port.lose = () => false;
  expect(await calibrate()).toEqual({ result: undefined });
  expect(bench.link.torqueRefusal).toBe('');
});

describe('torque off', () => {
  test('is on its way until all servos are limp, and needs no check', async () => {
    const bench = await BenchArm.holding();
    const told: string[] = [];
    bench.port.lose = (frame) => frame[4] === 0x83 && frame[5] === TORQUE.address;
    bench.arm.setTorque(false, (problem) => void told.push(problem));
    bench.run(0.1);
    expect([bench.link.power, bench.link.trouble, told]).toEqual(['releasing', '', []]);
    bench.port.lose = () => false;
    bench.run(0.1);
    expect([bench.link.power, bench.link.trouble, told]).toEqual(['limp', '', ['']]);
    bench.port.sent.length = 0;
    bench.arm.setTorque(false, (problem) => void told.push(problem));
    expect(bench.link.power).toBe('releasing');
    bench.run(0.1);
    expect([told, bench.port.sent.filter((frame) => frame[4] === READ)]).toEqual([['', ''], []]);
    bench.link.close('disconnected by a person');
    expect(bench.link.trouble).toBe('');
  });
});

describe('gains', () => {
  test('that are being changed make an arm’s stiffness uncertain, and are known by what each servo has answered alone', async () => {
    const bench = await BenchArm.holding();
    const { gains } = bench.link;
    bench.bus.faults.dead.add(2);
    bench.run(0.1);
    const known = [...gains.known];
    expect([known, gains.stiffening]).toEqual([[1, 1], false]);
    gains.work([0.5, 0.5]);
    for (let k = 0; k < 60; k++) {
      bench.link.begin(bench.time.now);
      // Both reads of the cycle are asked for twice.
      for (let ask = 0; ask < 4; ask++) bench.link.expire();
      bench.link.write(bench.arm.goals);
      bench.time.runSync(bench.time.now + PERIOD);
    }
    expect([[...gains.known], gains.stiffening]).toEqual([[0.5, 1], true]);
    bench.bus.faults.dead.clear();
    bench.run(0.3);
    expect([[...gains.known], gains.stiffening]).toEqual([[0.5, 0.5], false]);
  });

  test('of a limp arm are written without a goal, but to no servo that may have restarted, until it has been checked', async () => {
    const bench = await BenchArm.limp();
    const [own] = bench.servos.map((servo) => servo.value('p_coefficient'));
    bench.link.gains.work([0.5, 0.5]);
    bench.run(0.5);
    expect(bench.servos.map((servo) => servo.value('p_coefficient'))).toEqual([own! / 2, own! / 2]);
    expect([bench.writes(GOAL), bench.link.gains.pending]).toEqual([[], false]);
    bench.bus.faults.dead.add(2);
    bench.run(0.15);
    bench.bus.faults.dead.clear();
    bench.run(0.1);
    bench.port.sent.length = 0;
    bench.link.gains.work([1, 1]);
    bench.run(0.3);
    expect(bench.writes(GAIN)).toEqual([]);
    const told = ask(bench);
    await bench.cycles(() => told.length > 0);
    bench.run(0.3);
    expect(bench.servos.map((servo) => servo.value('p_coefficient'))).toEqual([own, own]);
  });

  test('under torque are written after the goals of their cycle, which were made for them', async () => {
    const bench = await BenchArm.holding();
    bench.port.sent.length = 0;
    bench.link.gains.work([0.5, 0.5]);
    bench.run(0.3);
    const written = bench.port.sent.filter((frame) => frame[4] === 0x83).map((frame) => frame[5]);
    expect(written).toContain(GAIN.address);
    for (const [i, address] of written.entries())
      if (address === GAIN.address) expect(written[i - 1]).toBe(GOAL.address);
  });
});

describe('the torque of the servos is read at once', () => {
  test('when it is asked for, and then as seldom as before', async () => {
    const bench = await BenchArm.holding();
    for (let k = 0; k < 60; k++) {
      bench.run(0.01);
      bench.port.sent.length = 0;
      bench.link.probe();
      bench.cycle();
      expect(stateReads(bench)).toBe(1);
    }
    bench.port.sent.length = 0;
    bench.run(1);
    expect(stateReads(bench)).toBeGreaterThan(2);
    expect(stateReads(bench)).toBeLessThan(6);
  });

  test('when a servo is heard again after a moment, so that it gets goals again', async () => {
    const bench = await BenchArm.holding();
    for (let k = 0; k < 10; k++) {
      bench.run(0.037 * k);
      bench.bus.faults.dead.add(2);
      bench.run(0.1);
      expect([...bench.link.withheld]).toEqual([0, 1]);
      bench.bus.faults.dead.clear();
      bench.run(3 * PERIOD);
      expect([...bench.link.withheld]).toEqual([0, 0]);
    }
  });
});

test('while one servo is asked, which does not answer, others are neither read nor sent goals, until their torque has been read', async () => {
  const bench = await BenchArm.holding();
  let settled = 0;
  bench.link.onSettled = () => void settled++;
  const outcomes: unknown[] = [];
  bench.link.servos((outcome) => outcomes.push(outcome));
  bench.port.lose = (frame) => frame[4] === READ;
  // The cycle whose place it takes.
  expect(bench.link.begin(bench.time.now)).toBe(true);
  bench.port.sent.length = 0;
  for (let k = 0; k < 15; k++) {
    bench.time.runSync(bench.time.now + PERIOD);
    expect(bench.link.begin(bench.time.now)).toBe(false);
    bench.link.write(bench.arm.goals);
    expect([...bench.link.withheld]).toEqual([1, 1]);
    const before = settled;
    bench.link.expire();
    expect(settled).toBe(before + 1);
  }
  expect(bench.port.sent.filter((frame) => frame[4] !== READ)).toEqual([]);
  bench.port.lose = () => false;
  await bench.cycles(() => outcomes.length > 0);
  bench.run(0.1);
  expect([...bench.link.withheld]).toEqual([0, 0]);
});

test('an overloaded servo of a limp arm is brought back without torque, and one whose arm is stopped meanwhile, too', async () => {
  const limp = await BenchArm.limp();
  limp.servos[1]!.raiseOverload();
  limp.run(0.1);
  limp.port.sent.length = 0;
  expect(limp.link.recover(limp.time.now, () => true)).toBe('');
  await limp.cycles(() => {
    // It is not taken for one that has lost its torque meanwhile.
    if (!limp.link.up) expect(limp.link.reason).toBe('its overloaded servos are being brought back');
    return limp.link.up;
  });
  const given = limp.port.sent.some((frame) => frame[4] === 3 && frame[5] === TORQUE.address && frame[6] === 1);
  expect([limp.link.power, given]).toEqual(['limp', false]);
  const holding = await BenchArm.holding();
  holding.servos[1]!.raiseOverload();
  holding.run(0.1);
  holding.port.sent.length = 0;
  expect(holding.link.recover(holding.time.now, () => false)).toBe('');
  await holding.connect();
  expect(holding.port.sent.some((frame) => frame[4] === 3 && frame[5] === TORQUE.address)).toBe(false);
});

test('a person who has stopped an arm that was being lowered from a hot servo is told of it once more', async () => {
  const bench = await BenchArm.holding();
  bench.link.failAgain();
  bench.run(0.1);
  expect(bench.ailing).toEqual([]);
  bench.servos[0]!.fault({ heat: 69 });
  bench.run(1);
  expect(bench.ailing).toEqual([[0, expect.stringMatching(/^servo 1 \(joint 1\) has \d+ degC/), 'failing']]);
  bench.link.failAgain();
  bench.run(0.1);
  expect(bench.ailing.slice(1)).toEqual([[0, bench.link.fault, 'failing']]);
});

test('a servo that restarts and comes back limp gets no goal, which some servos take for torque, until the arm is checked', async () => {
  for (let k = 0; k < 6; k++) {
    const bench = await BenchArm.holding();
    bench.run(0.043 * k);
    bench.bus.faults.dead.add(2);
    bench.run(0.1);
    bench.servos[1]!.powerCycle();
    bench.bus.faults.dead.clear();
    bench.port.sent.length = 0;
    bench.run(0.5);
    const goals = bench.writes(GOAL);
    expect(goals.length).toBeGreaterThan(50);
    // FF FF FE length 83 address width id low high checksum: the first servo alone.
    for (const frame of goals) expect([frame.length, frame[7]]).toEqual([11, 1]);
    expect(bench.ailing.map(([joint, , ailment]) => [joint, ailment])).toEqual([[1, 'limp']]);
  }
});
