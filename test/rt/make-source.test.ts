import { beforeEach, describe, expect, test } from 'vitest';
import type { ArmSetup, CommandResult, SourceSpec } from '../../src/rt/messages.ts';
import { FollowCode, StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { at, ControlBench } from './support/control-bench.ts';

const OVER = 'what asked for it is over: the arm has been stopped, released or given to somebody else since';

let bench: ControlBench;
beforeEach(async () => {
  bench = await ControlBench.connected();
  await bench.torque(true);
});

/** Streams setpoints for `seconds`, one for each moment (s). @param rate of them, Hz */
async function stream(seconds: number, turn: (time: number) => number, arm = 0, rate = 200): Promise<void> {
  const each = Math.round(200 / rate);
  for (let k = 0; k < 200 * seconds; k++) {
    if (k % each === 0)
      bench.sample({ kind: 'setpoints', arm, group: 'arm', positions: at(turn(k / 200), Number.NaN) });
    await bench.pass(0.005);
  }
}

describe('chunks of motion', () => {
  /** From where the arm is, `turn` moves to an angle within a time, s. */
  const chunk = (from: number, to: number, time: number) => {
    const { now } = bench.time;
    return { times: at(now, now + time), positions: at(from, 0, to, 0), velocities: at(0, 0, 0, 0), blend: 0.1 };
  };

  test('are followed from one to the next, until none comes', async () => {
    const { motion, duration } = (await bench.drive({ kind: 'chunks', first: chunk(0, 0.3, 0.5) })) as CommandResult;
    expect(duration).toBe(0);
    await bench.pass(0.7);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.3, 1);
    expect(await bench.ask({ kind: 'chunk', arm: 0, motion, path: chunk(0.3, 0.5, 0.3) })).toEqual({
      ...{ motion, duration: 0 },
    });
    await bench.pass(0.6);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.5, 1);
    const wrong = { ...chunk(0.5, 0.2, 0.3), positions: at(0.5) };
    expect(await bench.ask({ kind: 'chunk', arm: 0, motion, path: wrong })).toMatch(/a number for each joint/);
    await bench.pass(1);
    expect(bench.ended).toMatchObject([{ motion, reason: 'done' }]);
    expect(await bench.ask({ kind: 'chunk', arm: 0, motion, path: chunk(0.5, 0.2, 0.3) })).toBe(OVER);
  });

  test('are approached within the speed that people allow', async () => {
    bench.shared.limitSpeed(0, 0.1);
    await bench.drive({ kind: 'chunks', first: chunk(0.4, 0.4, 0.2) });
    await bench.pass(1);
    expect(bench.shafts[0]!.angle).toBeLessThan(0.2);
  });
});

describe('setpoints that jump', () => {
  const jump = async (spec: SourceSpec): Promise<number> => {
    await bench.drive(spec);
    await stream(1.2, () => 0);
    const before = bench.own.goals[0]!;
    await stream(0.25, () => 0.6);
    return bench.own.goals[0]! - before;
  };

  test('are followed at once, unless they are to be approached', async () => {
    expect(await jump({ kind: 'stream', timeout: 0.2 })).toBeGreaterThan(0.4);
    await stream(1.2, () => 0);
    expect(await jump({ kind: 'stream', timeout: 0.2, reapproach: true })).toBeLessThan(0.2);
  });
});

describe('a stream of setpoints', () => {
  /** How far a joint is behind setpoints that go at 0.8 rad/s, s. */
  const lag = async (rate: number): Promise<number> => {
    await bench.drive({ kind: 'stream', timeout: 0.2 });
    await stream(1, () => 0, 0, rate);
    await stream(0.8, (time) => 0.8 * time, 0, rate);
    return 0.8 - bench.shafts[0]!.angle / 0.8;
  };
  const soften = async (): Promise<void> => {
    await bench.ask({ kind: 'work_gains', arm: 0, parts: at(0.5, 0.5) });
    await bench.pass(1.5);
    expect(bench.own.link.gain[0]).toBeCloseTo(0.5, 1);
  };

  test.each([
    [200, 'all', async () => {}],
    [100, 'all', async () => {}],
    [50, 'all', async () => {}],
    [30, 'all', async () => {}],
    [200, 'half', soften],
    [100, 'half', soften],
    [50, 'half', soften],
    [30, 'half', soften],
  ] as const)(
    'at %i Hz is followed no later than its smoothing and one interval, with %s of the gain',
    async (rate, _, prepare) => {
      await prepare();
      const late = await lag(rate);
      expect(late).toBeGreaterThan(0.037);
      // The lead makes up for most of what the drive itself costs.
      expect(late).toBeLessThan(0.037 + 1 / rate + 0.02);
    },
  );
});

