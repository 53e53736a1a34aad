import { expect, test } from 'vitest';
import { FeltPair, fadeTime, motor, networkOf, steadiness } from './support/felt.ts';

const PAN = 'shoulder_pan';
/** Half of what the leader's shoulder_pan gives, Nm: most that floating may ask of it. */
const CAP = 1.63 / 2;
const CYCLE = 0.005;
/** Largest speed of goals that follow, rad/s. */
const MIRROR_SPEED = 3;

/** A hand pushes the leader's shoulder_pan until the follower presses on a wall. @returns what the wall pushes with, Nm */
async function pressing(pair: FeltPair): Promise<() => number> {
  const start = pair.place('leader', PAN);
  let goal = start;
  pair.hand(PAN, 8, 0.1, () => goal);
  const wall = pair.wall(PAN, start + 0.15, 200);
  for (; goal < start + 0.3; goal += 0.005) await pair.bridge.pass(0.01);
  await pair.bridge.pass(1.5);
  return wall;
}

test('a hand feels most of what pushes a follower 60 ms away, and nothing in free motion', async () => {
  const told: { free: number; pushed: number; wall: number }[] = [];
  for (const arm of [0, 1]) {
    const pair = await FeltPair.start({ arm }, { network: networkOf(0.06) });
    const start = pair.place('leader', PAN);
    let time = 0;
    const hand = pair.hand(PAN, 60, 1, () => start + 0.4 * Math.sin(2.5 * time));
    let free = 0;
    for (; time < 3; time += 0.01) {
      await pair.bridge.pass(0.01);
      free += (Math.abs(hand()) * 0.01) / 3;
    }
    pair.clear();
    await pair.bridge.lead('leader', { [PAN]: start }, 0.5);
    await pair.bridge.pass(1);
    await pair.bridge.lead('leader', null);
    const wall = await pressing(pair);
    told.push({ free, pushed: -motor(pair), wall: -wall() });
  }
  const [without, felt] = told as [(typeof told)[0], (typeof told)[0]];
  expect(felt.free - without.free).toBeLessThan(0.05);
  expect(Math.abs(without.pushed)).toBeLessThan(0.1);
  expect(felt.pushed).toBeGreaterThan(0.6 * Math.min(felt.wall, CAP));
  expect(felt.pushed).toBeLessThan(CAP + 0.05);
}, 300_000);

/** A network with a delay of 20 ms each way. */
const NEAR = networkOf(0.02);
/** Until the newest message from there is 0.1 s old, s: it was up to 24 ms on its way, and they come every 10 ms. */
const MISSED = 0.024 + 0.01 + 0.1;
/** What ends feedback, and within which time, s. */
const ENDINGS: readonly (readonly [string, (pair: FeltPair) => Promise<unknown> | undefined, number])[] = [
  [
    'a network that is gone',
    (pair) => {
      pair.graph!.network = { delay: 0, loss: 1 };
      return undefined;
    },
    MISSED,
  ],
  ['a follower that is stopped on its own machine', (pair) => pair.owner.post('/stop'), MISSED],
  ['a follower that is unplugged there', (pair) => pair.owner.fault('follower', { unplugged: true }), MISSED],
  ['a follower whose line is stuck there', (pair) => pair.owner.fault('follower', { stall: 1 }), MISSED],
  ['a stop of the leader', (pair) => pair.bridge.post('/stop?robot_id=0'), 0.1],
  ['the end of mirroring', (pair) => pair.bridge.post('/move/leader/stop?release=hold'), 0.1],
  ['another setting', (pair) => pair.bridge.post('/teleop/settings', { force_feedback: { arm: 0 } }), 0.1],
];

test('a push of a follower 60 ms away stays while messages are late by chance and some are lost', async () => {
  const pair = await FeltPair.start({ arm: 1 }, { network: networkOf(0.06) });
  await pressing(pair);
  expect(await steadiness(pair, 5)).toBeGreaterThan(0.9);
}, 300_000);

test.each(ENDINGS)(
  '%s fades what the hand feels of another machine in time',
  async (_, end, within) => {
    const pair = await FeltPair.start({ arm: 1 }, { network: NEAR });
    await pressing(pair);
    const time = await fadeTime(pair, PAN, end);
    expect(time).toBeLessThan(within + 0.01);
  },
  300_000,
);

test.each(ENDINGS)(
  '%s lets go of the hand without a kick',
  async (_, end) => {
    const pair = await FeltPair.start({ arm: 1 }, { network: networkOf(0.02) });
    await pressing(pair);
    expect(-motor(pair)).toBeGreaterThan(0.3);
    const leader = pair.bridge.arm('leader');
    let { goalTime: at, goals: last } = leader.read();
    last = last.slice();
    let fastest = 0;
    const ended = end(pair);
    for (let k = 0; k < 60; k++) {
      await pair.bridge.pass(CYCLE);
      const { goalTime, goals } = leader.read();
      if (goalTime === at) continue;
      for (const [i, goal] of goals.entries()) fastest = Math.max(fastest, Math.abs(goal - last[i]!) / (goalTime - at));
      at = goalTime;
      last = goals.slice();
    }
    await pair.bridge.until(Promise.resolve(ended));
    expect(fastest).toBeLessThan(MIRROR_SPEED + 0.01);
    pair.clear();
    await pair.bridge.pass(0.3);
    expect(Math.abs(motor(pair))).toBeLessThan(0.15);
  },
  300_000,
);

test('the gripper of a follower of another machine is felt by its own setting', async () => {
  const left: number[] = [];
  for (const feedback of [
    { arm: 1, gripper: 0 },
    { arm: 0, gripper: 1 },
  ]) {
    const pair = await FeltPair.start(feedback, { network: networkOf(0.02) });
    const start = pair.place('leader', 'gripper');
    let goal = start;
    pair.hand('gripper', 2, 0.05, () => goal);
    pair.wall('gripper', start + 0.15, 200);
    for (; goal < start + 0.4; goal += 0.005) await pair.bridge.pass(0.01);
    await pair.bridge.pass(1.5);
    left.push(goal - pair.place('leader', 'gripper'));
  }
  const [free, held] = left as [number, number];
  expect(free).toBeLessThan(0.05);
  expect(held).toBeGreaterThan(free + 0.05);
}, 60_000);
