import { describe, expect, test } from 'vitest';
import { StallGuard } from '../../../src/rt/joint/stall-guard.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { StopWord } from '../../../src/rt/snapshot/shared-snapshot.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';
import { STS3215 } from '../../../src/servo/feetech/sts3215.ts';
import { seededRandom } from '../../../src/sim/random.ts';
import { BenchArm, PERIOD } from '../support/bench-arm.ts';
import { Asking, Floating, moveTo } from '../support/sources.ts';

const STIFFNESS = 17.8;
/** What the STS3215 gives at most, Nm. */
const TORQUE = 2.94;
const GAIN = STS3215.registers.p_coefficient;

const near = (angles: ArrayLike<number>, wanted: readonly number[], band = 0.01): void => {
  for (const [j, angle] of wanted.entries()) expect(Math.abs(angles[j]! - angle), `joint ${j + 1}`).toBeLessThan(band);
};

/** Cycles until the motion has ended. @returns how long it has taken, s */
function untilEnded(bench: BenchArm, limit = 3): number {
  let passed = 0;
  for (; bench.ended.length === 0; passed += PERIOD) {
    if (passed > limit) throw new Error('it goes on');
    bench.cycle();
  }
  return passed;
}

describe('a move whose joint does not follow', () => {
  test('since something holds it ends soon, naming the joint, and what is left presses no harder', async () => {
    const bench = await BenchArm.holding();
    bench.shafts[1]!.ceiling = 0.1;
    bench.arm.drive(moveTo(0, 1));
    const passed = untilEnded(bench);
    expect(bench.ended[0]).toMatchObject({ reason: 'not_following' });
    expect(bench.ended[0]!.text).toMatch(
      /^joint 2 does not move, and its servo does not push|^something holds joint 2/,
    );
    expect(passed).toBeLessThan(0.6);
    expect(bench.arm.state).toBe(StateCode.ready);
    bench.run(0.5);
    expect(bench.arm.goals[1]).toBeLessThan(0.2);
  });

  test('since its load is too much is told so', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0] });
    bench.arm.drive(moveTo(0, 1));
    bench.run(0.2);
    bench.shafts[1]!.pull = -3.5;
    untilEnded(bench);
    expect(bench.ended[0]!.text).toMatch(/joint 2/);
    expect(bench.ended[0]!.reason).toBe('not_following');
  });

  test('since its servo takes no goals is told so', async () => {
    const bench = await BenchArm.holding();
    bench.servos[0]!.fault({ ignoresGoals: true });
    bench.arm.drive(moveTo(1, 0));
    untilEnded(bench);
    expect(bench.ended[0]!.text).toMatch(/^the servo of joint 1 does not take its goals/);
  });

  test('since its servo keeps back its torque is told so', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.5] });
    bench.servos[1]!.fault({ overload: true });
    bench.run(0.1);
    bench.arm.drive(moveTo(0, 1.2));
    untilEnded(bench);
    expect(bench.ended[0]!.text).toMatch(/joint 2 has raised an alarm/);
  });

  test('goes on when it follows, and so does one that carries a weight which nobody knows of', async () => {
    const bench = await BenchArm.holding();
    bench.shafts[1]!.pull = -0.5;
    bench.run(0.5);
    bench.arm.drive(moveTo(1, -1));
    untilEnded(bench);
    expect(bench.ended[0]!.reason).toBe('done');
    expect(Math.abs(bench.arm.deviations[0]!)).toBeLessThan(0.06);
  });

  test('is none of a joint that may press, and a stream may press too', async () => {
    const guard = new StallGuard({ torque: 1, time: 0.2, hold: 0.4 });
    const gripper = await BenchArm.holding({ model: { stall: [null, guard] } });
    gripper.shafts[1]!.ceiling = 0.1;
    gripper.arm.drive(moveTo(0, 1));
    untilEnded(gripper);
    expect(gripper.ended[0]!.reason).toBe('done');
    // It holds what it has gripped with the torque that it may have for good.
    gripper.run(1);
    expect((gripper.arm.goals[1]! - 0.1) * STIFFNESS).toBeCloseTo(0.4, 1);

    const stream = await BenchArm.holding();
    stream.shafts[1]!.ceiling = 0.05;
    stream.arm.drive(new Asking('mirror', [0, 0.2]));
    stream.run(0.4);
    expect(stream.ended).toEqual([]);
  });

  test('is not blamed on a servo that has not been sent its goals', async () => {
    const bench = await BenchArm.holding();
    bench.arm.drive(moveTo(1.5, 0));
    bench.run(0.1);
    // Servo 1 is not heard for a moment.
    bench.port.lose = (frame) => frame[4] === 0x82;
    bench.run(0.1);
    bench.port.lose = () => false;
    untilEnded(bench);
    expect(bench.ended[0]!.reason).toBe('done');
    expect(bench.largestStep).toBeLessThan(3 * PERIOD + 1e-9);
  });
});