test('an arm of another machine is told what is wanted: its owner smooths it, and leads its joints', async () => {
  const stiffly = (arm: ArmSetup): ArmSetup => ({
    ...arm,
    joints: arm.joints.map((joint) => ({ ...joint, damping: 10 * joint.damping })),
  });
  bench = await ControlBench.connected({ setup: stiffly });
  await bench.drive({ kind: 'stream', timeout: 0.2 }, 1);
  await stream(0.8, () => 0.5, 1);
  await stream(0.5, (time) => 0.5 + 0.4 * time, 1);
  expect(bench.far.goals[0]).toBeCloseTo(0.5 + 0.4 * 0.5, 2);
});

describe('a follower', () => {
  const maps = [0, 1].map((from) => ({ from, scale: 1, offset: 0, lower: -2, upper: 2 }));
  const options = { lowPass: 0, deadBand: 0, velocity: 3, mismatch: 0.3, reapproach: false };
  const mirror = (feedback = 0): SourceSpec => ({
    ...{ kind: 'mirror', leader: 1, maps, options, feedback: { arm: feedback, gripper: feedback } },
  });

  test('holds while its leader is away, and does not follow one that is elsewhere by then', async () => {
    await bench.drive(mirror());
    await bench.pass(2);
    expect(bench.own.source!.follow!.code).toBe(FollowCode.following);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.5, 1);
    bench.telling = false;
    await bench.ask({ kind: 'disconnect', arm: 1, reason: 'taken off' });
    await bench.pass(0.05);
    expect(bench.own.source!.follow!.code).toBe(FollowCode.holding);
    await bench.ask({ kind: 'connect', arm: 1 });
    for (let k = 0; k < 20; k++) {
      bench.sample({ kind: 'state', arm: 1, positions: at(-0.5, -0.5), velocities: null, efforts: null });
      await bench.pass(0.02);
    }
    expect(bench.own.source!.follow!.code).toBe(FollowCode.refused);
    expect(bench.shafts[0]!.angle).toBeCloseTo(0.5, 1);
  });

  test('crawls while nobody knows where its leader is', async () => {
    bench.far.calibrated = false;
    await bench.drive(mirror());
    await bench.pass(0.5);
    const { speeds } = bench.own.gate;
    expect(Math.max(...speeds.mirror)).toBeLessThan(0.5);
    bench.far.calibrated = true;
    await bench.pass(0.01);
    expect([...speeds.mirror]).toEqual([3, 3]);
  });
});

describe('an arm in a hand', () => {
  const float = (gains: Float64Array | null): SourceSpec => ({ kind: 'float', support: at(1, 1), fade: 0, gains });

  test('feels its followers, unless it is only to be taken by the hand before it is limp', async () => {
    await bench.drive(float(null));
    expect([bench.own.state, bench.own.feels]).toEqual([StateCode.floating, false]);
    await bench.drive(float(at(0.5, 0.5)));
    expect([bench.own.state, bench.own.feels]).toEqual([StateCode.floating, true]);
  });

  test('is not driven by what pushes its follower, which is told: no hand holds it', async () => {
    const maps = [0, 1].map((from) => ({ from, scale: 1, offset: 0, lower: -2, upper: 2 }));
    const options = { lowPass: 0, deadBand: 0, velocity: 3, mismatch: 9, reapproach: false };
    await bench.drive({ kind: 'mirror', leader: 0, maps, options, feedback: { arm: 0, gripper: 0 } }, 1);
    await bench.drive(float(at(0.5, 0.5)));
    const push = async (seconds: number): Promise<void> => {
      for (let k = 0; k < 50 * seconds; k++) {
        bench.sample({ kind: 'external', arm: 1, torques: at(0.8, 0) });
        await bench.pass(0.02);
      }
    };
    await push(2);
    // Nothing of it is to be felt.
    expect(bench.shafts[0]!.angle).toBeCloseTo(0, 2);
    bench.sample({ kind: 'feedback', arm: 1, feedback: { arm: 1, gripper: 0 } });
    await push(2);
    expect(bench.warnings).toEqual(['force feedback would have moved turn by itself: it is felt less while it would']);
  });
});
