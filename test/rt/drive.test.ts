import { beforeEach, describe, expect, test } from 'vitest';
import type { CommandResult, SourceSpec } from '../../src/rt/messages.ts';
import { at, ControlBench, setupOf, trajectory } from './support/control-bench.ts';

const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';

/** Poses at times of their own: one row of the joints `turn` and `tilt` for each. */
const poses = (times: readonly number[], ...positions: readonly number[]) =>
  ({ kind: 'waypoints', times: at(...times), positions: at(...positions), velocities: null }) satisfies SourceSpec;

let bench: ControlBench;
beforeEach(async () => {
  bench = await ControlBench.connected();
  await bench.torque(true);
});

describe('a plan that comes in pieces', () => {
  const extend = (motion: number, times: readonly number[], positions: readonly number[], last = false) =>
    bench.ask({ kind: 'extend', arm: 0, motion, times: at(...times), positions: at(...positions), last });

  test('is driven to its last pose, whichever piece that comes with', async () => {
    const { motion } = (await bench.drive({ ...poses([0.5], 0.2, 0), duration: 2 })) as CommandResult;
    expect(await extend(motion, [1, 1.5], [0.4, 0, 0.5, 0.1])).toEqual({ motion, duration: 0 });
    await bench.pass(0.7);
    expect(await extend(motion, [2], [0.5, 0.2], true)).toEqual({ motion, duration: 0 });
    await bench.pass(1.8);
    expect(bench.ended).toMatchObject([{ motion, reason: 'done' }]);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.5, 1);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.2, 1);
  });

  test('takes no pose that is out of reach or too fast for the arm, and says which', async () => {
    const { motion } = (await bench.drive({ ...poses([0.5], 0.2, 0), duration: 4 })) as CommandResult;
    expect(await extend(motion, [3], [0.2, 2.5])).toBe(
      'tilt would go to 2.500 rad in waypoint 1 of 1, its limits are -2.000 to 2.000 rad',
    );
    expect(await extend(motion, [3], [-2.5, 0])).toMatch(/^turn would go to -2\.500 rad/);
    expect(await extend(motion, [1], [1.7, 0])).toMatch(/^turn would need 3\.000 rad\/s .* its limit is 1\.500 rad\/s/);
    // What has been refused has changed nothing.
    expect(await extend(motion, [1], [0.3, 0], true)).toEqual({ motion, duration: 0 });
  });

  test('takes nothing more once it is over, and no other motion takes its poses', async () => {
    const { motion } = (await bench.drive({ ...poses([0.5], 0.2, 0), duration: 4 })) as CommandResult;
    const next = (await bench.drive(trajectory(0.3, 0))) as CommandResult;
    expect(await extend(motion, [1], [0.3, 0])).toBe(OVER);
    expect(await extend(next.motion, [1], [0.3, 0])).toBe(OVER);
  });
});

describe('joints that are driven by themselves', () => {
  test('take as long as their own way, wherever the goal has the others', async () => {
    const both = await bench.duration(trajectory(1.5, 0.2));
    const alone = await bench.duration(trajectory(1.5, 0.2), 'gripper');
    expect(alone).toBeGreaterThan(0);
    expect(alone).toBeLessThan(both / 2);
    expect(await bench.duration(trajectory(Number.NaN, 0.2), 'gripper')).toBeGreaterThan(0);
    expect(await bench.drive(trajectory(0.2, Number.NaN), 0, undefined, 'gripper')).toBe(
      'a goal position is no number',
    );
    await bench.pass(1);
    expect(bench.shafts.map(({ angle }) => Math.abs(angle) > 0.1)).toEqual([false, true]);
  });

  test('pass the poses of a plan that the others could not', async () => {
    const beyond = {
      ...poses([0.5, 1], 9, 0.1, 9, 0.2),
      velocities: at(5, 0.2, 5, 0),
      accelerations: at(90, 0, 90, 0),
    };
    expect(await bench.drive(beyond)).toMatch(/^turn/);
    expect(await bench.drive(beyond, 0, undefined, 'arm')).toMatch(/^turn/);
    expect(await bench.duration(beyond, 'gripper')).toBe(1);
    await bench.pass(1.2);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.2, 1);
    // Their own speeds and accelerations count as ever, and need not be given.
    const { motion } = bench.own;
    expect(await bench.drive({ ...beyond, velocities: at(0, 0, 0, 0.5) }, 0, undefined, 'gripper')).toMatch(/^tilt/);
    expect(await bench.drive({ ...beyond, accelerations: at(0, 0, 0, 90) }, 0, undefined, 'gripper')).toMatch(/^tilt/);
    expect(bench.own.motion).toBe(motion);
    expect(await bench.duration(poses([0.5], 9, 0), 'gripper')).toBe(0.5);
  });

  test('follow the setpoints that are meant for them', async () => {
    await bench.drive({ kind: 'stream', timeout: 0.3 }, 0, undefined, 'gripper');
    for (let k = 0; k < 15; k++) {
      bench.sample({ kind: 'setpoints', arm: 0, group: 'arm', positions: at(-0.3, -0.3) });
      bench.sample({ kind: 'setpoints', arm: 0, group: 'gripper', positions: at(0.3, 0.3) });
      await bench.pass(0.05);
    }
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    expect(bench.shafts[1]!.angle).toBeCloseTo(0.3, 1);
  });
});