test('a gripper that is drawn back on a bus that loses requests is not said to take no goals', async () => {
  for (const loss of [0.05, 0.2]) {
    for (let at = 0.1; at < 0.6; at += 0.025) {
      const guard = new StallGuard({ torque: 0.5, time: 0.5, hold: 0.3 });
      const bench = await BenchArm.holding({ model: { stall: [null, guard] } });
      bench.shafts[1]!.ceiling = at;
      const random = seededRandom(1 + Math.round(at * 1000));
      bench.port.lose = () => random() < loss;
      bench.arm.drive(moveTo(0, 1));
      untilEnded(bench, 6);
      expect(bench.ended, `loss ${loss}, object at ${at}`).toMatchObject([{ reason: 'done' }]);
    }
  }
});

test('a gripper whose servo takes no goals is told so a tenth of a second after its move should have ended', async () => {
  const guard = new StallGuard({ torque: 0.5, time: 0.5, hold: 0.3 });
  const bench = await BenchArm.holding({ model: { stall: [null, guard] } });
  bench.servos[1]!.fault({ ignoresGoals: true });
  bench.arm.drive(moveTo(0, 1));
  expect(untilEnded(bench)).toBeLessThan(1.15);
  expect(bench.ended[0]!.text).toMatch(/^the servo of joint 2 does not take its goals/);
});

describe('an arm that rests', () => {
  test('gives way where it presses, once, and holds on there', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.3] });
    const given: number[] = [];
    bench.arm.motions.onContactRelief = (joint) => given.push(joint);
    bench.shafts[0]!.ceiling = 0.05;
    const source = new Asking('mirror', [0.2, 0]);
    bench.arm.drive(source);
    bench.run(0.2);
    source.status = SourceStatus.done;
    untilEnded(bench);
    expect(bench.link.readings.efforts[0]).toBeGreaterThan(0.6 * TORQUE);
    bench.run(0.3);
    expect(given).toEqual([]);
    bench.run(2);
    expect(given).toEqual([0]);
    // Presses with 0.4 of its torque; the other joint stays.
    expect((bench.arm.goals[0]! - 0.05) * STIFFNESS).toBeCloseTo(0.4 * TORQUE, 1);
    near(bench.angles, [0.05, 0]);
    expect(bench.largestStep).toBeLessThan(3 * PERIOD);
    near(bench.arm.setpoints, [bench.arm.goals[0]!, bench.arm.goals[1]! - 0.3 / STIFFNESS], 1e-6);
    const kept = [...bench.arm.goals];
    bench.run(1);
    expect([...bench.arm.goals]).toEqual(kept);
    // A stop ends that, and begins nothing anew.
    bench.shared.latchStop(0, StopWord.asked);
    bench.run(0.2);
    near(bench.arm.goals, kept, 1e-6);
  });

  test('follower that presses yields while it is led', async () => {
    const bench = await BenchArm.holding();
    bench.shafts[0]!.floor = -0.05;
    bench.arm.drive(new Asking('mirror', [-0.2, 0]));
    bench.run(0.4);
    expect((bench.arm.goals[0]! + 0.05) * STIFFNESS).toBeLessThan(-0.6 * TORQUE);
    bench.run(1);
    expect((bench.arm.goals[0]! + 0.05) * STIFFNESS).toBeCloseTo(-0.4 * TORQUE, 1);
    expect(bench.ended).toEqual([]);
  });
});

