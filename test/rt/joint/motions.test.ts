import { beforeEach, describe, expect, test } from 'vitest';
import { VirtualTime } from '../../../explore/virtual-clock.ts';
import { RemoteLink } from '../../../src/rt/driver/remote-link.ts';
import { ArmController } from '../../../src/rt/joint/arm-controller.ts';
import { jointMasks } from '../../../src/rt/joint/joint-groups.ts';
import { StallGuard } from '../../../src/rt/joint/stall-guard.ts';
import { StateCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { SharedState, StopWord } from '../../../src/rt/snapshot/shared-snapshot.ts';
import { STS3215_MOTOR } from '../../../src/sim/sts3215-motor.ts';
import { BenchArm, benchModel, PERIOD } from '../support/bench-arm.ts';
import { Asking, Floating, moveTo } from '../support/sources.ts';

let bench: BenchArm;
beforeEach(async () => {
  // The second joint is the gripper.
  bench = await BenchArm.holding({
    model: { masks: jointMasks(2, 1), stall: [null, new StallGuard({ torque: 0.5, time: 0.3, hold: 0.3 })] },
  });
  bench.ended.length = 0;
});

const begin = (source: Parameters<typeof bench.arm.drive>[0], joints: 'all' | 'arm' | 'gripper'): number => {
  bench.arm.drive(source, { joints });
  return bench.arm.motion;
};

/** Which motions have ended since, and why. */
const ended = (): (string | number)[][] => bench.ended.splice(0).map(({ motion, reason }) => [motion, reason]);

describe('an arm and its gripper', () => {
  test('are driven side by side, each to its own end', () => {
    const far = begin(moveTo(1, 0), 'arm');
    const near = begin(moveTo(0, 0.2), 'gripper');
    expect(near).toBe(far + 1);
    bench.run(0.5);
    expect(ended()).toEqual([[near, 'done']]);
    expect(bench.arm.state).toBe(StateCode.moving);
    bench.run(1);
    expect(ended()).toEqual([[far, 'done']]);
    expect(bench.arm.state).toBe(StateCode.ready);
    expect(bench.angles[0]).toBeCloseTo(1, 1);
    expect(bench.angles[1]).toBeCloseTo(0.2, 1);
  });

  test('are each known by the number of their motion, until that is over', () => {
    const [one, other, next] = [moveTo(1, 0), moveTo(0, 1), moveTo(0, 0.5)];
    const arm = begin(one, 'arm');
    const claw = begin(other, 'gripper');
    const { motions } = bench.arm;
    expect([motions.sourceOf(arm), motions.sourceOf(claw), motions.sourceOf(claw + 1)]).toEqual([one, other, null]);
    // What drives the arm is told for both, and what drives the gripper where nothing drives the arm.
    expect(bench.arm.source).toBe(one);
    bench.arm.cancel(arm, 'cancelled');
    expect(bench.arm.source).toBe(other);
    expect([motions.sourceOf(arm), motions.sourceOf(claw)]).toEqual([null, other]);
    const last = begin(next, 'gripper');
    expect([motions.sourceOf(claw), motions.sourceOf(last)]).toEqual([null, next]);
  });

  test('give way to a new motion of the same joints, and of all', () => {
    const arm = begin(moveTo(1, 0), 'arm');
    const claw = begin(moveTo(0, 1), 'gripper');
    bench.run(0.1);
    const again = begin(moveTo(0.5, 0), 'arm');
    expect(ended()).toEqual([[arm, 'superseded']]);
    const other = begin(moveTo(0, 0.5), 'gripper');
    expect(ended()).toEqual([[claw, 'superseded']]);
    const both = begin(moveTo(0.2, 0.2), 'all');
    expect(ended()).toEqual([
      [again, 'superseded'],
      [other, 'superseded'],
    ]);
    bench.run(0.1);
    begin(moveTo(0, 0.5), 'gripper');
    expect(ended()).toEqual([[both, 'superseded']]);
  });

  test('that one motion has driven: the arm brakes and holds when its gripper is given to another', () => {
    begin(moveTo(1.5, 1.5), 'all');
    bench.run(0.5);
    const [before] = bench.angles;
    begin(moveTo(0, 0.2), 'gripper');
    let last = bench.arm.goals[0]!;
    bench.run(1, () => {
      // It comes to rest ahead, and goes back to nowhere.
      expect(bench.arm.goals[0]).toBeGreaterThan(last - 1e-3);
      last = Math.max(last, bench.arm.goals[0]!);
    });
    expect(bench.angles[0]).toBeGreaterThan(before!);
    expect(bench.angles[0]).toBeLessThan(before! + 0.4);
    expect(bench.angles[1]).toBeCloseTo(0.2, 1);
    const at = bench.arm.goals[0];
    bench.run(0.5);
    expect(bench.arm.goals[0]).toBeCloseTo(at!, 3);
  });

  test.each([
    ['arm', [1], [0]],
    ['gripper', [0], [1]],
    ['all', [], [0, 1]],
  ] as const)('are cancelled each by itself or together: %s', (what, goesOn, ends) => {
    const motions = [begin(moveTo(1.5, 0), 'arm'), begin(moveTo(0, 1.5), 'gripper')];
    bench.run(0.4);
    bench.arm.cancel(what, 'cancelled');
    expect(ended()).toEqual(ends.map((i) => [motions[i], 'cancelled']));
    bench.run(1.5);
    for (const i of goesOn) expect(bench.angles[i]).toBeCloseTo(1.5, 1);
    for (const i of ends) expect(bench.angles[i]).toBeLessThan(1);
  });

  test('are cancelled by the number of either motion', () => {
    const arm = begin(moveTo(1.5, 0), 'arm');
    const claw = begin(moveTo(0, 1.5), 'gripper');
    bench.run(0.4);
    bench.arm.cancel(claw, 'cancelled');
    expect(ended()).toEqual([[claw, 'cancelled']]);
    bench.run(0.6);
    expect(bench.angles[1]).toBeLessThan(1);
    expect(bench.arm.motions.sourceOf(arm)).not.toBeNull();
    bench.arm.cancel(arm, 'cancelled');
    expect(ended()).toEqual([[arm, 'cancelled']]);
  });

  test('are both stopped by a stop', () => {
    const motions = [begin(moveTo(1.5, 0), 'arm'), begin(moveTo(0, 1.5), 'gripper')];
    bench.run(0.4);
    bench.shared.latchStop(0, StopWord.asked);
    bench.run(1);
    expect(ended()).toEqual(motions.map((motion) => [motion, 'stopped']));
    for (const angle of bench.angles) expect(angle).toBeLessThan(1);
  });

  test('fail each by itself: one that something holds ends no motion of the other', () => {
    const arm = begin(moveTo(1.5, 0), 'arm');
    begin(moveTo(0, 0.5), 'gripper');
    bench.shafts[0]!.ceiling = 0.1;
    bench.run(1.5);
    const [failed] = bench.ended.filter(({ reason }) => reason === 'not_following');
    expect(failed).toMatchObject({ motion: arm });
    expect(failed!.text).toBe('something holds joint 1 back');
    expect(bench.angles[1]).toBeCloseTo(0.5, 1);
  });

  test('have speeds of their own', () => {
    const { speeds } = bench.arm.gate;
    bench.arm.drive(moveTo(1, 0), { joints: 'arm', speed: 0.5 });
    expect([...speeds.move]).toEqual([0.75, 1.5]);
    bench.arm.drive(moveTo(0, 1), { joints: 'gripper', speed: 0.1, top: 0.2 });
    expect(speeds.move[0]).toBe(0.75);
    expect(speeds.move[1]).toBeCloseTo(0.15);
    bench.arm.drive(moveTo(0, 1), { joints: 'gripper', top: 0.2 });
    expect([...speeds.move]).toEqual([0.75, 0.2]);
    bench.arm.drive(moveTo(0, 0));
    expect([...speeds.move]).toEqual([1.5, 1.5]);
  });

  test('that a hand leads together hold again, with all of their gains, once the gripper is given to another', () => {
    const led = begin(new Floating([1, 1], [0.5, 1]), 'all');
    bench.run(0.3);
    expect(bench.arm.state).toBe(StateCode.floating);
    begin(new Asking('mirror', [0, 0.3]), 'gripper');
    expect(ended()).toEqual([[led, 'superseded']]);
    bench.run(0.5);
    expect(bench.link.gains.restored).toBe(true);
    expect(bench.arm.state).not.toBe(StateCode.floating);
    expect(bench.angles[1]).toBeCloseTo(0.3, 1);
  });
});

describe('what lowers an arm', () => {
  test('is told for as long as it does, and that it was the last to drive it', () => {
    const { motions } = bench.arm;
    expect([motions.lowers, motions.lowered]).toEqual([false, false]);
    bench.arm.drive(moveTo(0.3, 0), { lowers: true });
    expect([motions.lowers, motions.lowered]).toEqual([true, true]);
    bench.run(1);
    expect([motions.lowers, motions.lowered]).toEqual([false, true]);
    bench.arm.drive(moveTo(0.2, 0));
    expect([motions.lowers, motions.lowered]).toEqual([false, false]);
  });
});

describe('the torque of a gripper', () => {
  /** Part of the full output that each servo keeps to, per mille. */
  const kept = (): number[] => {
    bench.run(0.3);
    return bench.servos.map((servo) => servo.value('torque_limit'));
  };

  test('is what it was last asked to squeeze with, whatever the arm does', () => {
    bench.arm.drive(moveTo(0, 0.2), { joints: 'gripper', gripperTorque: 1.2 });
    const [full, small] = kept();
    expect([full, small! < 500]).toEqual([1000, true]);
    bench.arm.drive(moveTo(0.1, 0), { joints: 'arm' });
    expect(kept()).toEqual([full, small]);
    bench.arm.drive(moveTo(0, 0.2), { gripperTorque: null });
    expect(kept()).toEqual([full, small]);
    bench.arm.drive(moveTo(0, 0.3), { gripperTorque: Number.POSITIVE_INFINITY });
    expect(kept()).toEqual([full, 1000]);
  });

  test('is its own again once it has been limp', async () => {
    const squeezed = (): number => {
      bench.shafts[1]!.ceiling = 0.1;
      bench.run(3);
      return STS3215_MOTOR.stiffness * (bench.arm.goals[1]! - bench.angles[1]!);
    };
    bench.arm.drive(moveTo(0, 0.5), { joints: 'gripper', gripperTorque: 0.15 });
    expect(squeezed()).toBeLessThan(0.2);
    bench.arm.setTorque(false);
    await bench.cycles(() => bench.arm.state === StateCode.connected);
    await bench.hold();
    bench.arm.drive(moveTo(0, 0.5), { joints: 'gripper' });
    expect(squeezed()).toBeGreaterThan(0.25);
  });
});

test('an arm of another machine is driven with its gripper, whose torque and gains are its owner’s affair', () => {
  const link = new RemoteLink(2, 'far');
  const time = new VirtualTime();
  const model = { ...benchModel([0, 0]), masks: jointMasks(2, 1) };
  const arm = new ArmController(0, model, link, new SharedState([2], time.lane('far')));
  const reasons: string[] = [];
  arm.motions.onEnd = (_, reason) => void reasons.push(reason);
  const run = (seconds: number): void => {
    for (const end = time.now + seconds; time.now < end; time.runSync(time.now + PERIOD)) {
      link.arrived(Float64Array.of(0, 0), null, null, time.now);
      link.begin(time.now);
      arm.step(time.now, PERIOD, 0);
    }
  };
  time.runSync(10);
  run(0.1);
  arm.drive(new Floating([1, 1]));
  run(0.1);
  arm.drive(moveTo(0, 0.3), { joints: 'gripper', gripperTorque: 0.2 });
  arm.drive(moveTo(0.3, 0), { joints: 'arm' });
  run(1);
  expect(reasons).toEqual(['superseded', 'done', 'done']);
  expect([...arm.goals].map((goal) => Math.round(10 * goal))).toEqual([3, 3]);
  link.told(false, '');
  run(0.1);
  expect(arm.state).toBe(StateCode.connected);
});
