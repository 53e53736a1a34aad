import { expect, test } from 'vitest';
import type { FollowOptions } from '../../../src/rt/messages.ts';
import { FollowCode } from '../../../src/rt/snapshot/arm-fields.ts';
import { type Bounds, Follow, RAMP_SPEED, STALE } from '../../../src/rt/sources/follow.ts';
import { jointMaps, mapPositions, unmapPositions } from '../../../src/rt/sources/joint-map.ts';
import { SourceStatus } from '../../../src/rt/sources/setpoint-source.ts';

const DT = 0.005;

function setUp(target: (t: number) => number, options?: FollowOptions, bounds: Bounds | null = null) {
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
  const drive = { damping: none, inertia: none, friction: none, smooth: true };
  const follow = new Follow(sampler, drive, 'mirroring', () => now, options, STALE, bounds);
  const out = Float64Array.of(0);
  const withheld = new Uint8Array(1);
  follow.begin(out);
  const step = (): SourceStatus => {
    now += DT;
    return follow.next(now, DT, out, withheld);
  };
  return {
    follow,
    out,
    withheld,
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

test('while it approaches, a joint does not make up for goals that were withheld', () => {
  const { follow, out, withheld, step } = setUp(() => 1.2);
  let sent = 0;
  let cycles = 0;
  for (; follow.follow.code !== FollowCode.following; cycles++) {
    const last = out[0]!;
    withheld[0] = cycles % 5 === 0 ? 1 : 0;
    step();
    if (withheld[0] === 1) expect(out[0]).toBe(last);
    else sent++;
    if (Math.abs(out[0]! - 1.2) > 0.03) expect(out[0]! - last).toBeLessThanOrEqual(RAMP_SPEED * DT + 1e-12);
    expect(cycles).toBeLessThan(2000);
  }
  expect(sent * DT).toBeGreaterThan(1.1 / RAMP_SPEED);
});

test('while it approaches, a path does not run ahead of goals that are withheld again and again', () => {
  const { follow, out, withheld, step } = setUp(() => 1.2);
  let [goal, speed] = [0, 0];
  for (let k = 0; k < 200; k++) {
    withheld[0] = k % 10 === 0 ? 1 : 0;
    // The goal gains speed anew each time.
    if (withheld[0] === 1) [out[0], speed] = [goal, 0];
    step();
    speed = withheld[0] === 1 ? 0 : Math.min(speed + 6 * DT, (out[0]! - goal) / DT);
    goal += speed * DT;
    expect(out[0]! - goal).toBeLessThanOrEqual(10 * RAMP_SPEED * DT);
  }
  expect(follow.follow.code).toBe(FollowCode.ramping);
  expect(goal).toBeGreaterThan(0.1);
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

test('a joint of which no sample says anything stays where it was when it began', () => {
  const none = Float64Array.of(0, 0);
  const sampler = {
    sampleTime: 10,
    sample: (out: Float64Array) => {
      out[0] = 0.4;
    },
  };
  const drive = { damping: none, inertia: none, friction: none, smooth: true };
  const follow = new Follow(sampler, drive, 'moving', () => 10);
  const out = Float64Array.of(0.4, 0.7);
  follow.begin(out);
  for (let k = 0; k < 200; k++) follow.next(10, DT, out, new Uint8Array(2));
  expect(follow.follow.code).toBe(FollowCode.following);
  expect(out[0]).toBeCloseTo(0.4, 12);
  expect(out[1]).toBeCloseTo(0.7, 12);
});

test('samples that come less often than cycles are joined by lines, and the last one is reached', () => {
  const none = Float64Array.of(0);
  const drive = { damping: none, inertia: none, friction: none, smooth: false };
  let now = 10;
  const sampler = {
    sampleTime: 10,
    sample: (out: Float64Array) => {
      out[0] = Math.min(0.4, 0.4 * (sampler.sampleTime - 10));
    },
  };
  const follow = new Follow(sampler, drive, 'moving', () => now);
  const out = Float64Array.of(0);
  follow.begin(out);
  let last = 0;
  const steps: number[] = [];
  for (let k = 1; k < 320; k++) {
    now = 10 + k * DT;
    if (k % 4 === 0) sampler.sampleTime = now;
    follow.next(now, DT, out, new Uint8Array(1));
    if (k > 100 && now < 10.95) steps.push(out[0]! - last);
    last = out[0]!;
  }
  for (const step of steps) expect(step).toBeCloseTo(0.4 * DT, 6);
  expect(out[0]).toBeCloseTo(0.4, 9);
});

test.each([true, false, undefined])('it is as doubtful as its samples: %s', (doubtful) => {
  const none = Float64Array.of(0);
  const sampler = { sampleTime: 10, sample: () => {}, ...(doubtful === undefined ? {} : { doubtful }) };
  const drive = { damping: none, inertia: none, friction: none, smooth: true };
  expect(new Follow(sampler, drive, 'mirroring', () => 10).doubtful).toBe(doubtful === true);
});

test.each([1, 4])('a low-pass of %s Hz takes as long as its time constant for two thirds of a step', (lowPass) => {
  let target = 0;
  const options = { lowPass, deadBand: 0, velocity: 9, mismatch: 9, reapproach: false };
  const { follow, out, step } = setUp(() => target, options);
  while (follow.follow.code !== FollowCode.following) step();
  target = 0.1;
  // Besides, there is the smoothing of 37 ms.
  for (let time = 0; time < 1 / (2 * Math.PI * lowPass) + 0.0375; time += DT) step();
  expect(out[0]! / target).toBeGreaterThan(0.55);
  expect(out[0]! / target).toBeLessThan(0.75);
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
  expect(maps).toContainEqual(expect.objectContaining({ from: 1, scale: 0.5, offset: 0.1 }));
  expect(jointMaps(model, model, { knee: { scale: 1, offset: 0 } }, false)).toMatch(/"knee" is none of .*gripper/);
});

test('arms of different models are not paired where a joint has no role frame, and the joint is named', () => {
  const koch = { ...model, name: 'koch' };
  expect(jointMaps(model, koch, {}, false)).toMatch(/a so101 cannot lead a koch: joint shoulder_pan of the so101/);
  const framed = { ...koch, joints: koch.joints.map((joint) => ({ ...joint, roleFrame: { sign: 1, zero: 0 } })) };
  expect(jointMaps(framed, { ...model, name: 'other' }, {}, false)).toMatch(/joint shoulder_pan of the other/);
});

test('joints of different models are matched by role and angle, the gripper by its opening; one without partner holds', () => {
  const frames = [
    { sign: 1, zero: 0 },
    { sign: -1, zero: 1.5 },
    { sign: 1, zero: 0.2 },
  ];
  const leader = { ...model, joints: model.joints.map((joint, i) => ({ ...joint, roleFrame: frames[i] ?? null })) };
  const joint = (name: string, role: string, sign: number, zero: number) => ({ name, role, roleFrame: { sign, zero } });
  const follower = {
    name: 'long',
    joints: [
      joint('waist', 'shoulder_pan', 1, 0),
      joint('shoulder', 'shoulder_lift', 1, -0.5),
      joint('forearm', 'forearm_roll', 1, 0),
      { name: 'fingers', role: 'gripper', roleFrame: null },
    ],
    gripper: { index: 3, closed: 0.015, open: 0.037 },
  };
  const maps = jointMaps(leader, follower, { waist: { scale: 1, offset: 0, lower: -1, upper: 1 } }, false);
  if (typeof maps === 'string') throw new Error(maps);
  const out = Float64Array.of(9, 9, 9, 9);
  mapPositions(maps, Float64Array.of(1.4, 1.2, 0.7, 0.85), out);
  // Role angle of the lift: -(1.2 - 1.5) = 0.3, so the follower is 0.3 beyond its own zero.
  expect([...out].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([1, -0.2, 9, 0.026]);
  const back = Float64Array.of(0, 0, 0.7, 0);
  unmapPositions(maps, out, back);
  expect([...back].map((value) => Math.round(value * 1e9) / 1e9)).toEqual([1, 1.2, 0.7, 0.85]);
});

const PLAIN: FollowOptions = {
  lowPass: 0,
  deadBand: 0,
  velocity: Number.POSITIVE_INFINITY,
  mismatch: Number.POSITIVE_INFINITY,
  reapproach: true,
};

test('a leader that comes back too far away is refused where the pair says so', () => {
  let angle = 0;
  const { follow, out, step, silence } = setUp(() => angle, { ...PLAIN, mismatch: 0.2 });
  for (let i = 0; i < 400; i++) step();
  silence(true);
  while (step() !== SourceStatus.hold);
  angle = 0.19;
  silence(false);
  expect(step()).toBe(SourceStatus.running);
  silence(true);
  while (step() !== SourceStatus.hold);
  angle = 0.6;
  silence(false);
  const before = out[0]!;
  for (let i = 0; i < 10; i++) expect(step()).toBe(SourceStatus.hold);
  expect(follow.follow.code).toBe(FollowCode.refused);
  expect(out[0]).toBe(before);
});

test('a leader beyond the limit of its follower, which stands there, comes back where it was: it is followed on', () => {
  const bounds = { lower: Float64Array.of(-1), upper: Float64Array.of(0.3) };
  const { follow, out, step, silence } = setUp(() => 0.6, { ...PLAIN, mismatch: 0.2 }, bounds);
  /** A cycle, in which the gate holds the joint at its limit. */
  const gated = (): SourceStatus => {
    const status = step();
    out[0] = Math.min(out[0]!, 0.3);
    return status;
  };
  for (let i = 0; i < 400; i++) gated();
  silence(true);
  while (gated() !== SourceStatus.hold);
  silence(false);
  for (let i = 0; i < 10; i++) expect(gated()).toBe(SourceStatus.running);
  expect(follow.follow.code).not.toBe(FollowCode.refused);
});

test('the jump of a leader whose readings were frozen is a ramp, the quickest hand is none', () => {
  let frozen = false;
  let kept = 0;
  const hand = (t: number): number => 0.8 * Math.sin(3 * t);
  const { follow, out, step } = setUp((t) => {
    if (!frozen) kept = hand(t);
    return kept;
  }, PLAIN);
  for (let i = 0; i < 1000; i++) step();
  expect(follow.follow.code).toBe(FollowCode.following);
  frozen = true;
  for (let i = 0; i < 100; i++) step();
  expect(follow.follow.code).toBe(FollowCode.following);
  frozen = false;
  const before = out[0]!;
  step();
  expect(follow.follow.code).toBe(FollowCode.ramping);
  expect(Math.abs(out[0]! - before)).toBeLessThanOrEqual(RAMP_SPEED * DT + 1e-12);
});

test('the jump of a leader whose readings were frozen is a ramp for a joint that has caught up before the others too', () => {
  let now = 10;
  let first = 0;
  const sampler = {
    get sampleTime() {
      return now;
    },
    sample: (out: Float64Array) => {
      out.set([first, 1.5]);
    },
  };
  const none = new Float64Array(2);
  const drive = { damping: none, inertia: none, friction: none, smooth: true };
  const follow = new Follow(sampler, drive, 'mirroring', () => now, PLAIN);
  const out = new Float64Array(2);
  const withheld = new Uint8Array(2);
  follow.begin(out);
  const step = (): void => {
    now += DT;
    follow.next(now, DT, out, withheld);
  };
  // The first joint is where its leader is, and free of the ramp; the second one is half way.
  for (let i = 0; i < 250; i++) step();
  expect(follow.follow.code).toBe(FollowCode.ramping);
  first = 1;
  for (let i = 0; i < 50; i++) {
    const before = out[0]!;
    step();
    expect(out[0]! - before).toBeLessThanOrEqual(RAMP_SPEED * DT + 1e-12);
  }
});

test('goals for an arm of another bridge, which smooths them itself, are no later than the leader once they have caught up', () => {
  let now = 10;
  const lift = () => 0.5 * Math.sin(2 * (now - 10));
  const sampler = {
    get sampleTime() {
      return now;
    },
    sample: (out: Float64Array) => out.fill(lift()),
  };
  const none = new Float64Array(1);
  const drive = { damping: none, inertia: none, friction: none, smooth: false };
  const follow = new Follow(sampler, drive, 'mirroring', () => now, PLAIN);
  const out = new Float64Array(1);
  const withheld = new Uint8Array(1);
  follow.begin(out);
  for (let i = 0; i < 400; i++) {
    const before = out[0]!;
    const following = follow.follow.code === FollowCode.following;
    now += DT;
    follow.next(now, DT, out, withheld);
    if (following) expect(out[0]).toBeCloseTo(lift(), 12);
    // The leader moves at up to 1 rad/s, and the rest of the way is made up.
    expect(Math.abs(out[0]! - before)).toBeLessThan(2 * DT);
  }
  expect(follow.follow.code).toBe(FollowCode.following);
});

test('a pair may follow slowly, smoothly, and leave small movements out', () => {
  const still = setUp(() => 0.03, { ...PLAIN, deadBand: 0.05 });
  for (let i = 0; i < 1000; i++) still.step();
  expect(still.out[0]).toBe(0);
  const slow = setUp((t) => (t < 3 ? 0 : 0.03 * (t - 3) * 20), { ...PLAIN, velocity: 0.2 });
  let last = 0;
  for (let i = 0; i < 1000; i++) {
    slow.step();
    expect(slow.out[0]! - last).toBeLessThanOrEqual(0.2 * DT + 1e-12);
    last = slow.out[0]!;
  }
  const shaky = (options: FollowOptions): number => {
    const { out, step } = setUp((t) => 0.02 * Math.sin(2 * Math.PI * 8 * t), options);
    let most = 0;
    for (let i = 0; i < 1000; i++) {
      step();
      if (i > 600) most = Math.max(most, Math.abs(out[0]!));
    }
    return most;
  };
  // A first-order low-pass at 1 Hz leaves an eighth of 8 Hz.
  expect(shaky({ ...PLAIN, lowPass: 1 }) / shaky(PLAIN)).toBeCloseTo(1 / Math.hypot(1, 8), 1);
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