describe('a follower that is led', () => {
  const led = async (weight: number): Promise<BenchArm> => {
    const bench = await BenchArm.holding({ weight: [0, weight] });
    bench.arm.drive(new Asking('mirror', [0, 0]));
    bench.run(0.5);
    return bench;
  };

  test('carries a payload that with its own weight takes more than it may press with, and goes on carrying it', async () => {
    const bench = await led(0.86);
    bench.shafts[1]!.pull = -1.9;
    bench.run(0.5);
    expect(bench.link.readings.efforts[1]).toBeGreaterThan(0.6 * TORQUE);
    bench.run(2);
    near(bench.angles, [0, -(1.9 - 0.86) / STIFFNESS]);
  });

  test('sinks slowly under a payload that takes more than it may press with, and does not fall', async () => {
    const bench = await led(0.4);
    bench.shafts[1]!.pull = -2.4;
    bench.run(0.5);
    for (let k = 0; k < 5; k++) {
      const before = bench.angles[1]!;
      bench.run(1);
      expect(before - bench.angles[1]!).toBeLessThan(0.11);
    }
    expect(bench.ended).toEqual([]);
    // Without the payload it goes back to its leader.
    bench.shafts[1]!.pull = -0.4;
    bench.run(1);
    near(bench.angles, [0, 0]);
  });
});

describe('a gripper whose move has ended on what it grips', () => {
  const HOLD = 0.4;
  /** The second joint closes to 1 rad on something at 0.1 rad. @param time after which it is drawn back, s */
  const gripping = async (time: number): Promise<BenchArm> => {
    const guard = new StallGuard({ torque: 1, time, hold: HOLD });
    const bench = await BenchArm.holding({ model: { stall: [null, guard] } });
    bench.shafts[1]!.ceiling = 0.1;
    bench.arm.drive(moveTo(0, 1));
    untilEnded(bench);
    return bench;
  };
  const pressed = (bench: BenchArm, at: number): number => (bench.arm.goals[1]! - at) * STIFFNESS;

  test.each([
    ['while it moved', 0.2],
    ['afterwards', 1.5],
  ])('and that was drawn back %s stays there when that is taken away', async (_, time) => {
    const bench = await gripping(time);
    bench.run(3);
    expect(pressed(bench, 0.1)).toBeCloseTo(HOLD, 1);
    near([bench.arm.setpoints[1]!], [bench.arm.goals[1]!], 1e-6);
    bench.shafts[1]!.ceiling = Number.POSITIVE_INFINITY;
    bench.run(3);
    expect(bench.angles[1]! - 0.1).toBeLessThan(HOLD / STIFFNESS + 0.005);
  });

  test.each([0.45, 0.55, 0.7])(
    'meets its goal halfway at most when what it grips, at %s rad, goes while it is drawn back',
    async (at) => {
      for (const after of [0, 0.05, 0.1, 0.15, 0.2, 0.4]) {
        const bench = await BenchArm.holding({
          model: { stall: [null, new StallGuard({ torque: 0.5, time: 0.5, hold: HOLD })] },
        });
        bench.shafts[1]!.ceiling = at;
        bench.arm.drive(moveTo(0, 1));
        untilEnded(bench);
        // Its move had ended before it had pressed for half a second.
        expect(bench.arm.goals[1]).toBeCloseTo(1, 6);
        for (let k = 0; bench.arm.goals[1]! > 1 - 1e-6; k++) {
          expect(k).toBeLessThan(1 / PERIOD);
          bench.cycle();
        }
        bench.run(after);
        let last = bench.arm.goals[1]!;
        const ahead = last - at;
        bench.shafts[1]!.ceiling = Number.POSITIVE_INFINITY;
        bench.run(2, () => {
          expect(bench.arm.goals[1]).toBeLessThanOrEqual(last);
          last = bench.arm.goals[1]!;
        });
        expect(bench.angles[1]! - at, `after ${after} s`).toBeLessThan(Math.max(ahead / 2, HOLD / STIFFNESS + 0.005));
        expect(bench.largestStep).toBeLessThan(3 * PERIOD + 1e-9);
      }
    },
  );

  test('on something soft is drawn back until it holds with little, and keeps hold of it', async () => {
    const bench = await BenchArm.holding({
      model: { stall: [null, new StallGuard({ torque: 0.5, time: 0.5, hold: 0.3 })] },
    });
    // A ball of 10 Nm/rad that begins at 0.3 rad.
    const press = (): number => 10 * Math.max(0, bench.angles[1]! - 0.3);
    const squeeze = (): void => {
      bench.shafts[1]!.pull = -press();
    };
    bench.arm.drive(new Asking('mirror', [0, 1]));
    bench.run(4, squeeze);
    expect(press()).toBeGreaterThan(0.15);
    expect(press()).toBeLessThan(0.5);
  });

  test('is drawn back also once the servo of another joint is lost', async () => {
    const bench = await BenchArm.holding({
      model: { stall: [null, new StallGuard({ torque: 0.5, time: 0.5, hold: HOLD })] },
    });
    bench.bus.faults.dead.add(1);
    bench.run(1);
    bench.shafts[1]!.ceiling = 0.1;
    bench.arm.drive(moveTo(0, 1));
    bench.run(2);
    expect(pressed(bench, 0.1)).toBeCloseTo(HOLD, 1);
  });

  test('gives way again to what opens it', async () => {
    const bench = await gripping(0.2);
    bench.run(0.5);
    bench.shafts[1]!.ceiling = -0.2;
    bench.run(2);
    expect(pressed(bench, -0.2)).toBeCloseTo(HOLD, 1);
    near([bench.arm.goals[0]!], [0], 1e-6);
  });
});