describe('the speed of a motion', () => {
  test('is no more than was asked for or than people allow, even where a joint has fallen behind', async () => {
    const { speeds } = bench.own.gate;
    await bench.drive({ kind: 'trajectory', goal: at(0.5, 0.5), speed: 0.2 });
    expect([...speeds.move]).toEqual([0.2, 0.2]);
    await bench.drive(trajectory(0.5, 0.5));
    expect([...speeds.move]).toEqual([1.5, 1.5]);
    bench.shared.limitSpeed(0, 0.1);
    await bench.drive(trajectory(0.5, 0.5), 0, undefined, 'gripper');
    expect(speeds.move[0]).toBe(1.5);
    expect(speeds.move[1]).toBeCloseTo(0.15);
  });

  test('of a plan that is faster than people allow is refused: it cannot come late', async () => {
    bench.shared.limitSpeed(0, 0.1);
    expect(await bench.drive(poses([1], 0.3, 0))).toMatch(
      /^turn would need 0\.300 rad\/s .* its limit is 0\.150 rad\/s/,
    );
    expect(await bench.duration(poses([3], 0.3, 0))).toBe(3);
  });

  test('is gained gently where people want that', async () => {
    const hasty = await bench.duration(trajectory(0.4, 0));
    await bench.ask({ kind: 'cancel', arm: 0, what: 'all' });
    await bench.pass(0.5);
    bench.shared.limitAcceleration(0, 0.05);
    expect(await bench.duration(trajectory(0.4, 0))).toBeGreaterThan(2 * hasty);
    await bench.ask({ kind: 'cancel', arm: 0, what: 'all' });
    await bench.drive({ kind: 'jog', timeout: 0.5 });
    for (let k = 0; k < 10; k++) {
      bench.sample({ kind: 'jog', arm: 0, group: 'arm', velocity: { kind: 'joints', velocities: at(1, 0) } });
      await bench.pass(0.05);
    }
    // 0.3 rad/s^2 for half a second.
    expect(bench.own.goals[0]).toBeGreaterThan(0.02);
    expect(bench.own.goals[0]).toBeLessThan(0.05);
  });

  test('is gained as ever by a plan, which cannot come late, and by what has a speed of its own', async () => {
    const slow: SourceSpec = { kind: 'trajectory', goal: at(0.4, 0), speed: 0.2 };
    const before = await bench.duration(slow);
    await bench.ask({ kind: 'cancel', arm: 0, what: 'all' });
    await bench.pass(0.5);
    bench.shared.limitAcceleration(0, 0.05);
    expect(await bench.duration(slow)).toBeCloseTo(before, 1);
    await bench.ask({ kind: 'cancel', arm: 0, what: 'all' });
    await bench.pass(0.5);
    await bench.drive(poses([0.4, 0.8], 0.2, 0, 0.4, 0));
    await bench.pass(0.4);
    expect(bench.own.goals[0]).toBeCloseTo(0.2, 1);
  });

  test('of a gripper is gained gently while the arm moves, too', async () => {
    bench.shared.limitAcceleration(0, 0.05);
    const gentle = await bench.duration(trajectory(0, 0.3), 'gripper');
    await bench.ask({ kind: 'cancel', arm: 0, what: 'all' });
    await bench.pass(0.5);
    await bench.drive(trajectory(1, 0), 0, undefined, 'arm');
    await bench.pass(0.3);
    expect(await bench.duration(trajectory(0, 0.3), 'gripper')).toBeCloseTo(gentle, 1);
  });
});

