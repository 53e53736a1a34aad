import { expect, test } from 'vitest';
import { FollowCode } from '../../src/control/snapshot.ts';
import { SourceStatus } from '../../src/control/source.ts';
import { Follow, RAMP_SPEED, STALE } from '../../src/mirror/follow.ts';
import { jointMaps } from '../../src/mirror/map.ts';

const DT = 0.005;

function setUp(target: (t: number) => number) {
  let now = 10;
  let fresh = true;
  let sampled = now;
  const sampler = {
    get sampleTime() {
      if (fresh) sampled = now;
      return sampled;
    },
    sample: (out: Float64Array) => {
      out[0] = target(now - 10);
    },
  };
  const none = new Float64Array(1);
  const drive = { damping: none, inertia: none, friction: none };
  const follow = new Follow(sampler, drive, 'mirroring', () => now);
  const out = Float64Array.of(0);
  follow.begin(out);
  const step = (): SourceStatus => {
    now += DT;
    return follow.next(now, DT, out);
  };
  return {
    follow,
    out,
    step,
    silence: (silent: boolean) => {
      fresh = !silent;
    },
  };
}

test('the start is a ramp, whatever the difference', () => {
  const { follow, out, step } = setUp(() => 1.2);
  let last = 0;
  let time = 0;
  while (follow.follow.code !== FollowCode.following) {
    step();
    time += DT;
    // The smoothing is 37 ms behind; nearer than that the lead is being let in.
    if (Math.abs(out[0]! - 1.2) > 0.03) expect(out[0]! - last).toBeLessThanOrEqual(RAMP_SPEED * DT + 1e-12);
    last = out[0]!;
    expect(time).toBeLessThan(10);
  }
  expect(time).toBeGreaterThan(1.1 / RAMP_SPEED);
  expect(out[0]).toBeCloseTo(1.2, 2);
});

test('a silent leader is followed no further, and its return is ramped again', () => {
  let jump = 0;
  const { follow, out, step, silence } = setUp(() => jump);
  for (let i = 0; i < 400; i++) step();
  expect(follow.follow.code).toBe(FollowCode.following);
  silence(true);
  let cycles = 0;
  while (step() !== SourceStatus.hold) cycles++;
  expect(cycles * DT).toBeCloseTo(STALE, 1);
  expect(follow.follow.code).toBe(FollowCode.holding);
  jump = 1;
  silence(false);
  const before = out[0]!;
  expect(step()).toBe(SourceStatus.running);
  expect(out[0]! - before).toBeLessThanOrEqual(RAMP_SPEED * DT + 1e-12);
  expect(follow.follow.code).toBe(FollowCode.ramping);
});

const model = {
  name: 'so101',
  joints: [
    { name: 'shoulder_pan', role: 'shoulder_pan' },
    { name: 'shoulder_lift', role: 'shoulder_lift' },
    { name: 'wrist_roll', role: 'wrist_roll' },
    { name: 'gripper', role: 'gripper' },
  ],
  gripper: { index: 3, closed: 0, open: 1.7 },
};

test('inverted controls mirror left and right: base and roll turn the other way, the rest does not', () => {
  const maps = jointMaps(model, model, {}, true);
  expect(typeof maps === 'string' ? maps : maps.map((map) => map.scale)).toEqual([-1, 1, -1, 1]);
});

test('a pair takes scale and offset from the configuration and refuses joints that it has not', () => {
  const maps = jointMaps(model, model, { shoulder_lift: { scale: 0.5, offset: 0.1 } }, false);
  expect(maps).toContainEqual({ from: 1, scale: 0.5, offset: 0.1 });
  expect(jointMaps(model, model, { knee: { scale: 1, offset: 0 } }, false)).toMatch(/"knee" is none of .*gripper/);
});

test('arms of different models are not paired', () => {
  expect(jointMaps(model, { ...model, name: 'koch' }, {}, false)).toMatch(/a so101 cannot lead a koch/);
});

test('a leader that never rests is caught up with, joint by joint, also after a gap', () => {
  const { follow, step, silence } = setUp((t) => 0.75 * Math.sin(2.2 * t));
  const catchUp = (): number => {
    let time = 0;
    while (follow.follow.code !== FollowCode.following) {
      step();
      time += DT;
      expect(time).toBeLessThan(6);
    }
    return time;
  };
  catchUp();
  silence(true);
  while (step() !== SourceStatus.hold);
  silence(false);
  step();
  expect(catchUp()).toBeLessThan(4);
});