describe('a joint beyond its limits', () => {
  test.each([
    [2.2, 1],
    [-2.2, 1],
    [2.04, 0],
    [-2.04, 0],
  ])('at %s rad has its arm crawl: %s', async (angle, outside) => {
    const bench = await BenchArm.limp({ pose: [angle, 0] });
    expect([...bench.arm.outside]).toEqual([outside, 0]);
    // Of 1.5 and 3 rad/s, 0.3 are left.
    expect(bench.arm.pace('move', 1)).toBeCloseTo(outside === 1 ? 0.2 : 1, 9);
    expect(bench.arm.pace('mirror', 0.5)).toBeCloseTo(outside === 1 ? 0.1 : 0.5, 9);
    expect(bench.arm.pace('mirror', 0.05)).toBe(0.05);
    bench.shafts[0]!.angle = 0;
    bench.run(0.2);
    expect([bench.arm.outside[0], bench.arm.pace('move', 1)]).toEqual([0, 1]);
  });

  test('that its weight bends so far is within them', async () => {
    const bench = await BenchArm.holding({ pose: [0, 0], weight: [0, 1.2] });
    bench.arm.setTorque(false);
    bench.run(0.2);
    bench.shafts[1]!.angle = 2.09;
    bench.run(0.2);
    expect(bench.arm.outside[1]).toBe(0);
    bench.shafts[1]!.angle = 2.13;
    bench.run(0.2);
    expect(bench.arm.outside[1]).toBe(1);
  });

  test('is led back and no further out', async () => {
    const bench = await BenchArm.holding({ pose: [2.3, 0] });
    near(bench.angles, [2.3, 0]);
    bench.arm.drive(new Asking('mirror', [3, 0]));
    bench.run(1);
    near(bench.angles, [2, 0], 0.02);
  });
});

describe('an arm whose zero nobody has told', () => {
  test('crawls', async () => {
    const bench = await BenchArm.holding();
    bench.arm.calibrated = false;
    expect(bench.arm.pace('move', 1)).toBeCloseTo(0.2, 9);
    bench.arm.drive(new Asking('mirror', [1, 0]));
    bench.run(1);
    expect(bench.angles[0]).toBeLessThan(0.31);
    bench.arm.calibrated = true;
    bench.run(0.5);
    expect(bench.angles[0]).toBeGreaterThan(0.9);
  });
});

