import { describe, expect, test } from 'vitest';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { BenchArm, PERIOD } from '../support/bench-arm.ts';

const { goal_position: GOAL, torque_enable: TORQUE } = STS3215.registers;
const READ = 2;
/** After the last torque command an arm is watched for this long, s: torque that comes later comes unexpected. */
const AFTERWARDS = 1;

/** A limp arm of so many joints, whose check takes as many questions. */
function armOf(joints: number): Promise<BenchArm> {
  return BenchArm.limp({ pose: new Array<number>(joints).fill(0) });
}

/**
 * What becomes of the questions to single servos, as a check asks them.
 * @param lostOf one question of so many is lost
 * @param late time that each takes, s
 */
function disturb(bench: BenchArm, lostOf: number, late = 0): void {
  let asked = 0;
  bench.port.lose = (frame) => {
    if (frame[4] !== READ) return false;
    const lost = ++asked % lostOf === 0;
    if (lost || late === 0) return lost;
    const question = frame.slice();
    bench.clock.after(late, () => bench.bus.feed(question, 1000 * bench.clock.now()));
    return true;
  };
}

/** The thread that asks has no processor for a third of a second each time, in which the answer comes. */
function keepBusy(bench: BenchArm, lostOf = Number.POSITIVE_INFINITY): void {
  disturb(bench, lostOf, 0.3);
  const { lose } = bench.port;
  bench.port.lose = (frame) => {
    if (frame[4] === READ) bench.clock.pause(0.33);
    return lose(frame);
  };
}

/** Asks for torque. @returns what was told, each time, and how long it took, s */
function ask(bench: BenchArm): { readonly told: string[]; readonly took: () => number } {
  const told: string[] = [];
  const began = bench.time.now;
  let end = Number.NaN;
  bench.arm.setTorque(true, (problem) => {
    told.push(problem);
    end = bench.time.now;
  });
  return { told, took: () => end - began };
}

/** Lets the check of an arm end, and more time pass: the arm must stay limp. */
async function staysLimp(bench: BenchArm): Promise<void> {
  bench.port.lose = () => false;
  const until = bench.time.now + AFTERWARDS;
  await bench.cycles(() => {
    expect(bench.servos.some((servo) => servo.torqueOn)).toBe(false);
    return bench.time.now > until;
  });
  expect([bench.link.up, bench.link.power]).toEqual([true, 'limp']);
}

describe('a limp arm whose torque is asked for while it cannot be checked in time', () => {
  test('gets none when its line loses one question of three: its cables are named, and no torque comes later', async () => {
    const bench = await armOf(14);
    // Behind an adapter that keeps each answer for a while.
    disturb(bench, 3, 0.03);
    const { told, took } = ask(bench);
    expect([bench.link.power, bench.link.arming]).toEqual(['arming', true]);
    await bench.cycles(() => told.length > 0);
    expect(told).toEqual([
      'its servos could not be checked within 5 s: the line to them is disturbed, check its cables',
    ]);
    expect(took()).toBeCloseTo(5, 1);
    await staysLimp(bench);
    expect(told).toHaveLength(1);
  });

  test('gets it after more than 5 s when the computer is busy, though its line was bad when it was connected', async () => {
    const bench = new BenchArm({ pose: new Array<number>(4).fill(0) });
    disturb(bench, 2);
    await bench.connect();
    keepBusy(bench);
    const { told, took } = ask(bench);
    await bench.cycles(() => told.length > 0);
    expect([told, bench.link.power]).toEqual([[''], 'holding']);
    expect(took()).toBeGreaterThan(5);
  });

  test('gets none after 15 s of a busy computer, which is named although a question of thirty was lost', async () => {
    const bench = await armOf(8);
    keepBusy(bench, 30);
    const { told, took } = ask(bench);
    await bench.cycles(() => told.length > 0);
    expect(told).toEqual([
      'its servos could not be checked within 15 s, although they answer: this computer is too busy, end other programs',
    ]);
    expect(took()).toBeCloseTo(15, 1);
    await staysLimp(bench);
  });
});

describe('torque that is asked for again', () => {
  test('while its check goes on is told to both', async () => {
    const bench = await BenchArm.limp();
    const [first, second] = [ask(bench), ask(bench)];
    await bench.cycles(() => second.told.length > 0);
    expect([first.told, second.told, bench.link.power]).toEqual([[''], [''], 'holding']);
  });

  test('while its check goes on is not given after it was switched off, which is told to both', async () => {
    const bench = await BenchArm.limp();
    disturb(bench, 3);
    const [first, second] = [ask(bench), ask(bench)];
    const until = bench.time.now + 0.1;
    await bench.cycles(() => bench.time.now > until);
    expect([bench.link.power, bench.link.settling]).toEqual(['arming', false]);
    bench.arm.setTorque(false);
    expect([first.told, second.told]).toEqual([
      ['torque has been switched off meanwhile'],
      ['torque has been switched off meanwhile'],
    ]);
    await staysLimp(bench);
  });

  test('while limp joints settle has the arm checked anew if a servo may have restarted, and is told to both at the end', async () => {
    const bench = await BenchArm.limp();
    const first = ask(bench);
    await bench.cycles(() => bench.link.settling);
    bench.bus.faults.dead.add(2);
    bench.run(0.1);
    bench.bus.faults.dead.clear();
    bench.servos[1]!.powerCycle();
    const second = ask(bench);
    await bench.cycles(() => {
      // Nobody is told success before torque is there.
      if (!bench.link.torque) expect([first.told, second.told]).toEqual([[], []]);
      return second.told.length > 0;
    });
    expect([first.told, second.told, bench.link.power]).toEqual([[''], [''], 'holding']);
    // It had come back with an open lock.
    expect(bench.servos[1]!.value('lock')).toBe(1);
  });
});

test('a limp servo whose homing somebody has changed gets no torque when it is asked for, and the arm is not moved', async () => {
  const bench = await BenchArm.limp();
  const outcomes: unknown[] = [];
  const homing = { offset: 0, operatingMode: 0, expected: true, sign: 1, zero: 2048 } as const;
  bench.link.calibrate([homing, homing], (outcome) => outcomes.push(outcome));
  await bench.cycles(() => outcomes.length > 0);
  bench.run(0.1);
  bench.servos[1]!.fault({ registers: { homing_offset: 300 } });
  const { told } = ask(bench);
  await bench.cycles(() => told.length > 0);
  expect(told).toEqual([expect.stringMatching(/^no torque: servo 2 \(joint 2\) has homing offset 300/)]);
  await staysLimp(bench);
  expect(bench.writes(TORQUE)).toEqual([]);
  expect(bench.writes(GOAL)).toEqual([]);
});

test('gains that were set for work stay when torque is switched off and on again, and end when the arm was away', async () => {
  const bench = await BenchArm.limp();
  const own = bench.servos.map((servo) => servo.value('p_coefficient'));
  bench.link.gains.work([0.5, 0.5]);
  await bench.hold();
  bench.run(0.5);
  const half = own.map((gain) => gain / 2);
  expect(bench.servos.map((servo) => servo.value('p_coefficient'))).toEqual(half);
  bench.arm.setTorque(false);
  bench.run(0.3);
  await bench.hold();
  expect(bench.servos.map((servo) => servo.value('p_coefficient'))).toEqual(half);
  bench.link.close('disconnected by a person');
  bench.cycle();
  bench.link.reopen();
  await bench.connect();
  bench.run(20 * PERIOD + 0.5);
  expect(bench.servos.map((servo) => servo.value('p_coefficient'))).toEqual(own);
});
