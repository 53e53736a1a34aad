import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { FollowCode, StateCode } from '../../src/control/snapshot.ts';
import { Follow, RAMP_SPEED } from '../../src/mirror/follow.ts';
import { GoalWitness } from './support/goal-witness.ts';
import { PERIOD, VirtualArm } from './support/virtual-arm.ts';

const model = loadArmModel('so101');
const START = [0.2, -0.6, 0.6, 0.1, 0, 0.4];
/** How far the follower may be behind a hand that moves slowly, rad. */
const NEAR = 0.05;

let mj: MainModule;
let leader: VirtualArm;
let follower: VirtualArm;
let follow: Follow;
/** Watches the follower from the beginning of its mirroring on. */
let witness: GoalWitness | null = null;

function seconds(): number {
  return performance.now() / 1000;
}

beforeAll(async () => {
  mj = await loadMujoco();
});
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'], now: 0 });
  leader = new VirtualArm(mj, model, START, (time) => vi.advanceTimersByTime(time * 1000));
  await leader.connect();
  lead(0);
  leader.run(0.2);
  // Its time is the leader's.
  follower = new VirtualArm(mj, model, START, () => {});
  while (!follower.link.up) {
    follower.cycle();
    for (let i = 0; i < 50; i++) await Promise.resolve();
  }
  both(0.1);
  follower.runtime.setTorque(true);
  both(0.3);
  witness = new GoalWitness(follower);
  const over = (pick: (joint: (typeof model.joints)[number]) => number): Float64Array =>
    Float64Array.from(model.joints, (joint) => pick(joint) / joint.stiffness);
  const sampler = {
    get sampleTime() {
      return leader.link.up ? leader.link.sampleTime : 0;
    },
    sample: (out: Float64Array) => out.set(leader.link.positions),
  };
  const drive = {
    damping: over(({ damping }) => damping),
    inertia: over(({ inertia }) => inertia),
    friction: over(({ friction }) => friction),
    smooth: true,
  };
  const [velocity, mismatch] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const options = { lowPass: 0, deadBand: 0, velocity, mismatch, reapproach: true };
  follow = new Follow(sampler, drive, 'mirroring', seconds, options);
  follower.runtime.drive(follow);
  both(1.5);
  expect(follow.follow.code).toBe(FollowCode.following);
});
afterEach(() => {
  witness = null;
  leader.dispose();
  follower.dispose();
  vi.useRealTimers();
});

/** The hand holds the leader `offset` (rad) from the start in its first three joints. */
function lead(offset: number, duration = 0.05): void {
  const names = model.joints.map(({ name }) => name);
  leader.sim.hand(Object.fromEntries(names.map((name, j) => [name, START[j]! + (j < 3 ? offset : 0)])), duration);
}

/** Cycles of both arms. */
function both(time: number, each: (t: number) => void = () => {}): void {
  for (let i = 0; i < Math.round(time / PERIOD); i++) {
    each(i * PERIOD);
    follower.cycle();
    leader.cycle();
    witness?.look();
  }
}

/** The hand swings the leader; the follower is near it at the end. */
function swing(time: number, each: (t: number) => void = () => {}): void {
  both(time, (t) => {
    if (Math.round(t / PERIOD) % 10 === 0) lead(0.3 * Math.sin(2 * t));
    each(t);
  });
  lead(0, 0.5);
  both(1.5);
}

function apart(): number {
  const there = leader.truth().positions;
  return Math.max(...follower.truth().positions.map((angle, j) => Math.abs(angle - there[j]!)));
}

test.each([
  ['lost', 'loseRate'],
  ['corrupt', 'corruptRate'],
] as const)('with one reply in a hundred %s on both buses the follower goes on following', (_, fault) => {
  leader.sim.bus.faults[fault] = 0.01;
  follower.sim.bus.faults[fault] = 0.01;
  let held = 0;
  swing(6, () => {
    if (follow.follow.code === FollowCode.holding) held++;
  });
  for (const arm of [leader, follower]) arm.sim.bus.faults[fault] = 0;
  expect(held).toBe(0);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a leader that answers the same for ever is followed no further, and approached slowly when it goes on', () => {
  const { port } = leader;
  const answers = new Map<string, Uint8Array[]>();
  const { onBytes, lose } = port;
  let key = '';
  let frozen = false;
  port.onBytes = (bytes) => {
    answers.get(key)?.push(bytes.slice());
    onBytes(bytes);
  };
  port.lose = (bytes) => {
    key = bytes.toString();
    if (!frozen) answers.set(key, []);
    else for (const answer of answers.get(key) ?? []) onBytes(answer);
    return frozen || lose(bytes);
  };
  both(1);
  frozen = true;
  const before = follower.truth().positions;
  lead(0.4, 0.3);
  both(1);
  expect(Math.abs(leader.truth().positions[0]! - START[0]!)).toBeGreaterThan(0.35);
  expect(Math.max(...follower.truth().positions.map((angle, j) => Math.abs(angle - before[j]!)))).toBeLessThan(0.01);
  expect(follow.follow.code).toBe(FollowCode.following);

  frozen = false;
  both(0.3);
  for (const j of [0, 1, 2]) {
    expect(follower.truth().positions[j]! - before[j]!, `joint ${j}`).toBeLessThan(RAMP_SPEED * 0.3 + 0.01);
  }
  both(2);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a leader whose bus is silent for a while: the follower holds, and approaches again', () => {
  leader.port.lose = () => true;
  both(0.2);
  expect(follow.follow.code).toBe(FollowCode.holding);
  const held = follower.truth().positions;
  lead(0.3, 0.2);
  both(0.2);
  expect(Math.max(...follower.truth().positions.map((angle, j) => Math.abs(angle - held[j]!)))).toBeLessThan(0.01);
  leader.port.lose = () => false;
  both(2);
  expect(follow.follow.code).toBe(FollowCode.following);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a follower whose servos are silent for a while goes on from the last goals that it was sent', () => {
  const swinging = (t: number): void => {
    if (Math.round(t / PERIOD) % 10 === 0) lead(0.5 * Math.sin(5 * t));
  };
  both(1, swinging);
  // The writes arrive, as they do: it is the answers that are lost.
  const { onBytes } = follower.port;
  follower.port.onBytes = () => {};
  both(0.12, (t) => swinging(1 + t));
  follower.port.onBytes = onBytes;
  both(1, (t) => swinging(1.12 + t));
  lead(0, 0.5);
  both(1.5);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSteady();
});

test('a system clock that is set back and forth by an hour changes nothing', () => {
  swing(3, (t) => {
    if (Math.round(t / PERIOD) % 40 === 0) vi.setSystemTime(Date.now() + (t < 1.5 ? 3600e3 : -3600e3));
  });
  expect(follower.runtime.state).toBe(StateCode.mirroring);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});