describe('the speeds that an arm may use', () => {
  test('are those of its move, until the next one', async () => {
    const bench = await BenchArm.holding();
    bench.arm.drive(new Asking('move', [2, 0]), { speed: 0.2, acceleration: 0.1 });
    bench.run(1);
    // 0.6 rad/s^2 and 0.3 rad/s.
    expect(bench.arm.gate.velocities[0]).toBeCloseTo(0.3, 6);
    expect(bench.angles[0]).toBeLessThan(0.24);
    bench.arm.drive(new Asking('move', [2, 0]));
    bench.run(0.5);
    expect(bench.arm.gate.velocities[0]).toBeCloseTo(1.5, 1);
  });

  test('of what follows are those that people have set, at once', async () => {
    const bench = await BenchArm.holding();
    bench.shared.limitSpeed(0, 0.1);
    bench.shared.limitAcceleration(0, 0.1);
    bench.arm.drive(new Asking('mirror', [2, 0]));
    bench.run(0.06);
    // 2.5 rad/s^2 for 0.06 s.
    expect(bench.arm.gate.velocities[0]).toBeCloseTo(0.15, 2);
    bench.run(0.5);
    expect(bench.arm.gate.velocities[0]).toBeCloseTo(0.3, 6);
    bench.shared.limitSpeed(0, 1);
    bench.shared.limitAcceleration(0, 1);
    bench.run(0.3);
    expect(bench.arm.gate.velocities[0]).toBeGreaterThan(2);
  });
});

describe('springs that become softer or harder', () => {
  test('go on pulling as they did: a joint that carries does not move', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.8] });
    bench.run(0.3);
    bench.link.gains.work([0.5, 0.5]);
    let furthest = 0;
    bench.run(1, () => {
      furthest = Math.max(furthest, Math.abs(bench.angles[1]!));
    });
    expect(bench.link.gain[1]).toBeCloseTo(0.5, 6);
    expect(furthest).toBeLessThan(0.01);
    expect(bench.arm.goals[1]).toBeCloseTo(0.8 / (STIFFNESS / 2), 2);
    near(bench.arm.setpoints, [0, 0], 0.005);
    // Their goals have come to it as fast as a joint may move, and no faster.
    expect(bench.largestStep).toBeLessThan(3 * PERIOD + 1e-9);
    bench.arm.drive(moveTo(0.3, 0.3));
    untilEnded(bench);
    bench.run(0.5);
    expect(bench.ended[0]!.reason).toBe('done');
    near(bench.angles, [0.3, 0.3]);
    expect(bench.writes(GAIN).length).toBeGreaterThan(3);
  });
});

describe('an arm that floats', () => {
  test('supports the part of its weight that is asked for, and pulls no harder than it may', async () => {
    const bench = await BenchArm.holding({ weight: [0, 0.6] });
    bench.arm.drive(new Floating([1, 0.5]));
    bench.run(PERIOD);
    // A hand holds it.
    bench.shafts[1]!.floor = bench.shafts[1]!.ceiling = bench.shafts[1]!.angle;
    bench.run(0.5);
    expect(bench.arm.goals[1]! - bench.link.readings.positions[1]!).toBeCloseTo(0.3 / STIFFNESS, 3);
  });

  test('lets go of the hand that feels something, though it ends while that fades', async () => {
    const bench = await BenchArm.holding();
    const floating = new Floating([1, 1]);
    floating.feedback = Float64Array.of(-1, 0);
    bench.arm.drive(floating);
    const shaft = bench.shafts[0]!;
    shaft.floor = shaft.ceiling = shaft.angle;
    bench.run(0.5);
    expect((bench.arm.goals[0]! - shaft.angle) * STIFFNESS).toBeCloseTo(-1, 2);
    floating.feedback = null;
    bench.run(PERIOD);
    bench.arm.cancel('all', 'cancelled');
    bench.run(0.1);
    expect((bench.arm.goals[0]! - shaft.angle) * STIFFNESS).toBeCloseTo(0, 2);
    expect(bench.largestStep).toBeLessThan(3 * PERIOD + 1e-9);
  });

  test('beyond its limits is pushed back with half of its torque at most', async () => {
    const bench = await BenchArm.holding();
    bench.arm.drive(new Floating([1, 1]));
    const shaft = bench.shafts[0]!;
    for (let k = 0; k < 600; k++) {
      shaft.angle = Math.min(2.5, shaft.angle + 0.006);
      shaft.floor = shaft.ceiling = shaft.angle;
      bench.cycle();
    }
    const pull = (bench.arm.goals[0]! - bench.link.readings.positions[0]!) * STIFFNESS;
    expect(pull).toBeCloseTo(-TORQUE / 2, 3);
  });
});