describe('an arm whose servo fails', () => {
  test.each([
    ['goes on where it is lowered', true, []],
    ['is stopped where it is not', undefined, ['stopped']],
    ['is stopped where it is said not to be', false, ['stopped']],
  ])('%s', async (_, lowering, reasons) => {
    await bench.drive(trajectory(1, 0), 0, lowering);
    await bench.pass(0.1);
    bench.servos[1]!.fault({ heat: 69 });
    await bench.until(() => bench.own.link.fault !== '');
    await bench.pass(0.05);
    expect(bench.ended.map(({ reason }) => reason)).toEqual(reasons);
  });
});

describe('the torque of a gripper', () => {
  /** Part of the full output that its servo keeps to, per mille. */
  const grip = async (): Promise<number> => {
    await bench.pass(0.3);
    return bench.servos[1]!.value('torque_limit');
  };
  const squeeze = async (): Promise<void> => {
    await bench.drive({ ...trajectory(0, 0.2), gripperTorque: 1.2 } as SourceSpec, 0, undefined, 'gripper');
    await bench.pass(0.5);
    expect(await grip()).toBeLessThan(500);
  };

  test('stays what it is while the gripper is asked for nothing else', async () => {
    await squeeze();
    const small = await grip();
    await bench.drive(trajectory(0.1, 0.2));
    expect(await grip()).toBe(small);
    await bench.pass(0.5);
    await bench.drive(poses([0.4, 0.8], 0.2, 0.2, 0.1, 0.2));
    expect(await grip()).toBe(small);
    await bench.pass(0.8);
    await bench.drive({ kind: 'jog', timeout: 0.2 }, 0, undefined, 'arm');
    expect(await grip()).toBe(small);
    await bench.drive(trajectory(0.1, 0.6), 0, undefined, 'arm');
    expect(await grip()).toBe(small);
  });

  test.each([
    ['a goal elsewhere', trajectory(0, 0.3)],
    ['a goal on the other side', trajectory(0, -0.2)],
    ['a plan that moves it in the end', poses([0.5, 1], 0, 0.2, 0, 0.3)],
    ['a plan that moves it for a while', poses([0.5, 1, 1.5], 0, 0.2, 0, 0.3, 0, 0.2)],
    ['a plan of which more is to come', { ...poses([0.5, 1], 0, 0.2, 0, 0.2), duration: 3 }],
    ['a stream', { kind: 'stream', timeout: 0.3 }],
  ] as [string, SourceSpec][])('is its own again for %s', async (_, source) => {
    await squeeze();
    expect(await bench.drive(source)).toBeTypeOf('object');
    expect(await grip()).toBe(1000);
  });

  test('is nothing that an arm without one has: what is asked for is left alone', async () => {
    const bare = { ...setupOf('third', 'remote'), gripper: null };
    const memory = bench.shared.add(2);
    await bench.ask({ kind: 'add', arm: 2, setup: bare, shared: memory });
    bench.sample({ kind: 'state', arm: 2, positions: at(0, 0), velocities: null, efforts: null });
    await bench.pass(0.02);
    expect(await bench.drive({ ...trajectory(0, 0.2), gripperTorque: 0.3 } as SourceSpec, 2)).toBeTypeOf('object');
  });
});

test('a joint beyond its limits comes back or stays by a plan, and goes no further', async () => {
  const beyond = await ControlBench.connected({ pose: [-2.1, 2.1] });
  await beyond.torque(true);
  expect(beyond.own.link.readings.positions[0]).toBeCloseTo(-2.1, 2);
  expect(await beyond.drive(poses([2], -2.2, 2.1))).toMatch(/^turn would go to -2\.200 rad/);
  expect(await beyond.drive(poses([2], -2.1, 2.2))).toMatch(/^tilt would go to 2\.200 rad/);
  expect(await beyond.drive(poses([2], -2.1, 2.1))).toMatchObject({ duration: 2 });
  expect(await beyond.drive(poses([2], -2.08, 2.08))).toMatchObject({ duration: 2 });
});
