import loadMujoco, { type MainModule } from '@mujoco/mujoco';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { loadArmModel } from '../../src/arm/model.ts';
import { systemClock } from '../../src/clock.ts';
import { FollowCode, StateCode } from '../../src/rt/snapshot/arm-fields.ts';
import { Follow, RAMP_SPEED } from '../../src/rt/sources/follow.ts';
import { Trajectory } from '../../src/rt/sources/trajectory.ts';
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
  return systemClock.now();
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
  await follower.cycles(() => follower.link.up);
  both(0.1);
  follower.runtime.setTorque(true);
  while (!follower.runtime.holding) {
    both(PERIOD);
    for (let i = 0; i < 50; i++) await Promise.resolve();
  }
  both(0.2);
  witness = new GoalWitness(follower);
  mirror();
  both(1.5);
  expect(follow.follow.code).toBe(FollowCode.following);
});
afterEach(() => {
  witness = null;
  leader.dispose();
  follower.dispose();
  vi.useRealTimers();
});

/** The follower follows its leader from now on. */
function mirror(): void {
  const over = (pick: (joint: (typeof model.joints)[number]) => number): Float64Array =>
    Float64Array.from(model.joints, (joint) => pick(joint) / joint.stiffness);
  const sampler = {
    get sampleTime() {
      return leader.link.up ? leader.link.readings.sampleTime : 0;
    },
    sample: (out: Float64Array) => out.set(leader.link.readings.positions),
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
}

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

/** Cycles of both until both are connected: the check of servos takes promises. */
async function connected(): Promise<void> {
  do {
    both(PERIOD);
    for (let i = 0; i < 50; i++) await Promise.resolve();
  } while (!leader.link.up || !follower.link.up);
  both(0.05);
}

/** Joints of the follower move no further than this while it holds, rad. */
function expectUnmoved(before: readonly number[], ailing: number | null = null): void {
  for (const [j, angle] of follower.truth().positions.entries()) {
    if (j !== ailing) expect(Math.abs(angle - before[j]!), model.joints[j]!.name).toBeLessThan(0.02);
  }
}

/** What the main thread does on word of a servo that will not carry for long: the others lower the arm. */
function lower(without: number | null): void {
  const { velocity, acceleration } = follower.runtime.model.limits;
  const goal = model.poses.get('rest')!.slice();
  if (without !== null) goal[without] = follower.link.readings.positions[without]!;
  const limits = {
    velocity: velocity.move.map((top) => Math.min(top, 1)),
    acceleration: acceleration.move,
    jerk: goal.map(() => Number.POSITIVE_INFINITY),
  };
  follower.runtime.drive(new Trajectory(goal, limits));
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

test('a leader that is unplugged and comes back: the follower holds, and approaches again', async () => {
  both(0.3, () => lead(0.3, 0.3));
  leader.port.unplug();
  both(0.4);
  expect(follow.follow.code).toBe(FollowCode.holding);
  const held = follower.truth().positions;
  lead(-0.2, 0.2);
  both(0.5);
  expectUnmoved(held);
  leader.port.plugIn();
  await connected();
  both(3);
  expect(follow.follow.code).toBe(FollowCode.following);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a follower that is unplugged in motion and comes back holds where it is until it is asked to follow again', async () => {
  both(0.3, () => lead(0.3, 0.3));
  follower.port.unplug();
  both(0.5);
  expect(follower.runtime.state).toBe(StateCode.disconnected);
  const held = follower.truth().positions;
  lead(-0.2, 0.2);
  both(0.3);
  follower.port.plugIn();
  await connected();
  both(0.5);
  expect(follower.runtime.state).toBe(StateCode.ready);
  expectUnmoved(held);
  mirror();
  both(3);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a leader of which one servo is dead: the follower holds, and approaches when it answers again', async () => {
  leader.sim.bus.faults.dead.add(3);
  both(0.2);
  expect(follow.follow.code).toBe(FollowCode.holding);
  const held = follower.truth().positions;
  lead(0.3, 0.3);
  both(0.6);
  expect(leader.link.up).toBe(false);
  expectUnmoved(held);
  leader.sim.bus.faults.dead.delete(3);
  await connected();
  both(3);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a follower of which one servo is dead is lowered by the others, and is driven again only when all have been asked', async () => {
  const told: unknown[] = [];
  follower.link.onAiling = (joint, _, ailment) => void told.push([joint, ailment]);
  both(0.2, () => lead(0.3, 0.3));
  follower.sim.bus.faults.dead.add(3);
  both(0.8);
  expect(told).toEqual([[2, 'silent']]);
  lower(2);
  both(4);
  const down = follower.truth().positions;
  for (const j of [0, 1, 3, 4]) {
    expect(Math.abs(down[j]! - model.poses.get('rest')![j]!), model.joints[j]!.name).toBeLessThan(0.1);
  }
  follower.link.giveUp();
  both(0.1);
  expect(follower.runtime.state).toBe(StateCode.disconnected);
  follower.sim.bus.faults.dead.delete(3);
  await connected();
  both(0.3);
  expectUnmoved(down);
  witness!.expectSafe(2);
});

test('a follower with an overloaded servo is told of at once, and its others lower it without sagging', () => {
  const told: unknown[] = [];
  follower.link.onAiling = (joint, _, ailment) => void told.push([joint, ailment]);
  both(0.2, () => lead(0.3, 0.3));
  follower.sim.raiseOverload(3);
  both(0.1);
  expect(told).toEqual([[2, 'failing']]);
  lower(null);
  both(4);
  for (const [j, angle] of follower.truth().positions.entries()) {
    if (j !== 5) expect(Math.abs(angle - model.poses.get('rest')![j]!), model.joints[j]!.name).toBeLessThan(0.15);
  }
  witness!.expectSafe(2);
});

test('a control thread that fails while mirroring and is started anew takes both arms over where they are', async () => {
  both(0.3, () => lead(0.3, 0.3));
  const goals = [...follower.runtime.gate.goals];
  for (const arm of [leader, follower]) arm.restart(null);
  await connected();
  expect(follower.runtime.state).toBe(StateCode.ready);
  expect(leader.runtime.state).toBe(StateCode.connected);
  for (const [j, goal] of goals.entries()) expect(Math.abs(follower.runtime.gate.goals[j]! - goal)).toBeLessThan(0.002);
  const held = follower.truth().positions;
  lead(0.5, 0.3);
  both(0.5);
  expectUnmoved(held);
  mirror();
  both(3);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});

test('a start while it runs, a second stop, and a start during a move: each goes on from where the goals are', () => {
  const { runtime } = follower;
  both(0.3, () => lead(0.3, 0.3));
  mirror();
  both(2);
  expect(apart()).toBeLessThan(NEAR);
  const { motion } = runtime;
  for (let i = 0; i < 2; i++) {
    runtime.cancel(motion, 'cancelled');
    both(0.1);
  }
  expect(runtime.state).toBe(StateCode.ready);
  const held = follower.truth().positions;
  lead(-0.3, 0.3);
  both(0.4);
  expectUnmoved(held);
  lower(null);
  both(0.4);
  expect(runtime.state).toBe(StateCode.moving);
  mirror();
  both(4);
  expect(apart()).toBeLessThan(NEAR);
  witness!.expectSafe();
});
